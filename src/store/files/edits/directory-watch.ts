import { basename, join, sep } from 'node:path';
import { FSWatcher, type MatchFunction } from 'chokidar';
import type { Clock, Timer } from '../../../base/clock.ts';
import { mayHoldRecords } from '../../record/directory-depths.ts';
import type { Disk } from '../disk/disk.ts';
import { EventBursts } from './event-bursts.ts';
import type { WatchListener, WatchPort, WatchThreadOptions } from './watch-port.ts';

/**
 * chokidar may keep using the watch of a directory that is removed this soon after it was found, because it releases a
 * directory only after reading it: if the directory is created again, it has no watch and emits no events.
 */
const recreatedSoonMs = 5000;
/** How long chokidar may take to notice that a directory was removed. */
const removalMsMax = 250;
/** The maximum number of paths in one report. */
const reportedPathsMax = 1000;

export interface DirectoryWatchOptions extends WatchThreadOptions, WatchListener {
  readonly disk: Disk;
  readonly clock: Clock;
}

/**
 * After emitting `raw`, chokidar calls `isUnwatched(path)` and then reconciles the directory, which is expensive: it
 * tracks the files that it finds and derives events from them. For files the raw event is sufficient.
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

/**
 * Watches a root's project directories in the calling thread. It reports hints: which paths changed, not the kind of
 * change.
 */
export class DirectoryWatch implements WatchPort {
  readonly #options: DirectoryWatchOptions;
  readonly #bursts: EventBursts;
  /** Existing directories whose names end as record files do. */
  readonly #directoriesNamedLikeRecords = new Set<string>();
  /** When each directory was created, by the monotonic clock; those that the watch began with are not listed. */
  readonly #createdAt = new Map<string, number>();
  /** Directories that were removed soon after they were created. */
  readonly #removedSoon = new Set<string>();
  /** Directories whose watch has ended, unless chokidar has noticed that they were removed. */
  readonly #ended = new Set<string>();
  #endedTimer: Timer | undefined;
  /**
   * Directories that have emitted an event for one of their files: their watch works, so no event of theirs is missed.
   */
  readonly #receivedEventsFrom = new Set<string>();
  #watcher: FSWatcher | undefined;
  #startedAt = 0;
  #ready = false;
  #closed = false;
  #counted = new Map<string, number>();
  #changed = new Set<string>();
  /** The next report is scheduled, or the listener is still processing the last one. */
  #waiting = false;

  constructor(options: DirectoryWatchOptions) {
    this.#options = options;
    this.#bursts = new EventBursts(options.disk, options.onOverflow);
  }

  start(): Promise<void> {
    const { directory, clock, onWatchFailed } = this.#options;
    this.#startedAt = clock.monotonic();
    const watcher = new DirectoryWatcher(
      {
        ignoreInitial: true,
        followSymlinks: false,
        atomic: false,
        ignored: (path, stats) => isIgnored(path, directory) || this.#isUnwatched(path, stats),
      },
      (path) => this.#isNamedLikeRecord(path),
    );
    this.#watcher = watcher;
    watcher.on('all', (event, path) => {
      this.#addChanged(path);
      if (event === 'addDir') this.#onDirectoryAdded(path);
      if (event === 'unlinkDir') this.#onDirectoryRemoved(path);
    });
    // Handle `raw` before chokidar filters by size and time: a changed file may have its former time.
    watcher.on('raw', (_event, name, details) => {
      this.#bursts.count();
      this.#onRawEvent(name, details);
    });
    watcher.on('error', (error) => onWatchFailed(error as Error));
    watcher.add(directory);
    return new Promise((resolve) =>
      watcher.once('ready', () => {
        this.#ready = true;
        resolve();
      }),
    );
  }

  async restart(): Promise<void> {
    this.#ready = false;
    this.#createdAt.clear();
    this.#removedSoon.clear();
    this.#ended.clear();
    this.#receivedEventsFrom.clear();
    // Close first: chokidar shares one watch per path between watchers.
    await this.#watcher?.close();
    if (!this.#closed) await this.start();
  }

  async settle(): Promise<void> {
    // One pass of the event loop receives the events that the system has queued.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    while (this.#counted.size > 0 || this.#changed.size > 0) this.#report();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endedTimer?.cancel();
    await this.#watcher?.close();
  }

  /** Paths that cannot contain records are not watched; if the name alone decides, the disk is not accessed. */
  #isUnwatched(path: string, stats: Parameters<MatchFunction>[1]): boolean {
    const outside = !this.#mayHold(path);
    return (stats === undefined && outside) || this.#isFile(path, stats) || outside;
  }

  /** Returns whether this may be a project's directory, or a directory in it that may contain records. */
  #mayHold(path: string): boolean {
    const relative = this.#relative(path);
    const inside = relative.indexOf('/');
    return inside === -1 || mayHoldRecords(this.#options.depths, relative.slice(inside + 1));
  }

  #relative(path: string): string {
    const relative = path.slice(this.#options.directory.length + 1);
    return sep === '/' ? relative : relative.replaceAll(sep, '/');
  }

