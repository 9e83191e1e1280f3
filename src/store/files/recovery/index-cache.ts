import type { Collection } from '../../record/collection.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import { DurableLines } from '../disk/durable-lines.ts';
import { type FileState, isAsKnown, racyMs, type Stamp, valuesIn, writebackMs } from '../project/file-table.ts';
import { freezeParsed } from '../../record/plain.ts';
import type { Project } from '../project/project.ts';
import { sha256Of } from '../disk/sha256.ts';
import type { StoredRecord } from '../../record/record.ts';
import { eachInSteps, type Steps } from '../../../base/slices.ts';
import { isOmitted, isServedState, type IsSynced, servedState, type ServedState } from './served-state.ts';

/** Wall clock and monotonic clock differ by more than this from before if the wall clock was set. */
const clockDriftMs = 1000;

/** The boot in which a cache was written, and the time of the last change that a power failure cannot lose. */
interface Written {
  readonly boot?: string | undefined;
  readonly settledAt: number;
}

/** One line of the cache: when it was written, a project, or a file or the versions of the last named project. */
type CacheLine =
  | { readonly written: Written }
  | { readonly project: string; readonly directory: string }
  | { readonly file: FileState }
  | { readonly served: ServedState };

/**
 * The index cache: files with the same size, times and inode are not parsed again at the next opening. It may be lost
 * at any time.
 */
export class IndexCache {
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #lines: DurableLines<CacheLine>;
  /**
   * How far the wall clock is ahead of the monotonic one, and since when, by the monotonic one. At the start it may just
   * have been set.
   */
  #wallClock: { readonly aheadMs: number; readonly since: number };
  /** A file that changed later is read again: a power failure may have replaced its content. */
  #settledAt: number | undefined;
  #states = new Map<string, FileState[]>();
  /** The ids of the projects that were served from each directory. */
  readonly #ids = new Map<string, string[]>();
  /** The restored records that are not frozen yet. */
  #unfrozen: StoredRecord[] = [];
  #served = new Map<string, ServedState>();
  /** The opening found a cache of this version, or it was written since. */
  #isThere = false;

  /** `version` identifies the format, the code and the collections. */
  constructor(disk: Disk, clock: Clock, path: string, version: string) {
    this.#disk = disk;
    this.#clock = clock;
    this.#wallClock = { aheadMs: clock.now() - clock.monotonic(), since: clock.monotonic() };
    this.#lines = new DurableLines<CacheLine>(disk, path, version, { mode: 0o600, checksum: 'crc32' });
  }

  get isThere(): boolean {
    return this.#isThere;
  }

  /** Reads the cache for the projects that are about to be loaded. */
  open(): void {
    let states: FileState[] = [];
    let key = '';
    const lines = this.#lines.readNow();
    this.#isThere = lines !== null;
    for (const line of lines ?? []) {
      if ('file' in line) states.push(line.file);
      else if ('written' in line) this.#settledAt = this.#settledBefore(line.written);
      else if ('served' in line) {
        if (isServedState(line.served)) this.#served.set(key, line.served);
      } else {
        states = [];
        key = keyOf({ directory: line.directory, id: line.project });
        this.#states.set(key, states);
        this.#ids.set(line.directory, [...(this.#ids.get(line.directory) ?? []), line.project]);
      }
    }
  }

