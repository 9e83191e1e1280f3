import { limits } from '../../../base/limits.ts';
import type { Collection } from '../../record/collection.ts';
import { type Disk, errorCode } from '../disk/disk.ts';
import { type FileState, sizeOf } from './file-table.ts';
import { TextStore } from './text-store.ts';
import { lazyHash, lazyHashes, withLazyText } from '../../record/lazy-text.ts';
import type { LookUps } from '../../record/look-ups.ts';
import type { Project } from './project.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** Keeps large texts out of memory: a record with a text above the limit holds a getter that reads it on access. */
export class LargeTexts {
  readonly #store: TextStore;

  constructor(disk: Disk, layout: RootLayout, lookUps: LookUps) {
    this.#store = new TextStore(disk, layout.local, lookUps);
  }

  /**
   * Returns the record, or some of its fields, with large texts replaced by references; the same object if there are
   * none.
   */
  evict<R extends object>(collection: Collection, record: R): R {
    let light = record;
    for (const field of collection.texts as (keyof R & string)[]) {
      if (lazyHash(light, field) !== undefined) continue;
      const text: unknown = light[field];
      // A text of n characters has at most 3n bytes: shorter texts need no byte count.
      if (typeof text !== 'string' || text.length * 3 <= limits.residentTextBytesMax) continue;
      if (Buffer.byteLength(text) <= limits.residentTextBytesMax) continue;
      const copy = this.#copyOf(text);
      if (copy !== undefined) light = withLazyText(light, field, copy, this.#store);
    }
    return light;
  }

  /** The hash of a copy; undefined if the disk has no room for one, or fails: the text stays in memory. */
  #copyOf(text: string): string | undefined {
    try {
      return this.#store.put(text).sha256;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  /** The same for a record in memory: from now on its large texts are read from their copies. */
  evictState(project: Project, collection: Collection, state: FileState): void {
    const light = state.record && this.evict(collection, state.record);
    if (state.record === undefined || light === undefined || light === state.record) return;
    project.files.set({ ...state, record: light });
    if (project.index.record(state.id) === state.record)
      project.index.table(collection.name).substitute(state.id, light);
  }

  /** Removes the copies that no record references any more. */
  sweep(projects: Iterable<Project>): void {
    if (this.#store.isEmpty) return;
    const keep = new Set<string>();
    for (const project of projects) {
      for (const { record } of project.files.values()) addHashes(keep, record);
      // Replayed from the journal and not in files yet.
      for (const id of project.dirty.ids()) addHashes(keep, project.index.record(id));
      for (const { before } of project.history.waitingRevisions()) addHashes(keep, before);
    }
    this.#store.sweep(keep);
  }
}

/** The files that may contain a large text: none is longer than its file. */
export function largeFiles({ files }: Project): readonly FileState[] {
  const large: FileState[] = [];
  for (const file of files.values()) if (sizeOf(file) > limits.residentTextBytesMax) large.push(file);
  return large;
}

function addHashes(keep: Set<string>, record: object | undefined): void {
  for (const sha256 of record === undefined ? [] : lazyHashes(record)) keep.add(sha256);
}
