import { hash } from 'node:crypto';
import type { Collection } from '../../record/collection.ts';
import type { Clock } from '../../../clock.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableLines } from '../disk/durable-lines.ts';
import type { FileState } from '../project/file-table.ts';
import { hasLazyText } from '../../record/lazy-text.ts';
import { freeze } from '../../record/plain.ts';
import type { Project } from '../project/project.ts';

/** A file whose time is younger than this when the cache is written may change again without changing its time. */
const unsureMs = 2000;

/** One line of the cache: a file of the project named last. */
type CacheLine = { readonly project: string; readonly directory: string } | { readonly file: FileState };

/** What was read from the files, kept over a restart: files with the same size, times and inode are not parsed again. May be lost at any time. */
export class IndexCache {
  readonly #lines: DurableLines<CacheLine>;
  #states = new Map<string, FileState[]>();

  /** `version` names the versions of format and code, and the collections. */
  constructor(disk: Disk, path: string, version: string) {
    this.#lines = new DurableLines<CacheLine>(disk, path, version, { mode: 0o600 });
  }

  /** Reads the cache for the projects that are about to be loaded. */
  open(): void {
    let states: FileState[] = [];
    for (const line of this.#lines.values() ?? []) {
      if ('file' in line) states.push(line.file);
      else {
        states = [];
        this.#states.set(`${line.directory} ${line.project}`, states);
      }
    }
  }

  /** Puts what is known of a project into its index and file table. False where nothing is. */
  restore(project: Project): boolean {
    const key = `${project.directory} ${project.id}`;
    const states = this.#states.get(key);
    this.#states.delete(key);
    if (states === undefined) return false;
    for (const state of states) {
      // `local/` may have come with the repository: what it says of paths is looked at like everything else.
      if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(state.path)) continue;
      freeze(state.record);
      project.files.set(state);
    }
    for (const { id, collection } of states) {
      const record = project.files.served(id)?.record;
      if (record !== undefined && project.index.record(id) === undefined)
        project.index.apply({ collection, id, from: undefined, to: record });
    }
    return true;
  }

  /** Lets go of what no project took. */
  forget(): void {
    this.#states = new Map();
  }

  /**
   * Written from time to time, and at a clean stop. What is read from it is compared with the file, so that it may be older than the
   * files are. `isSynced`: a file that a power cut may still take is left out, or its loss would be taken for a deletion by a person.
   */
  async write(projects: Iterable<Project>, clock: Clock, isSynced: IsSynced): Promise<void> {
    await this.#lines.write(cacheLines([...projects], clock, isSynced));
  }
}

/** Whether a project's file, at this path inside it, is safe from a power cut as it is known. */
export type IsSynced = (project: Project, path: string) => boolean;

/** Made as they are written: the projects change meanwhile, each line is right when it is made. */
function* cacheLines(projects: readonly Project[], clock: Clock, isSynced: IsSynced): Generator<CacheLine> {
  for (const project of projects) {
    yield { project: project.id, directory: project.directory };
    for (const file of project.files.values()) {
      // A record whose text lies in a file of its own is read anew: the cache is to stay small.
      if (file.record !== undefined && hasLazyText(file.record)) continue;
      if (!isSynced(project, file.path)) continue;
      const now = clock.now();
      const { mtimeMs, ctimeMs } = file.stamp;
      const sure = now - mtimeMs >= unsureMs && now - ctimeMs >= unsureMs;
      // An unsure file is read again; what it held is still worth knowing, for telling an edit from a first sight.
      yield { file: sure || file.sha256 === '' ? file : { ...file, stamp: { ...file.stamp, ino: 0 } } };
    }
  }
}

/** Of the format and the collections' shapes: a cache of another version is as good as none. */
export function cacheVersion(collections: readonly Collection[], format: number): string {
  const shapes = collections.map(({ name, place, shape, versioned }) => ({ name, place, shape, versioned }));
  return `${format}-${hash('sha256', JSON.stringify(shapes), 'hex').slice(0, 16)}`;
}
