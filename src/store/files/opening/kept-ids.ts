import type { Clock, Timer } from '../../../clock.ts';
import { fileIdPattern } from '../../../ids.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableLines } from '../disk/durable-lines.ts';
import type { Project } from '../project/project.ts';
import { StoredIds } from '../project/stored-ids.ts';
import type { IsSynced } from './served-state.ts';

/** Renames that follow each other are one write. */
const writeDelayMs = 50;

interface KeptIdLine {
  readonly project: string;
  readonly path: string;
  readonly id: string;
}

export interface KeptIdsDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly path: string;
  readonly projects: ReadonlyMap<string, Project>;
  readonly isSynced: IsSynced;
  readonly log: (message: string) => void;
}

/**
 * The ids of renamed files without an id, in `local/kept-ids`: an edit on disk writes nothing to the files. Unlike the
 * index cache it is written as soon as a file is renamed, and read by every version.
 */
export class KeptIds {
  readonly #deps: KeptIdsDeps;
  readonly #lines: DurableLines<KeptIdLine>;
  /** By project. Those of a project whose directory was moved away stay until the service ends. */
  readonly #known = new Map<string, ReadonlyMap<string, string>>();
  /** The projects that were loaded: what was stored for others, which were deleted, is not written again. */
  readonly #loaded = new Set<string>();
  /** The version of each project's ids that is known here. */
  readonly #versions = new WeakMap<Project, number>();
  /** The projects with ids that are stored until the files that contain them now are synced. */
  readonly #withLeaving = new WeakSet<Project>();
  #isChanged = false;
  #isRead = false;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: KeptIdsDeps) {
    this.#deps = deps;
    this.#lines = new DurableLines<KeptIdLine>(deps.disk, deps.path, '1', { mode: 0o600, checksum: 'crc32' });
  }

  /** Reads the file. Ids of other forms are ignored: `local/` may have come with the repository. */
  open(): void {
    const found = new Map<string, Map<string, string>>();
    const lines = this.#lines.values();
    this.#isRead = lines !== null;
    for (const { project, path, id } of lines ?? []) {
      if (!fileIdPattern.test(id)) continue;
      const ids = found.get(project) ?? new Map<string, string>();
      found.set(project, ids.set(path, id));
    }
    for (const [project, ids] of found) this.#known.set(project, ids);
  }

  of(project: string): StoredIds {
    this.#loaded.add(project);
    return new StoredIds(this.#known.get(project), this.#isRead);
  }

  /** Schedules a write if the ids of a project have changed. */
  note(project: Project): void {
    const { keptIds, keptIdsVersion } = project.files;
    // Without its own record the project's directory is being moved away: it may come back.
    if (project.index.record(project.id) === undefined) return;
    if ((this.#versions.get(project) ?? 0) === keptIdsVersion && !this.#withLeaving.has(project)) return;
    this.#versions.set(project, keptIdsVersion);
    const former = this.#known.get(project.id) ?? new Map<string, string>();
    const leaving = [...former].filter(([path, id]) => !keptIds.has(path) && this.#isLeaving(project, path, id));
    if (leaving.length > 0) this.#withLeaving.add(project);
    else this.#withLeaving.delete(project);
    const ids = new Map([...keptIds, ...leaving]);
    if (isEqual(ids, former)) return;
    this.#loaded.add(project.id);
    this.#known.set(project.id, ids);
    this.#isChanged = true;
    this.#timer ??= this.#deps.clock
      .after(writeDelayMs, () => {
        this.#timer = undefined;
        void this.write();
      })
      .unref();
  }

  /** After a power failure the record's file may be at the path again, without the id. */
  #isLeaving(project: Project, path: string, id: string): boolean {
    const { files } = project;
    const file = files.served(id);
    return file !== undefined && (files.at(path) ?? file).id === id && !this.#deps.isSynced(project, file.path);
  }

  /** Writes the ids if they have changed. Never throws: without the file a renamed file is a new record later on. */
  write(): Promise<void> {
    for (const project of this.#deps.projects.values()) this.note(project);
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    try {
      const known = [...this.#known].filter(([project]) => this.#loaded.has(project));
      await this.#lines.write(known.flatMap(([project, ids]) => [...linesOf(project, ids)]));
    } catch (error) {
      this.#isChanged = true;
      this.#deps.log(`The ids of renamed files could not be written: ${(error as Error).message}`);
    }
  }

  abandon(): void {
    this.#timer?.cancel();
  }
}

function isEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([path, id]) => b.get(path) === id);
}

function* linesOf(project: string, ids: ReadonlyMap<string, string>): Iterable<KeptIdLine> {
  for (const [path, id] of ids) yield { project, path, id };
}
