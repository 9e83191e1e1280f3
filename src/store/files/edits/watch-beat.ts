import { isoTime, type Clock } from '../../../clock.ts';
import { errorCode } from '../disk/disk.ts';
import type { Problem } from '../../record/view.ts';

/** How often everything is looked at while the system does not tell of edits, or lost some. */
const quickMs = 2000;
/** For so long after the last edit that was missed. */
const quickForMs = 60_000;
/** After a burst of events that may have overflowed the kernel's queue. */
const soonMs = 250;
/** Looking takes at most this part of the time, however many files there are. */
const restFactor = 9;

export interface WatchBeatParts {
  readonly clock: Clock;
  /** How often all files are looked at while notification works; 0 for never. */
  readonly beatMs: number;
  /** Looks at all files; answers how many edits it found that the system should have told of before. */
  readonly look: () => Promise<number>;
  readonly problems: Map<string, Problem>;
  readonly log: (message: string) => void;
}

/** What an operator can do about each reason why the system does not tell of edits. */
const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'Raise fs.inotify.max_user_watches (sysctl) and restart the service.',
  EMFILE:
    'Raise fs.inotify.max_user_instances (sysctl) or the limit of open files (ulimit -n), and restart the service.',
};

/**
 * The look at all files on a beat: slow while the system tells of edits, since it loses some without a word (the kernel's queue overflows);
 * quick where it does not tell, or has just lost some. Says so in the log and as a listed problem.
 */
export class WatchBeat {
  readonly #parts: WatchBeatParts;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #failed = false;
  /** By the monotonic clock. */
  #quickUntil = -Infinity;
  /** Whether the next look comes soon, whatever the interval is. */
  #soon = false;
  #tookMs = 0;

  constructor(parts: WatchBeatParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#next(0);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  /** The system does not tell of edits any more, or not of all. */
  failed(error: Error): void {
    if (this.#failed || this.#stopped) return;
    this.#failed = true;
    const reason = `The system does not tell of every edit (${error.message}); all files are looked at every ${quickMs / 1000} s instead.`;
    const remedy = remedies[errorCode(error) ?? ''] ?? 'Restart the service once the system is well.';
    this.#parts.log(`${reason} ${remedy}`);
    this.#parts.problems.set('$watch', { path: '.planner/projects', kind: 'not_watched', reason, remedy });
    this.#next(0);
  }

  /** Looks at all files soon, once for all calls until then. */
  soon(): void {
    if (this.#soon || this.#stopped) return;
    this.#soon = true;
    this.#schedule(Math.max(soonMs, restFactor * this.#tookMs));
  }

  get #intervalMs(): number {
    const { beatMs, clock } = this.#parts;
    const quick = this.#failed || clock.monotonic() < this.#quickUntil;
    return quick && (beatMs === 0 || beatMs > quickMs) ? quickMs : beatMs;
  }

  #next(tookMs: number): void {
    this.#tookMs = tookMs;
    const intervalMs = this.#intervalMs;
    if (this.#soon) this.#schedule(Math.max(soonMs, restFactor * tookMs));
    else if (intervalMs === 0) clearTimeout(this.#timer);
    else this.#schedule(Math.max(intervalMs, restFactor * tookMs));
  }

  #schedule(afterMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#look(), afterMs).unref();
  }

  async #look(): Promise<void> {
    const { clock, look, log } = this.#parts;
    const began = clock.monotonic();
    this.#soon = false;
    let missed = 0;
    try {
      missed = await look();
    } catch (error) {
      log(`Files could not be looked at: ${(error as Error).message}`);
    }
    if (missed > 0 && !this.#failed) this.#missed(missed);
    else if (clock.monotonic() >= this.#quickUntil) this.#parts.problems.delete('$missed');
    this.#next(clock.monotonic() - began);
  }

  #missed(count: number): void {
    const { clock, log, problems } = this.#parts;
    this.#quickUntil = clock.monotonic() + quickForMs;
    const edits = count === 1 ? 'an edit' : `${count} edits`;
    const reason = `The system did not tell of ${edits} in time; looking at all files found what was missed (${isoTime(clock.now())}). They are looked at every ${quickMs / 1000} s until nothing was missed for ${quickForMs / 1000} s.`;
    const remedy = 'Where that happens often, raise fs.inotify.max_queued_events (sysctl).';
    log(`${reason} ${remedy}`);
    problems.set('$missed', { path: '.planner/projects', kind: 'missed_edits', reason, remedy });
  }
}
