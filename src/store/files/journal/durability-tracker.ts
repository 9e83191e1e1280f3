import { PlannerError } from '../../../errors.ts';
import type { EntryBody } from '../../record/entry.ts';
import { Roster } from '../../../platform/roster.ts';
import type { Journal } from './journal.ts';

/** A change set that is in the index but not yet known to be durable. */
interface InflightChange {
  /** Counts the changes: they are rolled back newest first. */
  readonly number: number;
  readonly undo: () => void;
}

/** A change that is being applied to the index in slices and not appended to the journal yet. */
export interface UnfinishedChange {
  /** Throws `unavailable` if the journal has failed: the change was rolled back with those before it. */
  check(): void;
  /**
   * Ends the tracking: the change is complete, or its owner rolled it back. Returns whether it was rolled back here
   * before.
   */
  end(): boolean;
}

/** An append in progress. */
interface Append {
  readonly position: number;
  /** Resolves to whether it became durable. */
  readonly durable: Promise<boolean>;
}

/** An entry with this many changes and revisions is encoded in slices. */
const largeChanges = 500;

/**
 * Tracks the changes that are in the index and not durable yet: readers wait for them, and a failure of the journal
 * rolls them back, newest first. After a failure all changes are rejected: reads continue from the durable state, and a
 * restart recovers.
 */
export class DurabilityTracker {
  readonly #journal: Journal;
  readonly #inflight = new Roster<InflightChange>();
  #changes = 0;
  /** The latest append of each project that is not durable yet. */
  readonly #latest = new Map<string, Append>();
  /** The latest append with changes of the service's own records, whichever project's entry it is. */
  #latestOfService: Append | undefined;
  #failed = false;
  #rejection: PlannerError | undefined;
  /**
   * The journal position up to which every change is durable. No file may contain a change that the journal could still
   * lose.
   */
  durablePosition: number;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.durablePosition = journal.position;
  }

  get failed(): boolean {
    return this.#failed || this.#rejection !== undefined || this.#journal.failed !== undefined;
  }

  /** The journal position of the last append. */
  get position(): number {
    return this.#journal.position;
  }

  /** Characters of all appended entries, roughly bytes. */
  get appended(): number {
    return this.#journal.appended;
  }

  /** Rejects further changes with this error. Appends in flight complete normally. */
  rejectWrites(answer: PlannerError): void {
    this.#rejection ??= answer;
  }

  throwIfFailed(): void {
    if (!this.failed) return;
    if (this.#rejection !== undefined) throw this.#rejection;
    throw new PlannerError(
      'unavailable',
      'The service cannot write to its journal any more. Reads continue; restart the service once the disk works again.',
    );
  }

  /**
   * Tracks a change that takes several slices: if the journal fails meanwhile, it is rolled back first, because it
   * builds on the changes that failed.
   */
  begin(undo: () => void): UnfinishedChange {
    let undone = false;
    const inflight: InflightChange = {
      number: ++this.#changes,
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

  /**
   * Appends a change set to the journal. Resolves once it is durable; rejects with `unavailable` and an unknown outcome
   * if it was rolled back. The change is in the journal's queue when the function returns.
   */
  submit(project: string, id: string, prevId: string | null, body: EntryBody, undo: () => void): Promise<void> {
    const inflight: InflightChange = { number: ++this.#changes, undo };
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
      this.#rollBack();
      return false;
    });
    const append: Append = { position, durable };
    this.#latest.set(project, append);
    if (body.service !== undefined) this.#latestOfService = append;
    return durable.then((ok) => {
      if (this.#latest.get(project) === append) this.#latest.delete(project);
      if (this.#latestOfService === append) this.#latestOfService = undefined;
      if (!ok) throw unknownOutcome();
    });
  }

  /**
   * Resolves to whether the state that a reader of this project sees became durable; undefined if it is durable now. Of
   * the service's records this includes changes in entries of this project or of the service itself: changes in another
   * project's entry concern that project.
   */
  whenDurable(project: string): Promise<boolean> | undefined {
    return laterOf(this.#latest.get(project), this.#latest.get(serviceProject))?.durable;
  }

  /** The same for all of the service's own records. */
  whenServiceDurable(): Promise<boolean> | undefined {
    return laterOf(this.#latestOfService, this.#latest.get(serviceProject))?.durable;
  }

  /**
   * For a response without changes, such as an error: resolves once the state that it depends on is durable. Throws
   * `unavailable` if that state was rolled back, since the response might then differ.
   */
  async awaitDurable(on: Promise<boolean> | undefined): Promise<void> {
    if (on !== undefined && !(await on)) this.throwIfFailed();
  }

  /** The same for the whole store. */
  async whenAllDurable(): Promise<boolean> {
    const results = await Promise.all([...this.#latest.values()].map(({ durable }) => durable));
    return results.every(Boolean);
  }

  #rollBack(): void {
    this.#failed = true;
    for (const { undo } of [...this.#inflight].sort((a, b) => b.number - a.number)) undo();
    this.#inflight.clear();
  }
}

/**
 * The journal is written in order: the later append becomes durable after the earlier one, and fails if that one fails.
 */
function laterOf(a: Append | undefined, b: Append | undefined): Append | undefined {
  return a !== undefined && a.position > (b?.position ?? 0) ? a : b;
}

/** The name under which the journal keeps entries that belong to no project. */
export const serviceProject = '$service';

function unknownOutcome(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The journal could not be written; the change may or may not exist after a restart of the service. Retry it then with the same idempotency key.',
    { outcome: 'unknown' },
  );
}
