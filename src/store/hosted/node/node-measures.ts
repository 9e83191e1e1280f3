import type { Clock } from '../../../base/clock.ts';
import { Durations } from '../../../base/durations.ts';
import type { Append, Appended, Head, LogTraits } from '../../record/log.ts';
import type { LogClock } from '../storage/log-clock.ts';
import type { Changes, SharedLog } from '../storage/shared-log.ts';
import { UnsafeLogError } from '../storage/unsafe-log-error.ts';

/** The counts of a node since its start. */
export class NodeMeasures {
  /** From the call to its outcome, by outcome: `ok`, `conflict`, `repeat`, `missing`, `refused`, `unsafe` or `unknown`. */
  readonly appends = new Map<string, Durations>();
  /** The times from the call to the answer, for reads and changes that ask for the entries of others. */
  readonly catchUps = new Durations();
  readonly coldLoads = new Durations();
  /** Rules that ran again since the entries of others came first. */
  reruns = 0;
  /** The number of logs that did not continue this node's state. */
  forks = 0;

  appended(outcome: Appended, seconds: number): void {
    const name = outcome.is === 'refused' ? refusalOf(outcome) : outcome.is;
    let durations = this.appends.get(name);
    if (durations === undefined) this.appends.set(name, (durations = new Durations()));
    durations.observe(seconds);
  }
}

function refusalOf({ why, isUndecided }: Extract<Appended, { readonly is: 'refused' }>): string {
  if (isUndecided) return 'unknown';
  return why instanceof UnsafeLogError ? 'unsafe' : 'refused';
}

export interface MeasuredLogDeps<B> {
  readonly log: SharedLog<B>;
  readonly measures: NodeMeasures;
  /** The clock of this machine. */
  readonly clock: Clock;
  /** Gets the time of each answer. */
  readonly logClock: Pick<LogClock, 'answered'>;
  readonly report: (message: string) => void;
}

/** Measures the requests to a log, passes on its time, and reports when it accepts nothing. */
export class MeasuredLog<B> implements SharedLog<B> {
  readonly #log: SharedLog<B>;
  readonly #clock: Clock;
  readonly #logClock: Pick<LogClock, 'answered'>;
  readonly #measures: NodeMeasures;
  readonly #report: (message: string) => void;
  /** Why the log accepts nothing, as it last said. */
  #unsafe: Error | undefined;
  #asked = 0;
  /** The last question of which the time was passed on. */
  #timed = 0;

  constructor({ log, clock, logClock, measures, report }: MeasuredLogDeps<B>) {
    this.#log = log;
    this.#clock = clock;
    this.#logClock = logClock;
    this.#measures = measures;
    this.#report = report;
  }

  get isSafe(): boolean {
    return this.#unsafe === undefined;
  }

  get traits(): LogTraits {
    return this.#log.traits;
  }

  append(append: Append<B>): Promise<Appended> {
    return this.#measured(this.#log.append(append));
  }

  appendTogether(appends: readonly Append<B>[]): Promise<Appended> {
    return this.#measured(this.#log.appendTogether(appends));
  }

  catchUp(known: ReadonlyMap<string, Head>): ReturnType<SharedLog<B>['catchUp']> {
    return this.#answered(() => this.#log.catchUp(known));
  }

  changes(mark: string | undefined): Promise<Changes> {
    return this.#answered(() => this.#log.changes(mark));
  }

  async #answered<T extends Pick<Changes, 'now' | 'unsafe'>>(ask: () => Promise<T>): Promise<T> {
    const begun = this.#clock.monotonic();
    const number = ++this.#asked;
    const found = await ask();
    this.#measures.catchUps.observe((this.#clock.monotonic() - begun) / 1000);
    // An answer that a later one overtook has an earlier time.
    if (number > this.#timed) {
      this.#timed = number;
      this.#logClock.answered(found.now);
      this.#note(found.unsafe);
    }
    return found;
  }

  #note(unsafe: Error | undefined): void {
    const before = this.#unsafe?.message;
    this.#unsafe = unsafe;
    if (unsafe?.message === before) return;
    this.#report(
      unsafe === undefined
        ? 'The database is safe again: changes are accepted.'
        : `${unsafe.message} Until then changes are refused.`,
    );
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  /** The outcome is passed on in the same turn. */
  #measured(appended: Promise<Appended>): Promise<Appended> {
    const begun = this.#clock.monotonic();
    return appended.then((outcome) => {
      this.#measures.appended(outcome, (this.#clock.monotonic() - begun) / 1000);
      return outcome;
    });
  }
}
