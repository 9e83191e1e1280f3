import { basename, dirname, sep } from 'node:path';
import { FSWatcher, type MatchFunction } from 'chokidar';
import type { Clock } from '../../../clock.ts';
import { inSlices, type Steps } from '../../../slices.ts';
import type { Disk } from '../disk/disk.ts';
import { EventBursts } from './event-bursts.ts';

/** Events that arrive within this time of each other are one sweep. */
const quietMs = 20;
/** A sweep begins at the latest after this time, however many events still arrive. */
const waitMs = 150;
/**
 * A directory that goes so soon after it came may take a watch with it that chokidar still counts on (it lets go of a directory only once
 * it has read it): when it comes back it is not heard of.
 */
const hastyMs = 5000;
/** Listening is begun anew so long after there was a reason to, and at most this often. */
const renewAfterMs = 250;
const renewMs = 30_000;
/** While git holds its lock the sweep waits, so that a checkout arrives as one change; at most this long. */
const gitWaitMs = 10_000;

export interface WatcherParts {
  readonly disk: Disk;
  readonly clock: Clock;
  /** Absolute path of `projects/`. */
  readonly directory: string;
  /** Paths below `projects/` that may have changed. */
  readonly sweep: (paths: ReadonlySet<string>) => void;
  /** Whether the service itself is writing a file at this path below `projects/` at present. */
  readonly isBeingWritten: (path: string) => boolean;
  /** Notes an event of such a path: what of it was not the service's own is told by whoever writes. False of any other path. */
  readonly hears: (path: string) => boolean;
  /** Whether a directory of this path below `projects/` may hold records, itself or in directories below it. */
  readonly mayHold: (path: string) => boolean;
  /** True while git is changing the tree. */
  readonly gitAtWork: () => boolean;
  /** Something may be heard of no longer: the caller is to `renew`, and to look at everything then. */
  readonly deaf: () => void;
  /** Events were probably lost: the caller looks at everything soon. */
  readonly overflowed: () => void;
  /** Notification does not work (any more): only the slow beat finds edits. */
  readonly failed: (error: Error) => void;
}

/**
 * chokidar asks of every event, once it has told it raw, whether its path is still watched, and looks at it then with much ado: it keeps
 * the order of what it finds, and finds out by itself what happened. Of a file nothing is to be found out: the raw event is enough.
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

/** A checkout of thousands of files tells of each several times: no system call for any of them in the turn that hears of it. */
const recordName = /\.(?:md|json|html|jsonl)$/;

