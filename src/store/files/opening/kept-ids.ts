import type { Clock, Timer } from '../../../base/clock.ts';
import { fileIdPattern } from '../../../base/ids.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableLines } from '../disk/durable-lines.ts';
import type { Project } from '../project/project.ts';
import { StoredIds } from '../project/stored-ids.ts';

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
  readonly #known = new Map<string, Map<string, string>>();
  /** The projects that were loaded: what was stored for others, which were deleted, is not written again. */
  readonly #loaded = new Set<string>();
  /** The version of each project's ids that is known here. */
  readonly #versions = new WeakMap<Project, number>();
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

  /** Schedules a write if the ids of a project have changed. `changed`: the records that other files may have now. */
  note(project: Project, changed: Iterable<string> = []): void {
    const { keptIds, keptIdsVersion } = project.files;
    // Without its own record the project's directory is being moved away: it may come back.
    if (project.index.record(project.id) === undefined) return;
    if ((this.#versions.get(project) ?? 0) === keptIdsVersion && !this.#haveTakenPlace(project, changed)) return;
    this.#versions.set(project, keptIdsVersion);
    const known = this.#known.get(project.id) ?? new Map<string, string>();
    const ids = new Map([...this.#leavingFrom(project), ...keptIds]);
    if (isEqual(ids, known)) return;
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

  /** Whether one of these records is where a file was whose id is stored: the next opening must not give it that id. */
  #haveTakenPlace({ id: project, files }: Project, changed: Iterable<string>): boolean {
    const known = this.#known.get(project);
    if (known === undefined || known.size === 0) return false;
    return [...changed].some((id) => files.of(id).some(({ path }) => (known.get(path) ?? id) !== id));
  }

  /** The stored ids that no file needs any more, if the present names and contents survive a power failure. */
  leaving(): readonly KeptIdLine[] {
    return [...this.#deps.projects.values()].flatMap((project) => [...linesOf(project.id, this.#leavingFrom(project))]);
  }

  /** Forgets these after a sync of all files. */
  forget(leaving: readonly KeptIdLine[]): void {
    for (const { project, path } of leaving) {
      if (this.#deps.projects.get(project)?.files.keptIds.has(path) === true) continue;
      if (this.#known.get(project)?.delete(path) === true) this.#isChanged = true;
    }
  }

  /**
   * Those of files that are gone, or contain their ids now: a power failure may undo either. If another record has the
   * place by now, under the present one, which may be all that the failure leaves.
   */
  #leavingFrom({ id: project, files }: Project): ReadonlyMap<string, string> {
    const leaving = new Map<string, string>();
    for (const [former, id] of this.#known.get(project) ?? []) {
      const states = files.of(id);
      const path = (files.at(former)?.id ?? id) === id ? former : states[0]?.path;
      if (path !== undefined && states.every(({ hasExplicitId }) => hasExplicitId)) leaving.set(path, id);
    }
    return leaving;
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
