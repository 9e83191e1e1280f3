import { PlannerError } from '../errors.ts';
import type { EntryBody } from './entry.ts';
import type { Journal } from './journal.ts';

/** A change set that is in the index but not yet known to be durable. */
interface Inflight {
  readonly project: string;
  readonly undo: () => void;
}

/**
 * Between index and journal: knows what is not durable yet, lets readers wait for it, and takes it back, newest first, when the journal
 * fails. After a failure nothing is accepted any more: reads go on from what is durable, a restart recovers.
 */
export class Committer {
  readonly #journal: Journal;
  readonly #inflight = new Set<Inflight>();
  /** The latest append of each project that is not durable yet. Answers whether it became so. */
  readonly #latest = new Map<string, Promise<boolean>>();
  #failed = false;
  /** The journal position up to which every change is durable: no file may hold what the journal could still lose. */
  durablePosition: number;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.durablePosition = journal.position;
  }

  get failed(): boolean {
    return this.#failed || this.#journal.failed !== undefined;
  }

  /** The journal position of the last change handed in. */
  get position(): number {
    return this.#journal.position;
  }

  refuseWhenFailed(): void {
    if (!this.failed) return;
    throw new PlannerError(
      'unavailable',
      'The service cannot write to its journal any more. Reads go on; restart the service once the disk is well.',
    );
  }

  /** Hands a change set to the journal. Resolves once it is durable; throws `unavailable` with outcome unknown once it is taken back. */
  async submit(project: string, id: string, prevId: string | null, body: EntryBody, undo: () => void): Promise<void> {
    const inflight: Inflight = { project, undo };
    this.#inflight.add(inflight);
    const appended = this.#journal.append(project, this.#journal.lastSeq(project), { id, prevId, body });
    const { position } = this.#journal;
    const durable = appended.then((result) => {
      if (result === 'ok') {
        this.#inflight.delete(inflight);
        if (position > this.durablePosition) this.durablePosition = position;
        return true;
      }
      this.#takeBack();
      return false;
    });
    this.#latest.set(project, durable);
    const ok = await durable;
    if (this.#latest.get(project) === durable) this.#latest.delete(project);
    if (!ok) throw unknownOutcome();
  }

  /** The promise that what is in the index of this project (and the service's records) is durable; undefined when it is. */
  durable(project: string): Promise<boolean> | undefined {
    return this.#latest.get(project) ?? this.#latest.get(serviceProject);
  }

  /** The same for the whole store. */
  async allDurable(): Promise<boolean> {
    const results = await Promise.all(this.#latest.values());
    return results.every(Boolean);
  }

  #takeBack(): void {
    this.#failed = true;
    for (const { undo } of [...this.#inflight].reverse()) undo();
    this.#inflight.clear();
  }
}

/** The name under which the journal keeps what belongs to no project. */
export const serviceProject = '$service';

function unknownOutcome(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The journal could not be written; the change may or may not be there after a restart of the service. Repeat it then with the same idempotency key.',
    { outcome: 'unknown' },
  );
}
