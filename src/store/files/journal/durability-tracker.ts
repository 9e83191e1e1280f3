import { PlannerError } from '../../../errors.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { Journal } from './journal.ts';

/** A change set that is in the index but not yet known to be durable. */
interface Inflight {
  readonly project: string;
  readonly undo: () => void;
}

/** A change that is being applied to the index in slices, and has not been handed to the journal. */
export interface Unfinished {
  /** Throws `unavailable` once the journal has failed: the change was undone with those before it. */
  check(): void;
  /** The change is complete, or was rolled back by its owner. Answers whether it was undone before. */
  end(): boolean;
}

/** An append under way. */
interface Append {
  readonly position: number;
  /** Whether it became durable. */
  readonly durable: Promise<boolean>;
}

/** An entry of so many changes and revisions is encoded in slices. */
const largeChanges = 500;

/**
 * Between index and journal: knows what is not durable yet, lets readers wait for it, and takes it back, newest first, when the journal
 * fails. After a failure nothing is accepted any more: reads go on from what is durable, a restart recovers.
 */
export class Committer {
  readonly #journal: Journal;
  readonly #inflight = new Set<Inflight>();
  /** The latest append of each project that is not durable yet. */
  readonly #latest = new Map<string, Append>();
  /** The latest that brings changes of the service's own records, be it in the entry of a project. */
  #latestOfService: Append | undefined;
  #failed = false;
  #refusal: PlannerError | undefined;
  /** The journal position up to which every change is durable: no file may hold what the journal could still lose. */
  durablePosition: number;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.durablePosition = journal.position;
  }

  get failed(): boolean {
    return this.#failed || this.#refusal !== undefined || this.#journal.failed !== undefined;
  }

  /** The journal position of the last change handed in. */
  get position(): number {
    return this.#journal.position;
  }

  /** Characters of all entries handed in, nearly bytes. */
  get appended(): number {
    return this.#journal.appended;
  }

  /** No change is taken from now on, with this answer. What was handed in already goes its way. */
  refuse(answer: PlannerError): void {
    this.#refusal ??= answer;
  }

  refuseWhenFailed(): void {
    if (!this.failed) return;
    if (this.#refusal !== undefined) throw this.#refusal;
    throw new PlannerError(
      'unavailable',
      'The service cannot write to its journal any more. Reads go on; restart the service once the disk is well.',
    );
  }

  /** A change that takes several slices: when the journal fails meanwhile, it is undone first, since it rests on those that failed. */
  begin(project: string, undo: () => void): Unfinished {
    let undone = false;
    const inflight: Inflight = {
      project,
      undo: () => {
        undone = true;
        undo();
      },
    };
    this.#inflight.add(inflight);
    return {
      check: () => {
        if (undone) throw unknownOutcome();
      },
      end: () => {
        this.#inflight.delete(inflight);
        return undone;
      },
    };
  }

  /** Hands a change set to the journal. Resolves once it is durable; throws `unavailable` with outcome unknown once it is taken back. */
  async submit(project: string, id: string, prevId: string | null, body: EntryBody, undo: () => void): Promise<void> {
    const inflight: Inflight = { project, undo };
    this.#inflight.add(inflight);
    const large = body.changes.length + body.revisions.length >= largeChanges;
    const appended = this.#journal.append(project, this.#journal.lastSeq(project), { id, prevId, body, large });
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
    const append: Append = { position, durable };
    this.#latest.set(project, append);
    if (body.service !== undefined) this.#latestOfService = append;
    const ok = await durable;
    if (this.#latest.get(project) === append) this.#latest.delete(project);
    if (this.#latestOfService === append) this.#latestOfService = undefined;
    if (!ok) throw unknownOutcome();
  }

  /**
   * The promise that what a view of this project shows is durable; undefined when it is. Of the service's records that is what changed in
   * entries of the project or of the service itself: what rode in another project's entry is about that project.
   */
  durable(project: string): Promise<boolean> | undefined {
    return later(this.#latest.get(project), this.#latest.get(serviceProject))?.durable;
  }

  /** The same for all of the service's own records. */
  serviceDurable(): Promise<boolean> | undefined {
    return later(this.#latestOfService, this.#latest.get(serviceProject))?.durable;
  }

  /**
   * For an answer that changes nothing, a refusal say: resolves once what it rests on is durable. Throws `unavailable` where that was taken
   * back, for then the answer might be another one.
   */
  async rest(on: Promise<boolean> | undefined): Promise<void> {
    if (on !== undefined && !(await on)) this.refuseWhenFailed();
  }

  /** The same for the whole store. */
  async allDurable(): Promise<boolean> {
    const results = await Promise.all([...this.#latest.values()].map(({ durable }) => durable));
    return results.every(Boolean);
  }

  #takeBack(): void {
    this.#failed = true;
    for (const { undo } of [...this.#inflight].reverse()) undo();
    this.#inflight.clear();
  }
}

/** The journal is written in order: the later one is durable after the earlier, and fails where that fails. */
function later(a: Append | undefined, b: Append | undefined): Append | undefined {
  return a !== undefined && a.position > (b?.position ?? 0) ? a : b;
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
