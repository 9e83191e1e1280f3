import { isoTime, type Clock } from '../../../clock.ts';
import { errorCode } from '../disk/disk.ts';
import type { Problem } from '../../record/read-transaction.ts';

/** The interval of rescans while the watch is lost, or after events were lost. */
const fastIntervalMs = 2000;
/** How long the fast interval lasts after the last missed edit. */
const fastForMs = 60_000;
/** The delay after a burst of events that may have overflowed the kernel's queue. */
const soonMs = 250;
/**
 * The pause after a rescan is at least this many times its duration, so that rescans take at most a tenth of the time,
 * however many files there are.
 */
const pauseFactor = 9;

export interface PeriodicRescanDeps {
  readonly clock: Clock;
  /** The interval of rescans while events arrive; 0 disables them. */
  readonly rescanIntervalMs: number;
  /** Rescans all files; returns the number of edits found that events should have reported before. */
  readonly rescan: () => Promise<number>;
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
 * problem.
 */
export class PeriodicRescan {
  readonly #deps: PeriodicRescanDeps;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #failed = false;
  /** By the monotonic clock. */
  #fastUntil = -Infinity;
  /** Whether the next rescan is scheduled soon, whatever the interval. */
  #soon = false;
  #tookMs = 0;

  constructor(deps: PeriodicRescanDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#next(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** Called when the file-system watch fails, wholly or in part. */
  onWatchFailed(error: Error): void {
    if (this.#failed || this.#stopped) return;
    this.#failed = true;
    const reason = `Not every external edit is reported by the system (${error.message}); all files are rescanned every ${fastIntervalMs / 1000} s instead.`;
    const remedy = remedies[errorCode(error) ?? ''] ?? 'Restart the service once the system works again.';
    this.#deps.log(`${reason} ${remedy}`);
    this.#deps.problems.set('$watch', { path: '.planner/projects', kind: 'not_watched', reason, remedy });
    this.#next(0);
  }

  /** Schedules a rescan soon; further calls before it have no effect. */
  soon(): void {
    if (this.#soon) return;
    this.#soon = true;
    this.#next(this.#tookMs);
  }

  get #intervalMs(): number {
    const { rescanIntervalMs, clock } = this.#deps;
    const quick = this.#failed || clock.monotonic() < this.#fastUntil;
    return quick && (rescanIntervalMs === 0 || rescanIntervalMs > fastIntervalMs) ? fastIntervalMs : rescanIntervalMs;
  }

  #next(tookMs: number): void {
    this.#tookMs = tookMs;
    clearTimeout(this.#timer);
    const intervalMs = this.#soon ? soonMs : this.#intervalMs;
    if (this.#stopped || intervalMs === 0) return;
    this.#timer = setTimeout(() => void this.#run(), Math.max(intervalMs, pauseFactor * tookMs)).unref();
  }

  async #run(): Promise<void> {
    const { clock, rescan, log } = this.#deps;
    const began = clock.monotonic();
    this.#soon = false;
    let missed = 0;
    try {
      missed = await rescan();
    } catch (error) {
      log(`Files could not be rescanned: ${(error as Error).message}`);
    }
    if (missed > 0 && !this.#failed) this.#onMissed(missed);
    else if (clock.monotonic() >= this.#fastUntil) this.#deps.problems.delete('$missed');
    this.#next(clock.monotonic() - began);
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
