import { dirname } from 'node:path';
import { eachInSteps, type Steps } from '../../../base/slices.ts';
import type { FileStat } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';

/** The record that was written to a file. */
export interface WrittenRecord {
  readonly project: Project;
  readonly id: string;
}

/** Written paths, and the records in their files. */
export interface WrittenFiles {
  /** Absolute. */
  readonly paths: Set<string>;
  /** The records by their ids. */
  readonly records: ReadonlyMap<string, WrittenRecord>;
}

/**
 * Written files and directories that are not synced yet, by absolute path, and the records in them: people may rename
 * files before they are synced, and the next record is written where one was.
 */
export class UnsyncedFiles {
  readonly #projects: string;
  #paths = new Set<string>();
  #records = new Map<string, WrittenRecord>();

  /** `projects`: the absolute path of `projects/`. */
  constructor(projects: string) {
    this.#projects = projects;
  }

  add(path: string, record?: WrittenRecord): void {
    this.#paths.add(path);
    if (record !== undefined) this.#records.set(record.id, record);
  }

  /** Adds the file that is known to have the record, if there is one, and its directories. */
  addWhereItIs(record: WrittenRecord): void {
    const path = this.#pathOf(record);
    if (path !== undefined) this.#addAt(path, record);
  }

  /** Returns whether the file at a path is one of them, or that of a record: it may have got this path since. */
  has(path: string, id: string | undefined): boolean {
    return this.#paths.has(path) || this.#records.has(id ?? '');
  }

  /** Returns the files and forgets them. */
  take(): WrittenFiles {
    const taken = { paths: this.#paths, records: this.#records };
    this.#paths = new Set();
    this.#records = new Map();
    return taken;
  }

  /**
   * Adds to files that were taken the names that they are known to have now. In steps, like `addRenamed`: after a burst
   * of changes there are tens of thousands of files.
   */
  *addPresentNames({ paths, records }: WrittenFiles): Steps<void> {
    yield* eachInSteps(records.values(), (record) => {
      const path = this.#pathOf(record);
      if (path !== undefined && !paths.has(path)) this.#addWithDirectories(path, record, paths);
    });
  }

  /**
   * Adds those of the synced files that have got another name: the file synced under the former one is another, or
   * missing. Returns false if there are none.
   */
  *addRenamed({ paths, records }: WrittenFiles, stat: (path: string) => FileStat | undefined): Steps<boolean> {
    let found = false;
    yield* eachInSteps(records.values(), (record) => {
      const path = this.#pathOf(record);
      if (path === undefined || (paths.has(path) && this.#isInPlace(record, stat(path)))) return;
      this.#addAt(path, record);
      found = true;
    });
    return found;
  }

  forgetBelow(directory: string): void {
    for (const path of this.#paths) if (path.startsWith(`${directory}/`)) this.#paths.delete(path);
    for (const [id, { project }] of this.#records)
      if (`${this.#projects}/${project.directory}` === directory) this.#records.delete(id);
  }

  /** A directory was renamed. */
  move(from: string, to: string): void {
    for (const path of [...this.#paths]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#paths.delete(path);
      this.#paths.add(`${to}${path.slice(from.length)}`);
    }
  }

  #addAt(path: string, record: WrittenRecord): void {
    this.#addWithDirectories(path, record, this.#paths);
    this.#records.set(record.id, record);
  }

  /** The names in directories that were renamed or made by others are not synced either. */
  #addWithDirectories(path: string, { project }: WrittenRecord, paths: Set<string>): void {
    const top = `${this.#projects}/${project.directory}`;
    for (let at = path; at.length > top.length; at = dirname(at)) paths.add(at);
  }

  #pathOf({ project, id }: WrittenRecord): string | undefined {
    const file = project.files.served(id);
    return file?.sha256 == null ? undefined : `${this.#projects}/${project.directory}/${file.path}`;
  }

  /** Returns whether the file that is known to be at the path is there; a rescan finds where it is. */
  #isInPlace({ project, id }: WrittenRecord, now: FileStat | undefined): boolean {
    return now !== undefined && now.ino === project.files.served(id)?.stamp?.ino;
  }
}
