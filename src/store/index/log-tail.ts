import type { EntryBody } from '../record/entry.ts';
import { type Append, emptyHead, type Head } from '../log.ts';

/** An entry with this many changes and revisions is encoded in slices. */
const largeChanges = 500;

/**
 * The end of one log as its replica here knows it: the last entry, including appends in progress. Every append names
 * it, so that none is accepted behind an entry that the replica does not have.
 */
export class LogTail {
  readonly project: string;
  #head = emptyHead;
  #at: string | undefined;

  constructor(project: string) {
    this.project = project;
  }

  get head(): Head {
    return this.#head;
  }

  /** The time of the last entry, if it is known. */
  get at(): string | undefined {
    return this.#at;
  }

  /** Continues behind this entry. */
  continueAfter(head: Head, at?: string): void {
    this.#head = head;
    this.#at = at;
  }

  /** The append of the next entry, which is the tail from now on. */
  next(id: string, body: EntryBody): Append<EntryBody> {
    const after = this.#head;
    this.#head = { seq: after.seq + 1, id };
    this.#at = body.at;
    const large = body.changes.length + body.revisions.length >= largeChanges;
    return { project: this.project, after, id, body, large };
  }
}
