import type { Collection } from '../../record/collection.ts';
import { withLaterFields } from '../../record/assemble.ts';
import { type EntryBody, type EntryChange, fromEntryChange } from '../../record/entry.ts';
import type { KeepEntry } from '../journal/journal-recovery.ts';
import type { Entry } from '../../record/log.ts';
import type { Revision } from '../../record/record.ts';
import { hasValue } from '../../record/revision-reference.ts';
import type { StoreOptions } from '../project/options.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import { ServiceRecords } from '../../replica/service-records.ts';
import { ServiceSnapshot } from './service-snapshot.ts';
import { LookUps } from '../../record/look-ups.ts';
import { LargeTexts } from '../project/large-texts.ts';

/**
 * Reduces journal entries during replay. A journal may have gigabytes, and recovery compares all values of a record, so
 * all entries are in memory at once: large texts are moved into files, and the service's own records are applied and
 * dropped, unless the feed derives events from them.
 */
class Replay {
  readonly #service: ServiceRecords;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #texts: LargeTexts;

  constructor(service: ServiceRecords, collections: ReadonlyMap<string, Collection>, texts: LargeTexts) {
    this.#service = service;
    this.#collections = collections;
    this.#texts = texts;
  }

  keep(entry: Entry): Entry<EntryBody> {
    const { service = [], ...body } = entry.body as EntryBody;
    for (const change of service) this.#apply(change);
    const changes = body.changes.map((change) => this.#reduced(change));
    const revisions = body.revisions.map((revision) =>
      hasValue(revision) ? this.#revisionWithoutLargeTexts(revision) : revision,
    );
    const offline = body.offline?.map((change) => this.#reduced(change));
    const withEvents = service.filter(({ c }) => this.#service.hasEvents(c));
    const kept = withEvents.length === 0 ? {} : { service: withEvents };
    return { ...entry, body: { ...body, changes, revisions, ...(offline && { offline }), ...kept } };
  }

  #apply(entryChange: EntryChange): void {
    const { collection, id, to } = fromEntryChange(entryChange);
    if (this.#service.knows(collection))
      this.#service.apply({ collection, id, from: this.#service.get(collection, id), to });
  }

  /** Records get the fields that came after the entry was written, as those of files do. */
  #reduced(change: EntryChange): EntryChange {
    const collection = this.#collections.get(change.c);
    if (collection === undefined) return change;
    const { to, was, gone, file } = change;
    return {
      ...change,
      ...(to && { to: this.#texts.evict(collection, withLaterFields(collection, to)) }),
      ...(was && { was: this.#texts.evict(collection, was) }),
      ...(gone && { gone: this.#texts.evict(collection, gone) }),
      ...(file && { file: this.#texts.evict(collection, withLaterFields(collection, file)) }),
    };
  }

  #revisionWithoutLargeTexts(revision: Revision): Revision {
    const collection = this.#collections.get(revision.target_type);
    return collection === undefined
      ? revision
      : { ...revision, before: this.#texts.evict(collection, revision.before) };
  }
}

/** The state that the journal is replayed into. */
export interface Replayed {
  readonly service: ServiceRecords;
  readonly snapshot: ServiceSnapshot;
  readonly largeTexts: LargeTexts;
  readonly lookUps: LookUps;
  readonly keep: KeepEntry;
}

/** Reads the files beside the journal, so that its entries can be applied one by one. */
export function openReplay(options: Required<StoreOptions>, layout: RootLayout): Replayed {
  const { disk, clock, collections } = options;
  const service = new ServiceRecords(options.serviceCollections);
  const snapshot = new ServiceSnapshot(disk, layout, service, clock);
  snapshot.read();
  const lookUps = new LookUps();
  const largeTexts = new LargeTexts(disk, layout, lookUps);
  const byName = new Map(collections.map((collection) => [collection.name, collection]));
  const replay = new Replay(service, byName, largeTexts);
  return { service, snapshot, largeTexts, lookUps, keep: (entry) => replay.keep(entry) };
}
