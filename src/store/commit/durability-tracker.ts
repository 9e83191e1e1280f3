import { invalid, PlannerError } from '../../base/errors.ts';
import type { Append, Appended, Log } from '../record/log.ts';
import type { EntryBody } from '../record/entry.ts';
import type { LogTail } from '../replica/log-tail.ts';
import { Roster } from '../../platform/roster.ts';
import { AnsweredBefore, Superseded } from './superseded.ts';

/** A change set that is in the index but not yet known to be durable. */
interface InflightChange {
  /** Counts the changes: they are rolled back newest first. */
  readonly number: number;
  /** Its entries, each with its log. One that is not appended yet has no body. */
  readonly entries: readonly (Pick<Append<EntryBody>, 'project'> & Partial<Append<EntryBody>>)[];
  readonly undo: () => void;
  /** Resolves to whether it becomes durable, once it is appended. */
  durable?: Promise<boolean>;
  /** True if it was rolled back, since an earlier change was. */
  isLost: boolean;
}

/** A change that is being applied to the index in slices and not appended to the journal yet. */
export interface UnfinishedChange {
  /** Throws if the change was rolled back with those before it: `unavailable`, or `Superseded`. */
  check(): void;
  /**
   * Ends the tracking: the change is complete, or its owner rolled it back. Returns whether it was rolled back here
   * before.
   */
  end(): boolean;
}

/** One log with the entry that is to be its next. */
export interface NextEntry {
  readonly tail: LogTail;
  readonly id: string;
  readonly body: EntryBody;
  /** Stored if and only if the entry is. */
  readonly beside?: Append['beside'];
}

/** The positions that a log reports over the entries of all projects. */
export interface LogPositions {
  /** The position of the last append. */
  readonly position: number;
  /** Characters of all appended entries, roughly bytes. */
  readonly appended: number;
  readonly failed: Error | undefined;
}

/**
 * Tracks the changes that are in the index and not durable yet: readers wait for them. If a log of its own refuses an
 * entry, its storage has failed: all changes are rolled back, newest first, and all later changes are rejected: reads
 * continue from the durable state, and a restart recovers. Every other outcome concerns the logs of the entry alone:
 * the changes after it are rolled back, and changes of other logs go on. So if a log has another entry in its place:
 * callers get an error, or over a shared log, where that is nothing unusual, their rules run again.
 */
export class DurabilityTracker {
  readonly #log: Log<EntryBody>;
  readonly #positions: LogPositions;
  readonly #onDurable: (append: Append<EntryBody>) => void;
  readonly #inflight = new Roster<InflightChange>();
  readonly #tails = new Map<string, LogTail>();
  #changes = 0;
  /** By log: resolves to whether its latest append became durable, of those in progress. */
  readonly #latest = new Map<string, Promise<boolean>>();
  /** The state of the latest append with changes of the service's own records, whichever project's entry it is. */
  #latestOfService: Promise<boolean> | undefined;
  #failed = false;
  #rejection: PlannerError | undefined;
  /**
   * The position up to which every change is durable. No file may contain a change that the journal could still lose.
   */
  durablePosition: number;

  /**
   * `onDurable` is called with each entry in the order of its log, before anyone who waits for it; of two entries that
   * are submitted together, first with the entry of the project.
   */
  constructor(
    log: Log<EntryBody>,
    positions: LogPositions,
    onDurable: (append: Append<EntryBody>) => void = () => undefined,
  ) {
    this.#log = log;
    this.#onDurable = onDurable;
    this.#positions = positions;
    this.durablePosition = positions.position;
  }

  get failed(): boolean {
    return this.#failed || this.#rejection !== undefined || this.#positions.failed !== undefined;
  }

  /** The position of the last append. */
  get position(): number {
    return this.#positions.position;
  }

  /** Characters of all appended entries, roughly bytes. */
  get appended(): number {
    return this.#positions.appended;
  }