  #settledBefore({ boot, settledAt }: Written): number | undefined {
    return boot !== undefined && boot === this.#disk.bootId() ? undefined : settledAt;
  }

  /**
   * Restores a project's cached state into its index and file table. Returns the states that are obsolete, since the
   * file was removed; undefined if nothing is cached. `removed`: records whose files were removed after the cache was
   * written.
   */
  restore(project: Project, removed: ReadonlySet<string>): readonly FileState[] | undefined {
    const states = this.#states.get(keyOf(project));
    if (states === undefined) return undefined;
    // `local/` may have come with the repository: check its paths like any other input.
    const isPresent = ({ id, path }: FileState): boolean => isInside(path) && !removed.has(id);
    // Also those that the cache leaves out.
    for (const path of this.servedOf(project)?.copies ?? []) project.files.copies.add(path);
    for (const state of states.filter(isPresent)) {
      if (state.record !== undefined) this.#unfrozen.push(state.record);
      project.files.set(this.#mayBeLost(state) ? { ...state, content: 'stale' } : state);
    }
    for (const { id, collection } of states) {
      const record = project.files.served(id)?.record;
      if (record !== undefined && project.index.record(id) === undefined)
        project.index.apply({ collection, id, from: undefined, to: record });
    }
    return states.filter((state) => !isPresent(state));
  }

  #mayBeLost({ sha256, stamp }: FileState): boolean {
    return sha256 != null && this.#settledAt !== undefined && stamp.ctimeMs >= this.#settledAt;
  }

  /** The versions of a project, and the state that they belong to. */
  servedOf(project: Pick<Project, 'directory' | 'id'>): ServedState | undefined {
    return this.#served.get(keyOf(project));
  }

  /** The id of the only project that was served from this directory. */
  idOf(directory: string): string | undefined {
    const ids = (this.#ids.get(directory) ?? []).filter((id) => this.#states.has(keyOf({ directory, id })));
    return ids.length === 1 ? ids[0] : undefined;
  }

  /** The same, if the file of the project is readable and as it was: it need not be read. */
  idAt(directory: string, stat: FileStat): string | undefined {
    const id = this.idOf(directory);
    if (id === undefined) return undefined;
    const file = this.#states.get(keyOf({ directory, id }))?.find(({ path }) => path === 'project.json');
    const isKnown = file?.id === id && file.unreadable === undefined && file.content === undefined;
    return isKnown && isAsKnown(file, stat) && !this.#mayBeLost(file) ? id : undefined;
  }

  /**
   * Freezes the restored records, like all others: a guard against rules that change one. Nothing depends on it, and it
   * takes a tenth of an opening.
   */
  *freezeRestored(): Steps<void> {
    const records = this.#unfrozen;
    this.#unfrozen = [];
    yield* eachInSteps(records, freezeParsed);
  }

  /** Drops the cached state of a project that is loaded. */
  release(project: Pick<Project, 'directory' | 'id'>): void {
    this.#states.delete(keyOf(project));
    this.#served.delete(keyOf(project));
  }

  /** Drops what no project restored. */
  forget(): void {
    this.#states = new Map();
    this.#served = new Map();
  }

  /**
   * Written periodically and at a clean stop. Entries are compared with the files, so the cache may be older than the
   * files. `isSynced`: a file that a power failure may still lose is left out; otherwise its loss would look like a
   * person's deletion.
   */
  async write(projects: Iterable<Project>, isSynced: IsSynced): Promise<void> {
    const written = { boot: this.#disk.bootId(), settledAt: this.#settledNow() };
    await this.#lines.write(cacheLines(written, [...projects], this.#clock, isSynced));
    this.#isThere = true;
  }

  /** For a while after the wall clock was set, the times of files do not show what is old enough. */
  #settledNow(): number {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    const aheadMs = now - monotonic;
    if (Math.abs(aheadMs - this.#wallClock.aheadMs) > clockDriftMs) this.#wallClock = { aheadMs, since: monotonic };
    return monotonic - this.#wallClock.since < writebackMs ? 0 : now - writebackMs;
  }
}

const keyOf = ({ directory, id }: Pick<Project, 'directory' | 'id'>): string => `${directory} ${id}`;

/** A file with a racy time is read again; its cached value is still useful to distinguish an edit from a new file. */
function asCached(file: FileState, now: number): FileState {
  if (valuesIn(file) === undefined && (file.sha256 == null || !isRacy(file.stamp, now))) return file;
  return { ...file, content: 'stale' };
}

/** Generated while it is written: the projects may change meanwhile, and each line is right when it is generated. */
function* cacheLines(
  written: Written,
  projects: readonly Project[],
  clock: Clock,
  isSynced: IsSynced,
): Generator<CacheLine> {
  yield { written };
  for (const project of projects) {
    yield { project: project.id, directory: project.directory };
    // As of before the first file: the journal has the changes that are made while the files are written.
    const served = servedState(project);
    for (const file of project.files.values()) {
      if (isOmitted(project, file, isSynced)) {
        served.omitted[file.id] = file.sha256;
        continue;
      }
      yield { file: asCached(file, clock.now()) };
    }
    yield { served: { ...served, copies: [...project.files.copies] } };
  }
}

function isInside(path: string): boolean {
  return !/^\/|\/\/|^$|(?:^|\/)\.{1,2}(?:\/|$)/.test(path);
}

function isRacy({ mtimeMs, ctimeMs }: Stamp, now: number): boolean {
  return now - mtimeMs < racyMs || now - ctimeMs < racyMs;
}

/** Changes with what is derived from a file: a record in a cache is not derived again. */
const derivation = 8;

/** Identifies the format, the derivation and the collections' shapes; a cache of another version is ignored. */
export function cacheVersion(collections: readonly Collection[], format: number): string {
  const shapes = collections.map(({ name, location, shape, versioned }) => ({
    name,
    location,
    shape,
    versioned,
  }));
  return `${format}-${derivation}-${sha256Of(JSON.stringify(shapes)).slice(0, 16)}`;
}
