import { dirname } from 'node:path';
import type { FileStat } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';

/** The record that was written to a file. */
export interface WrittenRecord {
  readonly project: Project;
  readonly id: string;
}

/** Written files and directories that are not synced yet, by absolute path. People may rename files before they are. */
export class UnsyncedFiles {
  readonly #projects: string;
  readonly #files = new Map<string, WrittenRecord | undefined>();
  /** The ids of their records. */
  readonly #ids = new Set<string>();

  /** `projects`: the absolute path of `projects/`. */
  constructor(projects: string) {
    this.#projects = projects;
  }

  add(path: string, record?: WrittenRecord): void {
    this.#files.set(path, record);
    if (record !== undefined) this.#ids.add(record.id);
  }

  /** Whether the file at a path is one of them, or that of a record: it may have got this path since. */
  has(path: string, id: string | undefined): boolean {
    return this.#files.has(path) || this.#ids.has(id ?? '');
  }

  /** Returns the files, under the names that they are known to have now, and forgets them. */
  take(): ReadonlyMap<string, WrittenRecord | undefined> {
    const taken = new Map(this.#files);
    for (const [written, record] of this.#files) {
      const path = record && this.#pathOf(record);
      if (path === undefined || path === written) continue;
      taken.set(path, record);
      // Of a directory that was renamed, the names in it are not synced either.
      taken.set(dirname(path), undefined);
    }
    this.#files.clear();
    this.#ids.clear();
    return taken;
  }

  /**
   * Adds those of the synced files that have got another name: what was synced under the former one is another file, or
   * none. Returns false if there are none.
   */
  addRenamed(
    synced: ReadonlyMap<string, WrittenRecord | undefined>,
    stat: (path: string) => FileStat | undefined,
  ): boolean {
    let found = false;
    for (const record of synced.values()) {
      const path = record && this.#pathOf(record);
      if (path === undefined || (synced.has(path) && this.#isInPlace(record!, stat(path)))) continue;
      this.add(path, record);
      found = true;
    }
    return found;
  }

  forgetBelow(directory: string): void {
    for (const path of this.#files.keys()) if (path.startsWith(`${directory}/`)) this.#files.delete(path);
  }

  /** A directory was renamed. */
  move(from: string, to: string): void {
    for (const [path, record] of [...this.#files]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#files.delete(path);
      this.#files.set(`${to}${path.slice(from.length)}`, record);
    }
  }

  #pathOf({ project, id }: WrittenRecord): string | undefined {
    const file = project.files.served(id);
    return file?.sha256 == null ? undefined : `${this.#projects}/${project.directory}/${file.path}`;
  }

  /** Whether the file that is known to be at the path is there; a rescan finds where it is. */
  #isInPlace({ project, id }: WrittenRecord, now: FileStat | undefined): boolean {
    return now !== undefined && now.ino === project.files.served(id)?.stamp?.ino;
  }
}