/** Listens to a root's project directories. What it reports are hints: which paths to look at, not what happened to them. */
export class Watcher {
  readonly #parts: WatcherParts;
  readonly #bursts: EventBursts;
  /** Directories whose names have an ending as files have, while they are there. */
  readonly #endingLikeFiles = new Set<string>();
  /** When each directory came, by the monotonic clock. */
  readonly #came = new Map<string, number>();
  /** Directories that went soon after they came. */
  readonly #hasty = new Set<string>();
  /** Directories of whose files something was heard: nothing that happens there is missed. */
  readonly #heardFrom = new Set<string>();
  #watcher: FSWatcher | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #renewedAt = -Infinity;
  #stopped = false;
  #ready = false;
  #paths = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #firstAt = 0;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
    this.#bursts = new EventBursts(parts.disk, parts.overflowed);
  }

  /** Whether something was heard of this path, or of a directory that it lies in, that was not looked at yet. */
  hasHeardOf(path: string): boolean {
    for (let at = path; at !== '.'; at = dirname(at)) if (this.#paths.has(at)) return true;
    return false;
  }

  /** What was heard of below a project's directory and not looked at yet: the caller does it now. None while git is changing the tree. */
  take(directory: string): string[] {
    if (this.#paths.size === 0 || this.#parts.gitAtWork()) return [];
    const taken = [...this.#paths].filter((path) => path.startsWith(`${directory}${sep}`));
    for (const path of taken) this.#paths.delete(path);
    return taken.map((path) => path.slice(directory.length + 1));
  }

  /** Resolves once events are heard. */
  start(): Promise<void> {
    const { directory } = this.#parts;
    const watcher = new DirectoryWatcher(
      {
        ignoreInitial: true,
        followSymlinks: false,
        atomic: false,
        ignored: (path, stats) => isIgnored(path, directory) || this.#isUnwatched(path, stats),
      },
      (path) => this.#isNamedLikeRecord(path) || this.#parts.isBeingWritten(path.slice(directory.length + 1)),
    );
    this.#watcher = watcher;
    watcher.on('all', (event, path) => {
      this.#heard(path);
      if (event === 'addDir') this.#hasCome(path);
      if (event === 'unlinkDir') this.#hasGone(path);
    });
    // Before chokidar has judged by size and time whether it is worth telling: a file may be given back the time that it had.
    watcher.on('raw', (_event, name, details) => {
      this.#bursts.count();
      this.#heardOf(name, details);
    });
    watcher.on('error', (error) => this.#parts.failed(error as Error));
    watcher.add(directory);
    return new Promise((resolve) =>
      watcher.once('ready', () => {
        this.#ready = true;
        resolve();
      }),
    );
  }

  /** Something is heard of no longer: says so to the caller, soon and not too often. */
  doubt(): void {
    if (this.#stopped || this.#renewal !== undefined) return;
    const afterMs = Math.max(renewAfterMs, this.#renewedAt + renewMs - this.#parts.clock.monotonic());
    this.#renewal = setTimeout(() => {
      this.#renewal = undefined;
      this.#parts.deaf();
    }, afterMs).unref();
  }

  /** Listens anew. Resolves once events are heard; what happened until then is told of by nobody. */
  async renew(): Promise<void> {
    if (this.#stopped || !this.#ready) return;
    this.#renewedAt = this.#parts.clock.monotonic();
    this.#ready = false;
    this.#came.clear();
    this.#hasty.clear();
    this.#heardFrom.clear();
    // Before the other begins: chokidar has one watch for each path, whoever asked for it.
    await this.#watcher?.close();
    if (!this.#stopped) await this.start();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#renewal);
    this.#paths.clear();
    await this.#watcher?.close();
  }

  /** What can hold no records is not watched, whatever it is: if only the name is known, without asking the disk. */
  #isUnwatched(path: string, stats: Parameters<MatchFunction>[1]): boolean {
    const { directory, mayHold } = this.#parts;
    const outside = path !== directory && !mayHold(path.slice(directory.length + 1));
    return (stats === undefined && outside) || this.#isFile(path, stats) || outside;
  }

  /**
   * chokidar is to know directories only: it tells of files by raw events all the same. Of a file that it knew it would look for the
   * reason of each event, and read the whole directory when one is gone that it has not come to know yet. Asked without `stats` it wants
   * to know by the name alone; one without an ending is taken for a directory's.
   */
  #isFile(path: string, stats: Parameters<MatchFunction>[1]): boolean {
    if (stats !== undefined) {
      if (stats.isDirectory()) {
        if (recordName.test(path)) this.#endingLikeFiles.add(path);
        return false;
      }
      // Found in a directory that is new: it may have been made before events of it were heard.
      if (this.#ready) this.#heard(path);
      return true;
    }
    if (!basename(path).includes('.')) return false;
    const kind = this.#parts.disk.stat(path)?.kind;
    if (kind === undefined) return !this.#endingLikeFiles.delete(path);
    if (kind === 'directory') this.#endingLikeFiles.add(path);
    return kind !== 'directory';
  }

  /** Whether the name is that of a record's file. Such a directory is found when what was heard of is looked at. */
  #isNamedLikeRecord(path: string): boolean {
    return recordName.test(path) && !this.#endingLikeFiles.has(path);
  }

  #hasCome(path: string): void {
    if (!this.#ready) return;
    if (this.#hasty.delete(path)) this.doubt();
    this.#came.set(path, this.#parts.clock.monotonic());
  }

  #hasGone(path: string): void {
    this.#heardFrom.delete(path);
    const came = this.#came.get(path);
    this.#came.delete(path);
    if (came !== undefined && this.#parts.clock.monotonic() - came < hastyMs) this.#hasty.add(path);
  }

  #heardOf(name: unknown, details: unknown): void {
    const { watchedPath } = (details ?? {}) as { readonly watchedPath?: unknown };
    if (typeof name !== 'string' || typeof watchedPath !== 'string') return;
    const { directory } = this.#parts;
    const path = `${watchedPath}${sep}${name}`;
    if (!path.startsWith(`${directory}${sep}`)) return;
    // Of the first event from a directory it is not known whether the service's own came before it, unheard.
    if (this.#heardFrom.has(watchedPath) && this.#parts.hears(path.slice(directory.length + 1))) return;
    this.#heardFrom.add(watchedPath);
    if (!isIgnored(path, directory)) this.#heard(path);
  }

  #heard(path: string): void {
    const relative = path.slice(this.#parts.directory.length + 1);
    if (relative === '') return;
    if (this.#paths.size === 0) this.#firstAt = this.#parts.clock.monotonic();
    this.#paths.add(relative);
    this.#schedule();
  }

  #schedule(): void {
    const waited = this.#parts.clock.monotonic() - this.#firstAt;
    if (waited >= waitMs && this.#timer !== undefined) return;
    clearTimeout(this.#timer);
    // What the system has told meanwhile is heard first: the new name of a file that is gone, perhaps.
    this.#timer = setTimeout(() => setImmediate(() => this.#flush()), quietMs);
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#paths.size === 0) return;
    if (this.#parts.gitAtWork() && this.#parts.clock.monotonic() - this.#firstAt < gitWaitMs) {
      this.#timer = setTimeout(() => this.#flush(), quietMs);
      return;
    }
    const paths = this.#paths;
    this.#paths = new Set();
    this.#parts.sweep(paths);
    // What a failing disk does not show is found by the beat.
    void inSlices('rescan', this.#findDirectories(paths)).catch(() => undefined);
  }

  /** A directory with the name of a record's file that came meanwhile is listened to from now on. */
  *#findDirectories(paths: ReadonlySet<string>): Steps<void> {
    for (const relative of paths) {
      const path = `${this.#parts.directory}${sep}${relative}`;
      if (!this.#isNamedLikeRecord(path) || this.#parts.isBeingWritten(relative)) continue;
      if (this.#parts.disk.stat(path)?.kind === 'directory') this.doubt();
      yield;
    }
  }
}

/** Names beginning with a dot are nobody's records, but for a folder's own file. */
function isIgnored(path: string, directory: string): boolean {
  return path !== directory && /(?:^|\/)\.(?!folder\.json$)[^/]*$/.test(path.slice(directory.length));
}
