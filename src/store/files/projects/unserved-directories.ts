import { isDeepStrictEqual } from 'node:util';
import { decode } from '../codec/codec.ts';
import type { Collection } from '../../record/collection.ts';
import type { Disk } from '../disk/disk.ts';
import { invalidNames, replacement } from '../project/invalid-names.ts';
import { missingProjectFile } from '../edits/missing-project-file.ts';
import { repairByHand, unreadableRemedy } from '../edits/unreadable-remedy.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import { recordFiles } from '../disk/record-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import { sameStamp, type Stamp, stampOf } from '../project/file-table.ts';
import { projectCodeOf } from '../../../base/ids.ts';
import { limits } from '../../../base/limits.ts';
import { shownProjectFile } from './directory-problems.ts';
import { codeInName } from '../../record/project-name.ts';
import type { Problem } from '../../record/read-transaction.ts';

/** More record files are not counted: a directory may have a hundred thousand. */
const countMax = 1000;

export interface UnservedDirectoriesDeps {
  readonly disk: Disk;
  readonly layout: RootLayout;
  readonly collections: readonly Collection[];
  readonly onChanged: () => void;
}

/** A directory as last inspected. */
interface Inspected {
  /** Of its project.json, or undefined. */
  readonly stamp: Stamp | undefined;
  /** Undefined if it has no project.json and no record files: it is no concern of the service. */
  readonly problem: Problem | undefined;
}

/**
 * The directories below `projects/` whose records are not served, because the file of their project is missing or
 * cannot be read. Updated when directories are loaded and rescanned, so that listing them costs nothing.
 */
export class UnservedDirectories {
  readonly #deps: UnservedDirectoriesDeps;
  readonly #inspected = new Map<string, Inspected>();
  /** Problems of directories whose names are not UTF-8. */
  #invalidNames: readonly Problem[] = [];
  /** Why the file of a directory was not rebuilt. */
  readonly #notRebuilt = new Map<string, string>();

  constructor(deps: UnservedDirectoriesDeps) {
    this.#deps = deps;
  }

  /** One problem for each of these directories, by path. */
  get problems(): readonly Problem[] {
    if (this.#inspected.size === 0) return this.#invalidNames;
    const found = [...this.#inspected.keys()].sort().flatMap((name) => {
      const problem = this.#inspected.get(name)!.problem;
      const why = this.#notRebuilt.get(name);
      if (problem === undefined || why === undefined) return problem ?? [];
      return { ...problem, reason: `${problem.reason} It was not rebuilt: ${why}`, remedy: repairByHand };
    });
    return [...found, ...this.#invalidNames];
  }

  /** The problem of the directory of a project: the one whose name contains the code of the project's id. */
  problemOf(id: string): Problem | undefined {
    if (this.#inspected.size === 0) return undefined;
    const code = projectCodeOf(id);
    const directory = this.names.find((name) => code !== undefined && codeInName(name) === code);
    return directory === undefined ? undefined : this.#inspected.get(directory)?.problem;
  }

  /** The names of these directories. */
  get names(): readonly string[] {
    return [...this.#inspected].flatMap(([name, { problem }]) => (problem === undefined ? [] : [name]));
  }

  /** Returns whether the directory was inspected, and its project.json is the same since. */
  isUnchanged(directory: string): boolean {
    const known = this.#inspected.get(directory)?.stamp;
    const stamp = this.stampOf(directory);
    return known !== undefined && stamp !== undefined && sameStamp(known, stamp);
  }

  /**
   * Inspects a directory that is not served. `stamp`: of its project.json before it was read, so that what is
   * written since is noticed; undefined if there was none. `found`: why it cannot be read, if that is known.
   */
  inspect(directory: string, stamp: Stamp | undefined, found?: Omit<Problem, 'id'>): void {
    const problem = stamp === undefined ? this.#missing(directory) : (found ?? this.#unreadable(directory, stamp));
    const former = this.#inspected.get(directory)?.problem;
    this.#inspected.set(directory, { stamp, problem });
    if (!isDeepStrictEqual(former, problem)) this.#deps.onChanged();
  }

  /** The project of the directory is not known for certain: this is listed with its problem. */
  setNotRebuilt(directory: string, why: string): void {
    this.#notRebuilt.set(directory, why);
    this.#deps.onChanged();
  }

  /** The directory is served, or gone. */
  remove(directory: string): void {
    if (this.#inspected.delete(directory)) this.#deps.onChanged();
    this.#notRebuilt.delete(directory);
  }

  /** Removes all directories but those with these names, which are all that there are. */
  keep(names: ReadonlySet<string>): void {
    const { disk, layout } = this.#deps;
    const isInvalid = [...names].some((name) => name.includes(replacement));
    this.#invalidNames = isInvalid ? invalidNames(disk, layout.projects, '.planner/projects/') : [];
    for (const name of [...this.#inspected.keys()]) if (!names.has(name)) this.remove(name);
  }

  /** Of the directory's project.json, or undefined. */
  stampOf(directory: string): Stamp | undefined {
    const { disk, layout } = this.#deps;
    const stat = new RealDirectories(disk, layout.root).stat(`${layout.projects}/${directory}/project.json`);
    return stat?.kind === 'file' ? stampOf(stat) : undefined;
  }

  #missing(directory: string): Problem | undefined {
    const { disk, layout } = this.#deps;
    let count = 0;
    for (const _ of recordFiles(disk, layout.projects, directory)) if (++count > countMax) break;
    if (count === 0) return undefined;
    const files = count > countMax ? `more than ${countMax} record files` : `the ${count} record files`;
    const reason = count === 1 ? 'the record file beside it is' : `${files} beside it are`;
    return missingProjectFile(shownProjectFile(directory), `${reason} not served`);
  }

  #unreadable(directory: string, { size }: Stamp): Problem {
    const problem = {
      path: shownProjectFile(directory),
      kind: 'unreadable',
      remedy: { code: 'rebuild_project_file' },
    } as const;
    if (size > limits.recordFileBytesMax)
      return {
        ...problem,
        reason: `The file has ${size} bytes; at most ${limits.recordFileBytesMax} are read.`,
      };
    const { disk, layout, collections } = this.#deps;
    const shape = collections.find(({ id }) => id === 'project')!.shape;
    const bytes = disk.readIfExists(`${layout.projects}/${directory}/project.json`) ?? Buffer.of();
    const decoded = decode(shape, bytes);
    if (!decoded.ok) {
      const { line, reason } = decoded;
      return { ...problem, line, reason, remedy: unreadableRemedy('project', reason) };
    }
    return { ...problem, reason: 'The file contains no id of the project.' };
  }
}
