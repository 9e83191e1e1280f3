import { basename, dirname, sep } from 'node:path';
import { FSWatcher, type MatchFunction } from 'chokidar';
import type { Clock } from '../../../clock.ts';
import { inSlices, type Steps } from '../../../slices.ts';
import type { Disk } from '../disk/disk.ts';
import { EventBursts } from './event-bursts.ts';

/** Debounce: events that arrive within this time of each other are reported together. */
const debounceMs = 20;
/** The maximum debounce, however many events still arrive. */
const debounceMsMax = 150;
/**
 * chokidar may keep counting on the watch of a directory that is removed this soon after it was created, because it
 * releases a directory only after reading it: if the directory is created again, it has no watch and emits no events.
 */
const recreatedSoonMs = 5000;
/** Delay before the watch is recreated, and the minimum interval between two recreations. */
const rewatchDelayMs = 250;
const rewatchIntervalMs = 30_000;
/** While git holds its lock, reporting waits, so that a checkout arrives as one change; at most this long. */
const gitWaitMs = 10_000;

export interface WatcherDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  /** Absolute path of `projects/`. */
  readonly directory: string;
  /** Called with paths below `projects/` that may have changed. */
  readonly onChanges: (paths: ReadonlySet<string>) => void;
  /** Whether the service is writing a file at this path below `projects/` now. */
  readonly isBeingWritten: (path: string) => boolean;
  /**
   * Counts an event for such a path; the writer compares the count with its own events. Returns false for any other
   * path.
   */
  readonly countEvent: (path: string) => boolean;
  /** Whether a directory at this path below `projects/`, or a directory in it, may contain records. */
  readonly mayHold: (path: string) => boolean;
  /** Returns true while a git command is changing the tree. */
  readonly isGitRunning: () => boolean;
  /** Called when a part of the watch may be lost: the caller calls `rewatch` and then rescans everything. */
  readonly onWatchLost: () => void;
  /** Called when events were probably lost: the caller rescans everything soon. */
  readonly onOverflow: () => void;
  /** Called when the watch fails: only the periodic rescan finds edits then. */
  readonly onWatchFailed: (error: Error) => void;
}

/**
 * After emitting `raw`, chokidar calls `isUnwatched(path)` and then reconciles the directory, which is expensive: it
 * tracks what it finds and derives events from it. For files the raw event is sufficient.
 */
class DirectoryWatcher extends FSWatcher {
  readonly #isFile: (path: string) => boolean;

  constructor(options: ConstructorParameters<typeof FSWatcher>[0], isFile: (path: string) => boolean) {
    super(options);
    this.#isFile = isFile;
  }

  override isUnwatched(path: string): boolean {
    return this.#isFile(path) || super.isUnwatched(path);
  }
}

/** A checkout of thousands of files emits several events for each: the handler makes no system call for any of them. */
const recordName = /\.(?:md|json|html|jsonl)$/;

/** Watches a root's project directories. It reports hints: the paths to rescan, not what happened to them. */
export class Watcher {
  readonly #deps: WatcherDeps;
  readonly #bursts: EventBursts;
  /** Existing directories whose names end as record files do. */
  readonly #directoriesNamedLikeRecords = new Set<string>();
  /** When each directory was created, by the monotonic clock. */
  readonly #createdAt = new Map<string, number>();
  /** Directories that were removed soon after they were created. */
  readonly #removedSoon = new Set<string>();
  /**
   * Directories that have emitted an event for one of their files: their watch works, so no event of theirs is missed.
   */
  readonly #receivedEventsFrom = new Set<string>();
  #watcher: FSWatcher | undefined;
  #rewatchTimer: NodeJS.Timeout | undefined;
  #rewatchedAt = -Infinity;
  #stopped = false;
  #ready = false;
  #paths = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #firstEventAt = 0;

  constructor(deps: WatcherDeps) {
    this.#deps = deps;
    this.#bursts = new EventBursts(deps.disk, deps.onOverflow);
  }

