import { isoTime, type Clock, type Timer } from '../../../base/clock.ts';
import { errorCode } from '../disk/disk.ts';
import type { Problem } from '../../record/read-transaction.ts';

/** The interval of rescans if no events are expected. */
export const pollIntervalMs = 1000;
/** The interval of rescans while the watch is lost, or after events were lost. */
const fastIntervalMs = 2000;
/** How long the fast interval lasts after the last missed edit. */
const fastForMs = 60_000;
/** The delay after a burst of events that may have overflowed the kernel's queue. */
const soonMs = 250;
/**
 * The pause after a rescan is at least this many times as long as it took to compare the files, so that this takes at
 * most a tenth of the time, however many files there are.
 */
const pauseFactor = 9;

/** The result of a rescan of all files. */
export interface PeriodicResult {
  /** The number of edits found that events should have reported before. */
  readonly missed: number;
  /** How long it took to compare all files, without reading and applying the changed ones. */
  readonly comparingMs: number;
}

export interface PeriodicRescanDeps {
  readonly clock: Clock;
  /** The interval of rescans while events arrive; 0 disables them. */
  readonly rescanIntervalMs: number;
  /** Rescans all files; undefined if this is not the time for it. */
  readonly rescan: () => Promise<PeriodicResult | undefined>;
  readonly problems: Map<string, Problem>;
  readonly log: (message: string) => void;
}

/** Remedies by the error code of a failed watch. */
const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'Raise fs.inotify.max_user_watches (sysctl) and restart the service.',
  EMFILE:
    'Raise fs.inotify.max_user_instances (sysctl) or the limit of open files (ulimit -n), and restart the service.',
};

/**
 * Rescans all files periodically: at a long interval while events arrive, since the kernel loses some silently (its
 * queue overflows); at a short one if the watch failed or events were lost recently. Logs that and lists it as a
 * problem. At a shorter one if the files are polled instead of watched.
 */
export class PeriodicRescan {
  readonly #deps: PeriodicRescanDeps;
  #polling = false;
  #timer: Timer | undefined;
  #stopped = false;
  #failed = false;
  /** The end of the fast interval by the monotonic clock; undefined unless events were lost. */
  #fastUntil: number | undefined;
  /** True if the next rescan is scheduled soon, whatever the interval. */
  #soon = false;
  #lastMs: number | undefined;
  /** The shorter one of the last two durations: the process may have been suspended during one. */
  #tookMs = 0;

  constructor(deps: PeriodicRescanDeps) {
    this.#deps = deps;
  }

  /** `polling`: no events are expected, so that rescans have to find every edit. */
  start({ polling }: { readonly polling: boolean }): void {
    this.#polling = polling;
    this.#next();
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** True if rescans find the changes that events would have reported. */
  get replacesEvents(): boolean {
    return this.#polling || this.#failed;
  }

  /** Called when the file-system watch fails, wholly or in part. */
  onWatchFailed(error: Error): void {
    if (this.#failed || this.#stopped) return;
    this.#failed = true;
    const reason = `Not every external edit is reported by the system (${error.message}); all files are rescanned every ${fastIntervalMs / 1000} s instead.`;
    const remedy = remedies[errorCode(error) ?? ''] ?? 'Restart the service once the system works again.';
    this.#deps.log(`${reason} ${remedy}`);
    this.#deps.problems.set('$watch', { path: '.planner/projects', kind: 'not_watched', reason, remedy });
    this.#next();
  }

  /** Schedules a rescan soon; further calls before it have no effect. */
  soon(): void {
    if (this.#soon) return;
    this.#soon = true;
    this.#next();
  }

  get #intervalMs(): number {
    const { rescanIntervalMs, clock } = this.#deps;
    if (this.#polling) return pollIntervalMs;
    const quick = this.#failed || clock.monotonic() < (this.#fastUntil ?? 0);
    return quick && (rescanIntervalMs === 0 || rescanIntervalMs > fastIntervalMs) ? fastIntervalMs : rescanIntervalMs;
  }

  #next(): void {
    this.#timer?.cancel();
    const intervalMs = this.#soon ? soonMs : this.#intervalMs;
    if (this.#stopped || intervalMs === 0) return;
    const afterMs = Math.max(intervalMs, pauseFactor * this.#tookMs);
    this.#timer = this.#deps.clock.after(afterMs, () => void this.#run()).unref();
  }

  async #run(): Promise<void> {
    const { clock, rescan, log } = this.#deps;
    this.#soon = false;
    let missed = 0;
    try {
      const rescanned = await rescan();
      missed = rescanned?.missed ?? 0;
      if (rescanned !== undefined) this.#measure(rescanned.comparingMs);
    } catch (error) {
      log(`Files could not be rescanned: ${(error as Error).message}`);
    }
    if (missed > 0 && !this.replacesEvents) this.#onMissed(missed);
    else if (clock.monotonic() >= (this.#fastUntil ?? 0)) this.#deps.problems.delete('$missed');
    this.#next();
  }

  #measure(comparingMs: number): void {
    this.#tookMs = this.#lastMs === undefined ? comparingMs : Math.min(comparingMs, this.#lastMs);
    this.#lastMs = comparingMs;
  }

  #onMissed(count: number): void {
    const { clock, log, problems } = this.#deps;
    this.#fastUntil = clock.monotonic() + fastForMs;
    const edits = count === 1 ? 'an edit' : `${count} edits`;
    const reason = `The system did not report ${edits} in time; a rescan found them (${isoTime(clock.now())}). All files are rescanned every ${fastIntervalMs / 1000} s until nothing is missed for ${fastForMs / 1000} s.`;
    const remedy = 'If this happens often, raise fs.inotify.max_queued_events (sysctl).';
    log(`${reason} ${remedy}`);
    problems.set('$missed', { path: '.planner/projects', kind: 'missed_edits', reason, remedy });
  }
}
