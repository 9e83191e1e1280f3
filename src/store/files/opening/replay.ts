import type { Collection } from '../../record/collection.ts';
import { type EntryBody, type EntryChange, fromEntryChange } from '../../record/entry.ts';
import type { KeepEntry } from '../journal/journal-recovery.ts';
import type { Entry } from '../../log.ts';
import type { Revision } from '../../record/record.ts';
import type { StoreOptions } from '../project/options.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import { ServiceRecords } from '../../index/service-records.ts';
import { ServiceSnapshot } from './service-snapshot.ts';
import { Texts } from '../project/texts.ts';

/**
 * What replaying the journal keeps of its entries. A journal may hold gigabytes, and recovery compares all values that a record had, so all
 * entries are in memory at once: large texts are moved into files, and the service's own records are applied and let go.
 */
class Replay {
  readonly #service: ServiceRecords;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #texts: Texts;

  constructor(service: ServiceRecords, collections: ReadonlyMap<string, Collection>, texts: Texts) {
    this.#service = service;
    this.#collections = collections;
    this.#texts = texts;
  }

  keep(entry: Entry): Entry<EntryBody> {
    const { service = [], ...body } = entry.body as EntryBody;
    for (const change of service) this.#apply(change);
    const changes = body.changes.map((change) => this.#light(change));
    const revisions = body.revisions.map((revision) => this.#lightRevision(revision));
    return { ...entry, body: { ...body, changes, revisions } };
  }

  #apply(entryChange: EntryChange): void {
    const { collection, id, to } = fromEntryChange(entryChange);
    if (this.#service.knows(collection))
      this.#service.apply({ collection, id, from: this.#service.get(collection, id), to });
  }

  #light(change: EntryChange): EntryChange {
    const collection = this.#collections.get(change.c);
    if (collection === undefined) return change;
    const { to, was, gone, file } = change;
    return {
      ...change,
      ...(to && { to: this.#texts.lighten(collection, to) }),
      ...(was && { was: this.#texts.lighten(collection, was) }),
      ...(gone && { gone: this.#texts.lighten(collection, gone) }),
      ...(file && { file: this.#texts.lighten(collection, file) }),
    };
  }

  #lightRevision(revision: Revision): Revision {
    const collection = this.#collections.get(revision.target_type);
    return collection === undefined
      ? revision
      : { ...revision, before: this.#texts.lighten(collection, revision.before) };
  }
}

/** What the journal is replayed into while it is read. */
export interface Replayed {
  readonly service: ServiceRecords;
  readonly snapshot: ServiceSnapshot;
  readonly texts: Texts;
  readonly keep: KeepEntry;
}

/** Reads what lies beside the journal, so that its entries can be applied one by one. */
export function openReplay(options: Required<StoreOptions>, layout: RootLayout): Replayed {
  const { disk, clock, collections } = options;
  const service = new ServiceRecords(options.serviceCollections);
  const snapshot = new ServiceSnapshot(disk, layout, service, clock);
  snapshot.read();
  const texts = new Texts(disk, layout);
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  const replay = new Replay(service, byName, texts);
  return { service, snapshot, texts, keep: (entry) => replay.keep(entry) };
}