  /**
   * chokidar tracks only directories: it emits raw events for their files anyway. For a tracked file it would stat at
   * each event, and it would read the whole directory after the removal of a file that it does not track yet. If called
   * without `stats`, only the name is known; a name without an extension counts as a directory's.
   */
  #isFile(path: string, stats: Parameters<MatchFunction>[1]): boolean {
    if (stats !== undefined) {
      if (stats.isDirectory()) {
        if (recordName.test(path)) this.#directoriesNamedLikeRecords.add(path);
        return false;
      }
      // Found in a new directory: the file may have been created before the directory was watched.
      if (this.#ready) this.#addChanged(path);
      return true;
    }
    if (!basename(path).includes('.')) return false;
    const kind = this.#options.disk.stat(path)?.kind;
    if (kind === undefined) return !this.#directoriesNamedLikeRecords.delete(path);
    if (kind === 'directory') this.#directoriesNamedLikeRecords.add(path);
    return kind !== 'directory';
  }

  /**
   * Returns whether the name is that of a record file. A directory with such a name is found when its path is reported.
   */
  #isNamedLikeRecord(path: string): boolean {
    return recordName.test(path) && !this.#directoriesNamedLikeRecords.has(path);
  }

  #onDirectoryAdded(path: string): void {
    if (this.#removedSoon.delete(path)) this.#options.onWatchLost();
    this.#createdAt.set(path, this.#options.clock.monotonic());
  }

  #onDirectoryRemoved(path: string): void {
    this.#receivedEventsFrom.delete(path);
    this.#ended.delete(path);
    // chokidar may still be reading a directory that it found at the start, just like a new one.
    const createdAt = this.#createdAt.get(path) ?? this.#startedAt;
    this.#createdAt.delete(path);
    if (this.#options.clock.monotonic() - createdAt < recreatedSoonMs) this.#removedSoon.add(path);
  }

  /**
   * A watch of inotify ends with its directory, with an event of the directory's own name. If the directory is created
   * again within milliseconds, chokidar may see the new one only and keep the watch that has ended.
   */
  #onWatchEnded(path: string): void {
    this.#ended.add(path);
    const { disk, clock, onWatchLost } = this.#options;
    this.#endedTimer ??= clock
      .after(removalMsMax, () => {
        this.#endedTimer = undefined;
        const ended = [...this.#ended];
        this.#ended.clear();
        if (ended.some((one) => isNewDirectory(disk, one))) onWatchLost();
      })
      .unref();
  }

  #onRawEvent(name: unknown, details: unknown): void {
    const { watchedPath } = (details ?? {}) as { readonly watchedPath?: unknown };
    if (typeof name !== 'string' || typeof watchedPath !== 'string') return;
    const { directory } = this.#options;
    const path = `${watchedPath}${sep}${name}`;
    if (!path.startsWith(`${directory}${sep}`)) return;
    if (name === basename(watchedPath)) this.#onWatchEnded(watchedPath);
    const isFirst = !this.#receivedEventsFrom.has(watchedPath);
    this.#receivedEventsFrom.add(watchedPath);
    if (isIgnored(path, directory)) return;
    // After the first event of a directory it is unknown whether an own event was lost before it: it does not count.
    if (isFirst) return this.#addChanged(path);
    const relative = this.#relative(path);
    this.#counted.set(relative, (this.#counted.get(relative) ?? 0) + 1);
    this.#scheduleReport();
  }

  #addChanged(path: string): void {
    const relative = this.#relative(path);
    if (relative === '') return;
    this.#changed.add(relative);
    this.#scheduleReport();
  }

  #scheduleReport(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    setImmediate(() => this.#report());
  }

  #report(): void {
    this.#waiting = false;
    if (this.#counted.size === 0 && this.#changed.size === 0) return;
    const counted = new Map(this.#counted.entries().take(reportedPathsMax));
    const changed = new Set(this.#changed.values().take(reportedPathsMax));
    for (const path of counted.keys()) this.#counted.delete(path);
    for (const path of changed) this.#changed.delete(path);
    this.#waiting = true;
    void Promise.resolve(this.#options.onEvents({ counted, changed })).then(() => this.#report());
    this.#findDirectories(new Set([...counted.keys(), ...changed]));
  }

  /** Directories that were created with the name of a record file have no watch. */
  #findDirectories(paths: ReadonlySet<string>): void {
    for (const relative of paths) {
      const path = join(this.#options.directory, relative);
      if (!this.#isNamedLikeRecord(path)) continue;
      if (kindOf(this.#options.disk, path) === 'directory') this.#options.onWatchLost();
    }
  }
}

/** An event of a directory's own name may also be of a file or directory in it that has the same name. */
function isNewDirectory(disk: Disk, path: string): boolean {
  return kindOf(disk, path) === 'directory' && kindOf(disk, join(path, basename(path))) === undefined;
}

/** Undefined also for a failure of the disk: the periodic rescan finds it. */
function kindOf(disk: Disk, path: string): string | undefined {
  try {
    return disk.stat(path)?.kind;
  } catch {
    return undefined;
  }
}

/** Names beginning with a dot are not records, except for the file of rows of folders. */
function isIgnored(path: string, directory: string): boolean {
  return path !== directory && /(?:^|\/)\.(?!folders\.json$)[^/]*$/.test(path.slice(directory.length));
}
