import { dirname } from 'node:path';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { WatchEvents, WatchListener, WatchPort } from './watch-port.ts';

/** Debounce: events that arrive within this time of each other are reported together. */
const debounceMs = 20;
/** The maximum debounce, however many events still arrive. */
const debounceMsMax = 150;
/** Delay before the watch is recreated. */
const rewatchDelayMs = 250;
/** The pause after recreating the watch and rescanning is this many times their duration: they take at most a tenth of the time. */
const rewatchPauseFactor = 9;
const rewatchPauseMsMax = 30_000;
/** While git holds its lock, reporting waits, so that a checkout arrives as one change; at most this long. */
const gitWaitMs = 10_000;

export interface WatcherDeps {
  readonly clock: Clock;
  /** Opens the watch when the watcher is started. */
  readonly open: (listener: WatchListener) => Promise<WatchPort>;
  /**
   * Called with paths below `projects/` that may have changed. `duringGit`: a git command has run for so long that they
   * are read although it may be changing them.
   */
  readonly onChanges: (paths: ReadonlySet<string>, duringGit: boolean) => void;
  /**
   * Counts events for a path that the service is writing now; the writer compares the count with its own events.
   * Returns false for any other path.
   */
  readonly countEvents: (path: string, events: number) => boolean;
  /** Returns true while a git command is changing the tree. */
  readonly isGitRunning: () => boolean;
  /** Called when a part of the watch may be lost: the caller calls `rewatch` and then rescans everything, until it resolves. */
  readonly onWatchLost: () => Promise<void>;
  /** Called when events were probably lost: the caller rescans everything soon. */
  readonly onOverflow: () => void;
  /** Called when the watch fails: only the periodic rescan finds edits then. */
  readonly onWatchFailed: (error: Error) => void;
}

/** Collects the events of a watch: simultaneous changes are rescanned together, and own writes not at all. */
export class Watcher {
  readonly #deps: WatcherDeps;
  #watch: WatchPort | undefined;
  #rewatchTimer: Timer | undefined;
  /** Not before this time, by the monotonic clock, is the watch recreated again. */
  #rewatchAfter: number | undefined;
  #rewatching = false;
  /** Another part was lost while the watch was being recreated. */
  #lostMeanwhile = false;
  #stopped = false;
  #ready = false;
  #paths = new Set<string>();
  #timer: Timer | undefined;
  #firstEventAt = 0;
  #waitsForGit = false;

  constructor(deps: WatcherDeps) {
    this.#deps = deps;
  }

  /** Returns whether an event for this path, or for a directory above it, is not processed yet. */
  hasPendingEvent(path: string): boolean {
    for (let at = path; at !== '.'; at = dirname(at)) if (this.#paths.has(at)) return true;
    return false;
  }

  /**
   * Returns and removes the pending paths below a project's directory, with those of events that the system has queued;
   * the caller rescans them now. Empty while git is changing the tree.
   */
  async takePending(directory: string): Promise<string[]> {
    await this.settle();
    if (this.#paths.size === 0 || this.#deps.isGitRunning()) return [];
    const taken = [...this.#paths].filter((path) => path.startsWith(`${directory}/`));
    for (const path of taken) this.#paths.delete(path);
    return taken.map((path) => path.slice(directory.length + 1));
  }

  /** Resolves when the events that the system has queued have arrived. */
  async settle(): Promise<void> {
    await this.#watch?.settle();
  }

  /** Resolves when the watch is ready. */
  async start(): Promise<void> {
    const { open, onOverflow, onWatchFailed } = this.#deps;
    const watch = await open({
      onEvents: (events) => this.#onEvents(events),
      onOverflow,
      onWatchLost: () => this.scheduleRewatch(),
      onWatchFailed,
    });
    if (this.#stopped) return watch.close();
    this.#watch = watch;
    await watch.start();
    this.#ready = true;
  }

  /** Schedules `onWatchLost`, debounced and rate-limited. */
  scheduleRewatch(): void {
    if (this.#stopped || this.#rewatchTimer !== undefined) return;
    if (this.#rewatching) {
      this.#lostMeanwhile = true;
      return;
    }
    const { clock } = this.#deps;
    const now = clock.monotonic();
    const afterMs = Math.max(rewatchDelayMs, (this.#rewatchAfter ?? now) - now);
    this.#rewatchTimer = clock
      .after(afterMs, () => {
        this.#rewatchTimer = undefined;
        void this.#onWatchLost();
      })
      .unref();
  }

  async #onWatchLost(): Promise<void> {
    const { clock, onWatchLost } = this.#deps;
    const began = clock.monotonic();
    this.#rewatching = true;
    await onWatchLost();
    this.#rewatching = false;
    const ended = clock.monotonic();
    this.#rewatchAfter = ended + Math.min(rewatchPauseMsMax, (ended - began) * rewatchPauseFactor);
    if (!this.#lostMeanwhile) return;
    this.#lostMeanwhile = false;
    this.scheduleRewatch();
  }

  /** Recreates the watch. Resolves when it is ready; changes during it are not reported, so rescan afterwards. */
  async rewatch(): Promise<void> {
    if (this.#stopped || !this.#ready) return;
    this.#ready = false;
    await this.#watch?.restart();
    this.#ready = true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#rewatchTimer?.cancel();
    this.#paths.clear();
    await this.#watch?.close();
  }

  #onEvents({ counted, changed }: WatchEvents): void {
    if (this.#stopped) return;
    const before = this.#paths.size;
    for (const [path, events] of counted) if (!this.#deps.countEvents(path, events)) this.#paths.add(path);
    for (const path of changed) this.#paths.add(path);
    if (this.#paths.size === 0) return;
    if (before === 0) this.#firstEventAt = this.#deps.clock.monotonic();
    this.#schedule();
  }

  #schedule(): void {
    const { clock } = this.#deps;
    const waited = clock.monotonic() - this.#firstEventAt;
    if (waited >= debounceMsMax && this.#timer !== undefined) return;
    this.#timer?.cancel();
    // Events that are already queued come first: for example the new name of a file that was moved.
    this.#timer = clock.after(debounceMs, () => setImmediate(() => this.#flush()));
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#paths.size === 0) return;
    const duringGit = this.#deps.isGitRunning();
    if (duringGit && this.#deps.clock.monotonic() - this.#firstEventAt < gitWaitMs) {
      this.#waitsForGit = true;
      this.#timer = this.#deps.clock.after(debounceMs, () => this.#flush());
    } else if (this.#waitsForGit) {
      this.#waitsForGit = false;
      // The events for the command's last files may not have arrived.
      void this.settle().then(() => this.#report(duringGit));
    } else {
      this.#report(duringGit);
    }
  }

  #report(duringGit: boolean): void {
    if (this.#stopped || this.#paths.size === 0) return;
    const paths = this.#paths;
    this.#paths = new Set();
    this.#deps.onChanges(paths, duringGit);
  }
}
