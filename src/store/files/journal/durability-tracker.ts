import { PlannerError } from '../../../errors.ts';
import type { Append, Appended, Log } from '../../log.ts';
import type { EntryBody } from '../../record/entry.ts';
import { Roster } from '../../../platform/roster.ts';
import type { JournalFiles } from './journal-files.ts';

/** A change set that is in the index but not yet known to be durable. */
interface InflightChange {
  /** Counts the changes: they are rolled back newest first. */
  readonly number: number;
  readonly project: string;
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
interface InProgress {
  readonly position: number;
  /** Resolves to whether it became durable. */
  readonly durable: Promise<boolean>;
}

/**
 * Tracks the changes that are in the index and not durable yet: readers wait for them, and if the log refuses an entry
 * they are rolled back, newest first. After that all changes are rejected: reads continue from the durable state, and a
 * restart recovers. A log of its own has no conflict unless this process missed an entry; it must not go on then.
 */
export class DurabilityTracker {
  readonly #log: Log<EntryBody>;
  readonly #journal: Pick<JournalFiles, 'appended' | 'failed' | 'position'>;
  readonly #onDurable: (append: Append<EntryBody>) => void;
  readonly #inflight = new Roster<InflightChange>();
  #changes = 0;
  /** The latest append of each project that is not durable yet. */
  readonly #latest = new Map<string, InProgress>();
  /** The latest append with changes of the service's own records, whichever project's entry it is. */
  #latestOfService: InProgress | undefined;
  #failed = false;
  #rejection: PlannerError | undefined;
  /**
   * The journal position up to which every change is durable. No file may contain a change that the journal could still
   * lose.
   */
  durablePosition: number;

  /** `onDurable` is called with each entry of a project in the order of its log, before anyone who waits for it. */
  constructor(
    log: Log<EntryBody>,
    journal: Pick<JournalFiles, 'appended' | 'failed' | 'position'>,
    onDurable: (append: Append<EntryBody>) => void = () => undefined,
  ) {
    this.#log = log;
    this.#onDurable = onDurable;
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
  begin(project: string, undo: () => void): UnfinishedChange {
    let undone = false;
    const inflight: InflightChange = {
      number: ++this.#changes,
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

  /**
   * Appends a change set to the log. Resolves once it is durable; rejects with `unavailable` if it was rolled back, with
   * an unknown outcome if it may exist after a restart. The entry has its place in the log when the function returns.
   */
  submit(append: Append<EntryBody>, undo: () => void): Promise<void> {
    return this.#track(append, undefined, undo, this.#log.append(append));
  }

  /** The same with an entry of the service's log, both of which become durable or none. */
  submitTogether(append: Append<EntryBody>, ofService: Append<EntryBody>, undo: () => void): Promise<void> {
    return this.#track(append, ofService, undo, this.#log.appendTogether([append, ofService]));
  }

  #track(
    append: Append<EntryBody>,
    ofService: Append<EntryBody> | undefined,
    undo: () => void,
    appended: Promise<Appended>,
  ): Promise<void> {
    const { project, body } = append;
    const { position } = this.#journal;
    const inflight: InflightChange = { number: ++this.#changes, project, undo };
    this.#inflight.add(inflight);
    let outcome: Appended | undefined;
    const durable = appended.then((result) => {
      outcome = result;
      if (result.is === 'ok') {
        this.#inflight.delete(inflight);
        if (position > this.durablePosition) this.durablePosition = position;
        if (project !== serviceProject) this.#onDurable(append);
        return true;
      }
      this.#rollBack(result, project);
      return false;
    });
    const progress: InProgress = { position, durable };
    this.#latest.set(project, progress);
    if (ofService !== undefined) this.#latest.set(ofService.project, progress);
    if (body.service !== undefined || ofService !== undefined) this.#latestOfService = progress;
    return durable.then((ok) => {
      if (this.#latest.get(project) === progress) this.#latest.delete(project);
      if (ofService !== undefined && this.#latest.get(ofService.project) === progress)
        this.#latest.delete(ofService.project);
      if (this.#latestOfService === progress) this.#latestOfService = undefined;
      if (!ok) throw outcome?.is === 'refused' ? unknownOutcome() : notContinued();
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

  /** A log that refuses an entry accepts nothing behind it; a conflict concerns the entries of one project. */
  #rollBack(outcome: Appended, project: string): void {
    if (outcome.is === 'refused') this.#failed = true;
    else this.#rejection ??= notContinued();
    const lost = [...this.#inflight].filter((one) => this.#failed || one.project === project);
    for (const one of lost.sort((a, b) => b.number - a.number)) {
      this.#inflight.delete(one);
      one.undo();
    }
  }
}

/**
 * The journal is written in order: the later append becomes durable after the earlier one, and fails if that one fails.
 */
function laterOf(a: InProgress | undefined, b: InProgress | undefined): InProgress | undefined {
  return a !== undefined && a.position > (b?.position ?? 0) ? a : b;
}

/** The name under which the journal keeps entries that belong to no project. */
export const serviceProject = '$service';

function notContinued(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The journal has an entry that this service does not know; the change was rolled back. Reads continue; restart the service.',
  );
}

function unknownOutcome(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The journal could not be written; the change may or may not exist after a restart of the service. Retry it then with the same idempotency key.',
    { outcome: 'unknown' },
  );
}
