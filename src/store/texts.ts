import { limits } from '../limits.ts';
import type { Collection } from './collection.ts';
import type { Disk } from './disk.ts';
import { lazyHash, TextStore, withLazyText } from './large-text.ts';
import type { Project } from './project.ts';
import type { StoredRecord } from './record.ts';
import type { RootLayout } from './root-layout.ts';

/** Keeps large texts out of the index: a record whose text is above the limit holds a property that reads it when asked. */
export class Texts {
  readonly #store: TextStore;
  readonly #collections: ReadonlyMap<string, Collection>;

  constructor(disk: Disk, layout: RootLayout, collections: ReadonlyMap<string, Collection>) {
    this.#store = new TextStore(disk, layout.local);
    this.#collections = collections;
  }

  /** The record with its large texts let go; the same value where it has none. */
  lighten(collection: Collection, record: StoredRecord): StoredRecord {
    let light = record as StoredRecord & Record<string, unknown>;
    for (const field of collection.texts) {
      if (lazyHash(light, field) !== undefined) continue;
      const text = light[field];
      // Characters bound bytes from below: a text of fewer is looked at no further.
      if (typeof text !== 'string' || text.length * 3 <= limits.residentTextBytesMax) continue;
      if (Buffer.byteLength(text) <= limits.residentTextBytesMax) continue;
      light = withLazyText(light, field, this.#store.put(text).sha256, this.#store);
    }
    return light;
  }

  /** Removes the copies that no record names any more. */
  sweep(projects: Iterable<Project>): void {
    const keep = new Set<string>();
    for (const project of projects) {
      for (const { collection, record } of project.files.values()) {
        for (const field of this.#collections.get(collection)?.texts ?? []) {
          const sha256 = record && lazyHash(record, field);
          if (sha256 !== undefined) keep.add(sha256);
        }
      }
    }
    this.#store.sweep(keep);
  }
}