  /** Whether an event for this path, or for a directory above it, is not processed yet. */
  hasPendingEvent(path: string): boolean {
    for (let at = path; at !== '.'; at = dirname(at)) if (this.#paths.has(at)) return true;
    return false;
  }

  /**
   * Returns and removes the pending paths below a project's directory; the caller rescans them now. Empty while git is
   * changing the tree.
   */
  takePending(directory: string): string[] {
    if (this.#paths.size === 0 || this.#deps.isGitRunning()) return [];
    const taken = [...this.#paths].filter((path) => path.startsWith(`${directory}${sep}`));
    for (const path of taken) this.#paths.delete(path);
    return taken.map((path) => path.slice(directory.length + 1));
  }

  /** Resolves when the watcher is ready. */
  start(): Promise<void> {
    const { directory } = this.#deps;
    const watcher = new DirectoryWatcher(
      {
        ignoreInitial: true,
        followSymlinks: false,
        atomic: false,
        ignored: (path, stats) => isIgnored(path, directory) || this.#isUnwatched(path, stats),
      },
      (path) => this.#isNamedLikeRecord(path) || this.#deps.isBeingWritten(path.slice(directory.length + 1)),
    );
    this.#watcher = watcher;
    watcher.on('all', (event, path) => {
      this.#addPath(path);
      if (event === 'addDir') this.#onDirectoryAdded(path);
      if (event === 'unlinkDir') this.#onDirectoryRemoved(path);
    });
    // Handle `raw` before chokidar filters by size and time: a changed file may have its former time.
    watcher.on('raw', (_event, name, details) => {
      this.#bursts.count();
      this.#onRawEvent(name, details);
    });
    watcher.on('error', (error) => this.#deps.onWatchFailed(error as Error));
    watcher.add(directory);
    return new Promise((resolve) =>
      watcher.once('ready', () => {
        this.#ready = true;
        resolve();
      }),
    );
  }

  /** Schedules `onWatchLost`, debounced and rate-limited. */
  scheduleRewatch(): void {
    if (this.#stopped || this.#rewatchTimer !== undefined) return;
    const afterMs = Math.max(rewatchDelayMs, this.#rewatchedAt + rewatchIntervalMs - this.#deps.clock.monotonic());
    this.#rewatchTimer = setTimeout(() => {
      this.#rewatchTimer = undefined;
      this.#deps.onWatchLost();
    }, afterMs).unref();
  }

  /**
   * Recreates the watcher. Resolves when it is ready; changes made in between are not reported, so rescan afterwards.
   */
  async rewatch(): Promise<void> {
    if (this.#stopped || !this.#ready) return;
    this.#rewatchedAt = this.#deps.clock.monotonic();
    this.#ready = false;
    this.#createdAt.clear();
    this.#removedSoon.clear();
    this.#receivedEventsFrom.clear();
    // Close first: chokidar shares one watch per path between watchers.
    await this.#watcher?.close();
    if (!this.#stopped) await this.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#rewatchTimer);
    this.#paths.clear();
    await this.#watcher?.close();
  }

  /** Paths that cannot contain records are not watched; if the name alone decides, the disk is not accessed. */
  #isUnwatched(path: string, stats: Parameters<MatchFunction>[1]): boolean {
    const { directory, mayHold } = this.#deps;
    const outside = path !== directory && !mayHold(path.slice(directory.length + 1));
    return (stats === undefined && outside) || this.#isFile(path, stats) || outside;
  }

  /**
   * chokidar is to know only directories: it emits raw events for their files anyway. For a known file it would look
   * for the reason of each event, and read the whole directory after the removal of a file that it does not know yet.
   * If called without `stats`, the name has to decide; a name without an extension counts as a directory's.
   */
  #isFile(path: string, stats: Parameters<MatchFunction>[1]): boolean {
    if (stats !== undefined) {
      if (stats.isDirectory()) {
        if (recordName.test(path)) this.#directoriesNamedLikeRecords.add(path);
        return false;
      }
      // Found in a new directory: the file may have been created before the directory was watched.
      if (this.#ready) this.#addPath(path);
      return true;
    }
    if (!basename(path).includes('.')) return false;
    const kind = this.#deps.disk.stat(path)?.kind;
    if (kind === undefined) return !this.#directoriesNamedLikeRecords.delete(path);
    if (kind === 'directory') this.#directoriesNamedLikeRecords.add(path);
    return kind !== 'directory';
  }

  /** Whether the name is that of a record file. A directory with such a name is found when the path is rescanned. */
  #isNamedLikeRecord(path: string): boolean {
    return recordName.test(path) && !this.#directoriesNamedLikeRecords.has(path);
  }

  #onDirectoryAdded(path: string): void {
    if (!this.#ready) return;
    if (this.#removedSoon.delete(path)) this.scheduleRewatch();
    this.#createdAt.set(path, this.#deps.clock.monotonic());
  }

  #onDirectoryRemoved(path: string): void {
    this.#receivedEventsFrom.delete(path);
    const came = this.#createdAt.get(path);
    this.#createdAt.delete(path);
    if (came !== undefined && this.#deps.clock.monotonic() - came < recreatedSoonMs) this.#removedSoon.add(path);
  }

  #onRawEvent(name: unknown, details: unknown): void {
    const { watchedPath } = (details ?? {}) as { readonly watchedPath?: unknown };
    if (typeof name !== 'string' || typeof watchedPath !== 'string') return;
    const { directory } = this.#deps;
    const path = `${watchedPath}${sep}${name}`;
    if (!path.startsWith(`${directory}${sep}`)) return;
    // After the first event of a directory it is unknown whether an own event was lost before it, so do not count this
    // one.
    if (this.#receivedEventsFrom.has(watchedPath) && this.#deps.countEvent(path.slice(directory.length + 1))) return;
    this.#receivedEventsFrom.add(watchedPath);
    if (!isIgnored(path, directory)) this.#addPath(path);
  }

  #addPath(path: string): void {
    const relative = path.slice(this.#deps.directory.length + 1);
    if (relative === '') return;
    if (this.#paths.size === 0) this.#firstEventAt = this.#deps.clock.monotonic();
    this.#paths.add(relative);
    this.#schedule();
  }

  #schedule(): void {
    const waited = this.#deps.clock.monotonic() - this.#firstEventAt;
    if (waited >= debounceMsMax && this.#timer !== undefined) return;
    clearTimeout(this.#timer);
    // Events that are already queued come first: for example the new name of a file that was moved.
    this.#timer = setTimeout(() => setImmediate(() => this.#flush()), debounceMs);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#paths.size === 0) return;
    if (this.#deps.isGitRunning() && this.#deps.clock.monotonic() - this.#firstEventAt < gitWaitMs) {
      this.#timer = setTimeout(() => this.#flush(), debounceMs);
      return;
    }
    const paths = this.#paths;
    this.#paths = new Set();
    this.#deps.onChanges(paths);
    // What a failing disk does not return is found by the periodic rescan.
    void inSlices('rescan', this.#findDirectories(paths)).catch(() => undefined);
  }

  /** Watches directories that were created with the name of a record file. */
  *#findDirectories(paths: ReadonlySet<string>): Steps<void> {
    for (const relative of paths) {
      const path = `${this.#deps.directory}${sep}${relative}`;
      if (!this.#isNamedLikeRecord(path) || this.#deps.isBeingWritten(relative)) continue;
      if (this.#deps.disk.stat(path)?.kind === 'directory') this.scheduleRewatch();
      yield;
    }
  }
}

/** Names beginning with a dot are not records, except for a folder's own file. */
function isIgnored(path: string, directory: string): boolean {
  return path !== directory && /(?:^|\/)\.(?!folder\.json$)[^/]*$/.test(path.slice(directory.length));
}
