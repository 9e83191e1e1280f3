import { basename, dirname, join, sep } from 'node:path';
import { type FSWatcher, type MatchFunction, watch } from 'chokidar';
import type { Clock } from '../clock.ts';
import type { Disk } from './disk.ts';

/** Events that arrive within this time of each other are one sweep. */
const quietMs = 20;
/** A sweep begins at the latest after this time, however many events still arrive. */
const waitMs = 150;
/** While git holds its lock the sweep waits, so that a checkout arrives as one change; at most this long. */
const gitWaitMs = 10_000;

export interface WatcherParts {
  readonly disk: Disk;
  readonly clock: Clock;
  /** Absolute path of `projects/`. */
  readonly directory: string;
  /** Paths below `projects/` that may have changed. */
  readonly sweep: (paths: ReadonlySet<string>) => void;
  /** True while git is changing the tree. */
  readonly gitAtWork: () => boolean;
  /** Notification does not work (any more): only the slow beat finds edits. */
  readonly failed: (error: Error) => void;
}

/** Listens to a root's project directories. What it reports are hints: which paths to look at, not what happened to them. */
export class Watcher {
  readonly #parts: WatcherParts;
  /** Directories whose names have an ending as files have, while they are there. */
  readonly #endingLikeFiles = new Set<string>();
  #watcher: FSWatcher | undefined;
  #ready = false;
  #paths = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #firstAt = 0;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
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
    const watcher = watch(directory, {
      ignoreInitial: true,
      followSymlinks: false,
      atomic: false,
      ignored: (path, stats) => isIgnored(path, directory) || this.#isFile(path, stats),
    });
    this.#watcher = watcher;
    watcher.on('all', (_event, path) => this.#heard(path));
    // Before chokidar has judged by size and time whether it is worth telling: a file may be given back the time that it had.
    watcher.on('raw', (_event, name, details) => this.#heardOf(name, details));
    watcher.on('error', (error) => this.#parts.failed(error as Error));
    return new Promise((resolve) =>
      watcher.once('ready', () => {
        this.#ready = true;
        resolve();
      }),
    );
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#paths.clear();
    await this.#watcher?.close();
  }

  /**
   * chokidar is to know directories only: it tells of files by raw events all the same. Of a file that it knew it would look for the
   * reason of each event, and read the whole directory when one is gone that it has not come to know yet. Asked without `stats` it wants
   * to know by the name alone; one without an ending is taken for a directory's.
   */
  #isFile(path: string, stats: Parameters<MatchFunction>[1]): boolean {
    if (stats !== undefined) {
      if (stats.isDirectory()) return false;
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

  #heardOf(name: unknown, details: unknown): void {
    const { watchedPath } = (details ?? {}) as { readonly watchedPath?: unknown };
    if (typeof name !== 'string' || typeof watchedPath !== 'string') return;
    const path = join(watchedPath, name);
    if (path.startsWith(`${this.#parts.directory}${sep}`) && !isIgnored(path, this.#parts.directory)) this.#heard(path);
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
  }
}

/** Names beginning with a dot are nobody's records, but for a folder's own file. */
function isIgnored(path: string, directory: string): boolean {
  return path !== directory && /(?:^|\/)\.(?!folder\.json$)[^/]*$/.test(path.slice(directory.length));
}
