import { type RevisionIndex, isAsked, newestFirst } from '../index/revision-index.ts';
import { SortedList } from '../record/sorted-list.ts';
import type { HistoryQuery, Revision } from '../record/record.ts';

/** The revisions of one project, as its log has them. */
export class HostedHistory implements RevisionIndex {
  /** Every revision is in an entry. */
  readonly version = '';
  readonly #byId = new Map<string, Revision>();
  readonly #all = new SortedList<Revision>(newestFirst);
  readonly #byTarget = new Map<string, SortedList<Revision>>();

  get size(): number {
    return this.#byId.size;
  }

  /** The first ones that were added: those that are there stay the first. */
  *oldest(count: number): IterableIterator<Revision> {
    let left = count;
    for (const revision of this.#byId.values()) {
      if (left-- === 0) return;
      yield revision;
    }
  }

  add(revision: Revision): void {
    if (this.#byId.has(revision.id)) return;
    this.#byId.set(revision.id, revision);
    this.#all.add(revision);
    let list = this.#byTarget.get(revision.target);
    if (list === undefined) this.#byTarget.set(revision.target, (list = new SortedList<Revision>(newestFirst)));
    list.add(revision);
  }

  /** Removes a revision whose change was taken back. */
  undo(id: string): void {
    const revision = this.#byId.get(id);
    if (revision === undefined) return;
    this.#byId.delete(id);
    this.#all.delete(revision);
    const list = this.#byTarget.get(revision.target);
    list?.delete(revision);
    if (list?.size === 0) this.#byTarget.delete(revision.target);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  revision(id: string): Revision | undefined {
    return this.#byId.get(id);
  }

  *revisions(query: HistoryQuery): IterableIterator<Revision> {
    const list = query.target === undefined ? this.#all : this.#byTarget.get(query.target);
    if (list === undefined) return;
    for (const revision of list) {
      const { at, id, author, target_type: type } = revision;
      if (isAsked({ at, id, author, type }, query)) yield revision;
    }
  }

  async *streamed(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]> {
    // As they are now: later ones are not among them.
    const revisions = [...this.revisions(query)];
    for (let at = 0; at < revisions.length; at += together)
      yield await Promise.resolve(revisions.slice(at, at + together));
  }
}

/** Revisions that a reader gets at a time. */
const together = 64;
