import type { Collection } from '../../record/collection.ts';
import type { Clock } from '../../../clock.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableLines } from '../disk/durable-lines.ts';
import type { FileState } from '../project/file-table.ts';
import { hasLazyText } from '../../record/lazy-text.ts';
import { freezeParsed } from '../../record/plain.ts';
import type { Project } from '../project/project.ts';
import type { StoredIds } from '../project/stored-ids.ts';
import { sha256Of } from '../disk/sha256.ts';

/** A file younger than this when the cache is written may change again without a change of its time. */
const racyMs = 2000;

/** One line of the cache: a project, or a file of the last named project. */
type CacheLine = { readonly project: string; readonly directory: string } | { readonly file: FileState };

/**
 * The index cache: files with the same size, times and inode are not parsed again at the next opening. It may be lost
 * at any time.
 */
export class IndexCache {
  readonly #lines: DurableLines<CacheLine>;
  #states = new Map<string, FileState[]>();

  /** `version` identifies the format, the code and the collections. */
  constructor(disk: Disk, path: string, version: string) {
    this.#lines = new DurableLines<CacheLine>(disk, path, version, { mode: 0o600, checksum: 'crc32' });
  }

  /** Reads the cache for the projects that are about to be loaded. */
  open(): void {
    let states: FileState[] = [];
    for (const line of this.#lines.readNow() ?? []) {
      if ('file' in line) states.push(line.file);
      else {
        states = [];
        this.#states.set(`${line.directory} ${line.project}`, states);
      }
    }
  }

  /** Restores a project's cached state into its index and file table. Returns false if there is none. */
  restore(project: Project): boolean {
    const states = this.#states.get(keyOf(project));
    if (states === undefined) return false;
    for (const cached of states) {
      const state = renamedSince(project, cached);
      // `local/` may have come with the repository: check its paths like any other input.
      if (state === undefined || /(?:^|\/)\.{0,2}(?:\/|$)/.test(state.path)) continue;
      freezeParsed(state.record);
      project.files.set(state);
    }
    for (const { id, collection } of states) {
      const record = project.files.served(id)?.record;
      if (record !== undefined && project.index.record(id) === undefined)
        project.index.apply({ collection, id, from: undefined, to: record });
    }
    return true;
  }

  /** The id of the only project that was served from this directory. */
  idOf(directory: string): string | undefined {
    const ids = [...this.#states.keys()].flatMap((key) => {
      const end = key.lastIndexOf(' ');
      return key.slice(0, end) === directory ? [key.slice(end + 1)] : [];
    });
    return ids.length === 1 ? ids[0] : undefined;
  }

  /** Drops the cached state of a project that is loaded. */
  release(project: Project): void {
    this.#states.delete(keyOf(project));
  }

  /** Drops what no project restored. */
  forget(): void {
    this.#states = new Map();
  }

  /**
   * Written periodically and at a clean stop. Entries are compared with the files, so the cache may be older than the
   * files. `isSynced`: a file that a power failure may still lose is left out; otherwise its loss would look like a
   * person's deletion.
   */
  async write(projects: Iterable<Project>, clock: Clock, isSynced: IsSynced): Promise<void> {
    await this.#lines.write(cacheLines([...projects], clock, isSynced));
  }
}

/**
 * A cached state under the name that its file got after the cache was written; undefined if another record has its path
 * since.
 */
function renamedSince({ storedIds }: Project, state: FileState): FileState | undefined {
  if (state.hasExplicitId) return state;
  const idHere = storedIds.at(state.path);
  if (idHere !== undefined && idHere !== state.id) return undefined;
  const path = storedIds.pathOf(state.id) ?? state.path;
  if (path === state.path) return idHere === undefined && isObsolete(storedIds, state) ? undefined : state;
  return { ...state, path, hasKeptId: true, stamp: { ...state.stamp, ctimeMs: 0 } };
}

/** A kept id is stored before the cache has it. */
function isObsolete({ isComplete }: StoredIds, { hasKeptId }: FileState): boolean {
  return isComplete && hasKeptId === true;
}

const keyOf = ({ directory, id }: Project): string => `${directory} ${id}`;

/** Whether the known state of a project's file, at this path inside it, survives a power failure. */
export type IsSynced = (project: Project, path: string) => boolean;

/** Generated while it is written: the projects may change meanwhile, and each line is right when it is generated. */
function* cacheLines(projects: readonly Project[], clock: Clock, isSynced: IsSynced): Generator<CacheLine> {
  for (const project of projects) {
    yield { project: project.id, directory: project.directory };
    for (const file of project.files.values()) {
      // A record with a large text is read again, so that the cache stays small.
      if (file.record !== undefined && hasLazyText(file.record)) continue;
      if (!isSynced(project, file.path)) continue;
      const now = clock.now();
      const { mtimeMs, ctimeMs } = file.stamp;
      const sure = now - mtimeMs >= racyMs && now - ctimeMs >= racyMs;
      // A file with a racy time is read again; its cached value is still useful to distinguish an edit from a new file.
      yield { file: sure || file.sha256 === '' ? file : { ...file, stamp: { ...file.stamp, ctimeMs: 0 } } };
    }
  }
}

/** Changes with what is derived from a file: a record in a cache is not derived again. */
const derivation = 3;

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