  /** Everything up to this position is durable. The store confirms entries of the log that are not its changes. */
  confirm(position: number): void {
    this.durablePosition = Math.max(this.durablePosition, position);
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
   * Tracks a change that takes several slices: if a change before it is rolled back during that, it is rolled back
   * first, because it builds on it.
   */
  begin(project: string, undo: () => void): UnfinishedChange {
    const inflight: InflightChange = { number: ++this.#changes, entries: [{ project }], undo, isLost: false };
    this.#inflight.add(inflight);
    return {
      check: () => {
        if (inflight.isLost) throw this.#failed ? unknownOutcome() : this.#displaced();
      },
      end: () => {
        this.#inflight.delete(inflight);
        return inflight.isLost;
      },
    };
  }

  /**
   * Appends a change set to a log. Resolves once it is durable. Rejects with `unavailable` if it was rolled back, with
   * an unknown outcome if it may exist after a restart, with `Superseded` if the rule has to run again, and with
   * `AnsweredBefore` if the call has an answer. The entry has its place in the log when the function returns.
   */
  submit(next: NextEntry, undo: () => void): Promise<void> {
    const append = next.tail.next(next.id, next.body, next.beside);
    return this.#track([next.tail], [append], undo, this.#log.append(append));
  }

  /** Submits an entry together with an entry of the service's log; either both become durable or neither. */
  submitTogether(next: NextEntry, ofService: NextEntry, undo: () => void): Promise<void> {
    const appends = [next, ofService].map(({ tail, id, body, beside }) => tail.next(id, body, beside));
    return this.#track([next.tail, ofService.tail], appends, undo, this.#log.appendTogether(appends));
  }

  /** `tails`: of the logs of the entries, in their order. */
  #track(
    tails: readonly LogTail[],
    entries: readonly Append<EntryBody>[],
    undo: () => void,
    appended: Promise<Appended>,
  ): Promise<void> {
    const { position } = this.#positions;
    const inflight: InflightChange = { number: ++this.#changes, entries, undo, isLost: false };
    this.#inflight.add(inflight);
    for (const tail of tails) this.#tails.set(tail.project, tail);
    let outcome: Appended | undefined;
    // This happens in the turn of the answer, because outcomes are handled in the order of the log.
    const durable = appended.then((result) => {
      outcome = result;
      if (result.is === 'ok' && !inflight.isLost) {
        this.#inflight.delete(inflight);
        for (const [at, tail] of tails.entries()) tail.confirm(entries[at]!);
        this.confirm(position);
        for (const entry of entries) this.#onDurable(entry);
        return true;
      }
      this.#rollBack(result, inflight);
      return false;
    });
    inflight.durable = durable;
    for (const { project } of entries) this.#latest.set(project, durable);
    const changesService = entries[0]!.body.service !== undefined || entries.length > 1;
    const ofService = changesService ? this.#afterServiceChanges(durable) : undefined;
    if (ofService !== undefined) this.#latestOfService = ofService;
    return durable.then((ok) => {
      for (const { project } of entries)
        if (this.#latest.get(project) === durable) {
          const earlier = ok ? undefined : this.#inProgress(project);
          if (earlier === undefined) this.#latest.delete(project);
          else this.#latest.set(project, earlier);
        }
      if (this.#latestOfService === ofService) this.#latestOfService = undefined;
      if (!ok) throw this.#errorOf(outcome!);
    });
  }

  /** The last append to a log in progress: an append may be refused before the earlier ones are decided. */
  #inProgress(log: string): Promise<boolean> | undefined {
    let last: InflightChange | undefined;
    for (const one of this.#inflight)
      if (one.durable !== undefined && one.entries.some(({ project }) => project === log))
        if (last === undefined || last.number < one.number) last = one;
    return last?.durable;
  }

  /** The journal is written in order: a later entry is durable after the earlier ones, and fails if they fail. */
  #afterServiceChanges(durable: Promise<boolean>): Promise<boolean> {
    const earlier = this.#log.traits.shared ? this.#latestOfService : undefined;
    return earlier === undefined ? durable : both(earlier, durable);
  }

  /**
   * Resolves to whether the state that a reader of this project sees became durable; undefined if it is durable now. Of
   * the service's records this includes changes in entries of this project or of the service itself: changes in another
   * project's entry concern that project.
   */
  whenDurable(project: string): Promise<boolean> | undefined {
    return eachOf(this.#latest.get(project), this.#latest.get(serviceProject));
  }

  /** Resolves when all of the service's own records are durable. */
  whenServiceDurable(): Promise<boolean> | undefined {
    return eachOf(this.#latestOfService, this.#latest.get(serviceProject));
  }

  /** Returns whether no change of this service record is being appended. */
  isServiceRecordDurable(collection: string, id: string): boolean {
    for (const { entries } of this.#inflight)
      for (const { body } of entries)
        if (body?.service?.some((change) => change.c === collection && change.id === id) === true) return false;
    return true;
  }

  /**
   * Resolves, for a response without changes, such as an error, once the state that it depends on is durable. Throws
   * `unavailable` if that state was rolled back, since the response might then differ, or `Superseded`.
   */
  async awaitDurable(on: Promise<boolean> | undefined): Promise<void> {
    if (!(await this.becomesDurable(on))) throw this.#displaced();
  }

  /** Waits in the same way, but resolves to false if the state was taken back. */
  async becomesDurable(on: Promise<boolean> | undefined): Promise<boolean> {
    if (on === undefined || (await on)) return true;
    this.throwIfFailed();
    return false;
  }

  /** Resolves when the whole store is durable. */
  async whenAllDurable(): Promise<boolean> {
    const results = await Promise.all(this.#latest.values());
    return results.every(Boolean);
  }

  /** Resolves when no append to this log is in progress. */
  async whenDecided(log: string): Promise<void> {
    for (let latest = this.#latest.get(log); latest !== undefined; latest = this.#latest.get(log)) await latest;
  }

  /** A log of its own that refuses an entry accepts nothing any more; another outcome concerns the entries of the same logs. */
  #rollBack(outcome: Appended, failed: InflightChange): void {
    if (outcome.is === 'refused') this.#failed ||= !this.#log.traits.shared;
    if (failed.isLost) return;
    const affected = this.#failed ? this.#inflight : this.#buildingOn(failed);
    const lost = [...affected].sort((a, b) => b.number - a.number);
    for (const one of lost) {
      this.#inflight.delete(one);
      one.isLost = true;
      one.undo();
      for (const { project, after } of one.entries) if (after !== undefined) this.#tails.get(project)?.takeBack(after);
    }
  }

  /** A change in progress, the later changes in its logs, and the changes after those. */
  #buildingOn(failed: InflightChange): ReadonlySet<InflightChange> {
    const logs = new Set(failed.entries.map(({ project }) => project));
    const found = new Set([failed]);
    for (const one of [...this.#inflight].sort((a, b) => a.number - b.number)) {
      if (one.number < failed.number || !one.entries.some(({ project }) => logs.has(project))) continue;
      found.add(one);
      for (const { project } of one.entries) logs.add(project);
    }
    return found;
  }

  #errorOf(outcome: Appended): Error {
    if (outcome.is === 'refused' && this.#log.traits.shared) return refusedByDatabase(outcome);
    // Accepted, although it was taken back with a change before it: its log does not fit the replica any more.
    if (outcome.is === 'refused' || outcome.is === 'ok') return unknownOutcome();
    if (outcome.is === 'repeat') return new AnsweredBefore();
    if (outcome.is === 'missing') return missing(outcome.blobs);
    return this.#displaced();
  }

  /** Another entry is in the place of this entry, or of an earlier one. Over a shared log, the rule runs again. */
  #displaced(): Error {
    return this.#log.traits.shared ? new Superseded() : notContinued();
  }
}

async function both(a: Promise<boolean>, b: Promise<boolean>): Promise<boolean> {
  const results = await Promise.all([a, b]);
  return results.every(Boolean);
}

function eachOf(a: Promise<boolean> | undefined, b: Promise<boolean> | undefined): Promise<boolean> | undefined {
  if (a === undefined || a === b) return b;
  return b === undefined ? a : both(a, b);
}

/** The name of the log with the entries that belong to no project. */
export const serviceProject = '$service';

function missing(blobs: readonly string[]): PlannerError {
  return invalid('content', `The bytes ${blobs.join(', ')} are not stored: send the content with the request.`);
}

function notContinued(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The journal has another entry of this project in the place of this change: nothing was changed. Send the request again; if this lasts, restart the service. Reads continue, and so do changes of other projects.',
  );
}

/** The error of a log that other nodes use as well: the node continues as soon as the database does. */
function refusedByDatabase({ why, isUndecided }: Extract<Appended, { readonly is: 'refused' }>): PlannerError {
  if (!isUndecided)
    return new PlannerError('unavailable', `The database accepts no change: ${why.message} Nothing was changed.`, {
      retry_after: 5,
    });
  return new PlannerError(
    'unavailable',
    'The database did not answer whether it has the change. Retry it with the same idempotency key.',
    { outcome: 'unknown', retry_after: 5 },
  );
}

function unknownOutcome(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The journal could not be written; the change may or may not exist after a restart of the service. Retry it then with the same idempotency key.',
    { outcome: 'unknown' },
  );
}
