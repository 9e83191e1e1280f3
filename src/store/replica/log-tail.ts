import { limits } from '../../base/limits.ts';
import { type EntryBody, weightOfEntryChange } from '../record/entry.ts';
import { type Append, emptyHead, type Entry, type Head } from '../record/log.ts';

/**
 * The end of one log as the replica on this node knows it. `head` includes appends in progress: every append names it,
 * so that no append is accepted after an entry that the replica does not have. `confirmed` moves only with entries that
 * are in the log.
 */
export class LogTail {
  readonly project: string;
  head: Head = emptyHead;
  #confirmed = emptyHead;
  #at: string | undefined;
  /** The ids of the appends in progress, by sequence. */
  readonly #pending = new Map<number, string>();
  /** How many entries of other nodes were applied. */
  entriesOfOthers = 0;

  constructor(project: string) {
    this.project = project;
  }

  /** The last entry that is certainly in the log. */
  get confirmed(): Head {
    return this.#confirmed;
  }

  /** True if an append is in progress. */
  get isSpeculative(): boolean {
    return this.head !== this.#confirmed;
  }

  /** The time of the last entry, if it is known. */
  get at(): string | undefined {
    return this.#at;
  }

  /** Continues after this entry, which is in the log. */
  continueAfter(head: Head, at?: string): void {
    this.head = this.#confirmed = head;
    this.#at = at;
  }

  /** Continues after an entry that another node has appended. */
  applied({ seq, id }: Head, at: string): void {
    this.continueAfter({ seq, id }, at);
    this.entriesOfOthers++;
  }

  /** Returns whether the replica has the entry: it was applied or confirmed, or is an append in progress. */
  has({ seq, id }: Pick<Entry, 'seq' | 'id'>): boolean {
    return (
      seq < this.#confirmed.seq || (seq === this.#confirmed.seq ? this.#confirmed.id : this.#pending.get(seq)) === id
    );
  }

  /** The append of the next entry, which is the tail from now on. */
  next(id: string, body: EntryBody, beside?: Append['beside']): Append<EntryBody> {
    const after = this.head;
    this.head = { seq: after.seq + 1, id };
    this.#at = body.at;
    this.#pending.set(after.seq + 1, id);
    const large = isLarge(body);
    return { project: this.project, after, id, body, large, ...(beside && { beside }) };
  }

  /** An append was accepted. */
  confirm({ after, id }: Pick<Append, 'after' | 'id'>): void {
    const isLast = this.head.seq === after.seq + 1;
    this.#confirmed = isLast ? this.head : { seq: after.seq + 1, id };
    this.#pending.delete(after.seq + 1);
  }

  /** No append in progress after this entry was accepted. */
  takeBack(after: Head): void {
    if (this.head.seq <= after.seq) return;
    this.head = after.seq <= this.#confirmed.seq ? this.#confirmed : after;
    for (const seq of this.#pending.keys()) if (seq > after.seq) this.#pending.delete(seq);
  }
}

/** Links take as long as changes. */
function isLarge({ changes, revisions }: EntryBody): boolean {
  let weight = revisions.length;
  for (const change of changes) {
    weight += weightOfEntryChange(change);
    if (weight >= limits.slicedEntryChangesMin) return true;
  }
  return weight >= limits.slicedEntryChangesMin;
}
