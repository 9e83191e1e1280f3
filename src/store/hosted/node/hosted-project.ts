import { Exclusive } from '../../commit/exclusive.ts';
import type { Committed } from '../../commit/commit.ts';
import { ProjectIndex } from '../../replica/project-index.ts';
import { Replica } from '../../replica/replica.ts';
import type { ServiceRecords } from '../../replica/service-records.ts';
import type { Collection } from '../../record/collection.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { StoredRecord } from '../../record/record.ts';
import { heldCharactersOf } from './entry-size.ts';
import { ForeignIds } from './foreign-ids.ts';
import { HostedHistory } from './hosted-history.ts';
import type { NodeTexts } from './node-texts.ts';
import { PlacedRecords } from './placed-records.ts';
import type { RevisionValues } from './revision-values.ts';
import type { SnapshotSize } from '../storage/snapshot-store.ts';

/** A project in the memory of one node. */
export class HostedProject implements Committed {
  readonly id: string;
  readonly exclusive: Exclusive;
  /** The service's records that its log has. */
  placed: PlacedRecords;
  foreign: ForeignIds;
  /** Calls that use it: it stays in memory. */
  users = 0;
  /** When it was last used, by the monotonic clock, and how many entries of other nodes had been applied by then. */
  used = { at: -Infinity, entriesOfOthers: 0 };
  /** The size of its part in memory, in characters. */
  heldCharacters = 0;
  /** The size of its entries, in characters: roughly its size without the bytes of files. */
  entryBytes = 0;
  readonly #texts: Pick<NodeTexts, 'withLazyTexts'>;
  #replica: Replica<HostedHistory>;

  constructor(
    id: string,
    code: string,
    {
      collections,
      service,
      values,
      texts,
      busy,
    }: {
      readonly collections: readonly Collection[];
      readonly service: ServiceRecords;
      readonly values: RevisionValues;
      readonly texts: Pick<NodeTexts, 'withLazyTexts'>;
      readonly busy: Set<Exclusive>;
    },
  ) {
    this.id = id;
    this.exclusive = new Exclusive(busy);
    this.#texts = texts;
    this.placed = new PlacedRecords(service);
    this.foreign = new ForeignIds(code);
    const [index, history] = [new ProjectIndex(collections), new HostedHistory(id, values)];
    this.#replica = new Replica({ project: id, code, index, history });
  }

  get replica(): Replica<HostedHistory> {
    return this.#replica;
  }

  get code(): string {
    return this.replica.code;
  }

  get index(): ProjectIndex {
    return this.replica.index;
  }

  /** Continues with the replica of another object of the same project, which is not used any more. */
  become({ replica, entryBytes, heldCharacters, foreign }: HostedProject): void {
    // Rules that ran on the former replica run again.
    replica.tail.entriesOfOthers += this.#replica.tail.entriesOfOthers + 1;
    this.#replica = replica;
    this.entryBytes = entryBytes;
    this.heldCharacters = heldCharacters;
    this.foreign = foreign;
  }

  /** A parsed record of a snapshot with lazy texts in place of references. */
  withLazyTexts(collection: string, record: StoredRecord): StoredRecord {
    return this.#texts.withLazyTexts(this.id, collection, record);
  }

  /** An entry of `characters` is durable. */
  note(body: EntryBody, characters: number): void {
    this.entryBytes += characters;
    this.heldCharacters += heldCharactersOf(body, characters);
    this.foreign.note(body);
  }

  /** The size that a snapshot of it would have: a line for each record and revision. */
  get snapshotSize(): SnapshotSize {
    const { index, history } = this.replica;
    return { lines: index.recordCount + history.size, characters: this.heldCharacters };
  }

  holds(id: string): boolean {
    if (this.index.record(id) !== undefined || this.index.edge(id) !== undefined) return true;
    return this.replica.history.has(id);
  }
}
