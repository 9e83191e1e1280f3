import { dirname } from 'node:path';
import { conflict } from '../../base/errors.ts';
import {
  Directories,
  RealDirectories,
  conflictReason,
  mergedDirectories,
  readRows,
  replaceFile,
  rowsFile,
  rowsInMerged,
  textOfRows,
} from '../../store/index.ts';
import type { Disk, MergedLocation, UnmergedFile } from '../../store/index.ts';
import { git, namesIn } from './git.ts';

export interface ResolveDeps {
  readonly disk: Disk;
  /** The `.planner` directory, absolute. */
  readonly root: string;
  readonly mergePlaces: (files: readonly UnmergedFile[]) => readonly MergedLocation[];
}

/** The result of `planner resolve`. Paths are relative to the repository. */
export interface Resolved {
  readonly settled: readonly { readonly id: string; readonly path: string }[];
  readonly left: readonly { readonly paths: readonly string[]; readonly reason: string }[];
}

/** An entry of git's index. */
interface Entry extends UnmergedFile {
  readonly mode: string;
  readonly blob: string;
}

/**
 * Resolves the entries of a root that git left unmerged only because of their paths. Files that were edited since are skipped. The index is
 * written after the file is in its place, so that no content is lost on an error.
 */
export async function resolveUnmerged(deps: ResolveDeps): Promise<Resolved> {
  const { root, mergePlaces } = deps;
  const at = await git(root, ['rev-parse', '--show-prefix']);
  if (!at.ok) throw conflict(`git does not know ${root}: ${at.output}`);
  const settled: { id: string; path: string }[] = [];
  const left: { paths: readonly string[]; reason: string }[] = [];
  for (const [project, entries] of await unmergedEntries(root)) {
    const inProject = new ProjectFiles(deps, project, `${at.output}projects/${project}/`);
    const placed: Place[] = [];
    const leave = ({ paths }: MergedLocation, reason: string): void =>
      void left.push({ paths: paths.map((path) => inProject.shown(path)), reason });
    for (const merged of mergePlaces(entries)) {
      if (merged.reason !== undefined) {
        leave(merged, merged.reason);
        continue;
      }
      const reason = await inProject.resolve(merged, entries);
      if (reason !== undefined) {
        leave(merged, reason);
        continue;
      }
      const path = inProject.shown(merged.path);
      if (merged.isDisputed) left.push({ paths: [path], reason: conflictReason });
      else settled.push({ id: merged.id, path });
      placed.push(merged);
    }
    left.push(...(await inProject.followFolders(placed)));
  }
  return { settled, left };
}

const submoduleMode = '160000';

/** Unmerged entries by project directory. */
async function unmergedEntries(root: string): Promise<Map<string, Entry[]>> {
  const listed = await git(root, ['ls-files', '--unmerged', '-z']);
  if (!listed.ok) throw conflict(`git could not list what is unmerged: ${listed.output}`);
  const found = new Map<string, Entry[]>();
  for (const line of namesIn(listed.bytes)) {
    const [, mode = '', blob = '', stage = '', project = '', path = ''] =
      /(\d+) (\w+) ([123])\tprojects\/([^/]+)\/(.+)/s.exec(line) ?? [];
    // Not below projects/.
    if (path === '') continue;
    const { ok, bytes, output } = await git(root, ['cat-file', 'blob', blob]);
    if (!ok && mode !== submoduleMode)
      throw conflict(`git could not read ${blob}, a version of projects/${project}/${path}: ${output}`);
    const entries = found.get(project) ?? [];
    entries.push({ mode, blob, path, stage: Number(stage) as Entry['stage'], bytes });
    found.set(project, entries);
  }
  return found;
}

/** An entry of git's index: without a conflict (`stage` 0), or one side of a conflict. */
interface StagedFile {
  readonly mode: string;
  readonly blob: string;
  readonly stage: number;
  readonly path: string;
}

/** A line of `ls-files --stage -z`. */
function stagedFile(line: string): StagedFile {
  const [, mode = '', blob = '', stage = '', path = ''] = /(\d+) (\w+) ([0-3])\t(.+)/s.exec(line) ?? [];
  return { mode, blob, stage: Number(stage), path };
}

type Place = Extract<MergedLocation, { readonly id: string }>;

/** The files of one project in the working tree and in git's index. */
class ProjectFiles {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #directory: string;
  readonly #prefix: string;

  constructor({ disk, root }: ResolveDeps, project: string, prefix: string) {
    this.#disk = disk;
    this.#root = root;
    this.#directory = `${root}/projects/${project}`;
    this.#prefix = prefix;
  }

  shown(path: string): string {
    return `${this.#prefix}${path}`;
  }

  /** Moves a record's file to its target path, in the working tree and in the index. Returns the reason if it cannot. */
  async resolve(place: Place, entries: readonly Entry[]): Promise<string | undefined> {
    if (place.isNew === true) return this.#resolveRows(place, entries);
    const { path, paths, content } = place;
    const target = this.#absolute(path);
    const reason = this.#refusalReason(place) ?? this.#ensure(dirname(target), path);
    if (reason !== undefined) return reason;
    if (this.#disk.stat(target) === undefined) replaceFile(this.#disk, target, content.bytes);
    const rejected = await this.#updateIndex(this.#index(place, entries));
    if (rejected !== undefined) return `git rejected it (${rejected})`;
    for (const other of paths) if (other !== path) this.#remove(this.#absolute(other));
    return undefined;
  }

  /** Writes the merged rows of folders, unless a person has already merged them. */
  async #resolveRows({ path, content }: Place, entries: readonly Entry[]): Promise<string | undefined> {
    const target = this.#absolute(path);
    const reason = this.#ensure(dirname(target), path);
    if (reason !== undefined) return reason;
    const there = this.#disk.readIfExists(target);
    const isOfGit = entries.some((entry) => entry.path === path && there !== undefined && there.equals(entry.bytes));
    const isMerged = there !== undefined && !isOfGit && readRows(there.toString()).isWhole;
    return this.#stage(path, isMerged ? there : content.bytes);
  }

  /** Writes a file, and adds it to git's index. Returns the reason if git rejects it. */
  async #stage(path: string, bytes: Uint8Array): Promise<string | undefined> {
    replaceFile(this.#disk, this.#absolute(path), bytes);
    const blob = await git(this.#root, ['hash-object', '-w', '--stdin'], { input: Buffer.from(bytes).toString() });
    if (!blob.ok) return `git rejected it (${blob.output})`;
    const { output: hash } = blob;
    const lines = [this.#removal(path, hash), `100644 ${hash} 0\t${this.shown(path)}\0`];
    const rejected = await this.#updateIndex(lines);
    return rejected === undefined ? undefined : `git rejected it (${rejected})`;
  }

  /** Returns what git says if it rejects the lines. */
  async #updateIndex(lines: readonly string[]): Promise<string | undefined> {
    const input = lines.join('');
    const { ok, output } = await git(this.#root, ['update-index', '-z', '--index-info'], { input });
    return ok ? undefined : output;
  }

  /** The line for update-index that removes all entries of a path. `blob`: any, for its length. */
  #removal(path: string, blob: string): string {
    return `0 ${'0'.repeat(blob.length)}\t${this.shown(path)}\0`;
  }

  /**
   * Moves what git merged cleanly into a directory of a folder that both sides have moved to the merged directory.
   * Returns the files that could not be moved.
   */
  async followFolders(placed: readonly Place[]): Promise<Resolved['left']> {
    const left: Resolved['left'][number][] = [];
    for (const [tree, places] of Map.groupBy(placed, ({ path }) => path.slice(0, path.indexOf('/')))) {
      const path = `${tree}/${rowsFile}`;
      if (new RealDirectories(this.#disk, this.#root).stat(this.#absolute(path))?.kind !== 'file') continue;
      const { rows } = readRows(this.#disk.read(this.#absolute(path)).toString());
      const merged = mergedDirectories(rows, places);
      for (const [from, to] of merged) left.push(...(await this.#moveWithFolder(from, to)));
      if (merged.size === 0) continue;
      const reason = await this.#stage(path, Buffer.from(textOfRows(rowsInMerged(rows, merged))));
      if (reason !== undefined) left.push({ paths: [this.shown(path)], reason });
    }
    return left;
  }

  async #moveWithFolder(from: string, to: string): Promise<Resolved['left']> {
    const listed = await git(this.#absolute(''), ['ls-files', '--stage', '-z', '--', from]);
    const left: { paths: string[]; reason: string }[] = [];
    for (const entry of namesIn(listed.bytes).map(stagedFile)) {
      const target = `${to}${entry.path.slice(from.length)}`;
      const reason = entry.stage === 0 ? await this.#move(entry, target) : 'it is unmerged';
      if (reason !== undefined)
        left.push({ paths: [this.shown(entry.path)], reason: `it could not follow its folder to ${to} (${reason})` });
    }
    return left;
  }

  /**
   * Like `git mv`, but does not compare contents, which would run the clean filters in the repository's settings. Returns the reason if it
   * fails; then nothing has changed.
   */
  async #move({ mode, blob, path }: StagedFile, target: string): Promise<string | undefined> {
    const [source, destination] = [this.#absolute(path), this.#absolute(target)];
    const real = new RealDirectories(this.#disk, this.#root);
    if (real.stat(source)?.kind !== 'file') return 'the file does not exist';
    if (real.stat(destination) !== undefined) return `${this.shown(target)} already exists`;
    const reason = this.#ensure(dirname(destination), target);
    if (reason !== undefined) return reason;
    this.#disk.rename(source, destination);
    const lines = [this.#removal(path, blob), `${mode} ${blob} 0\t${this.shown(target)}\0`];
    const rejected = await this.#updateIndex(lines);
    if (rejected !== undefined) {
      this.#disk.rename(destination, source);
      return rejected;
    }
    this.#removeEmpty(dirname(source));
    return undefined;
  }

  /** Makes the folder that a path is in. Returns the reason if it cannot. */
  #ensure(directory: string, path: string): string | undefined {
    try {
      new Directories(this.#disk, this.#root).ensure(directory);
      return undefined;
    } catch (error) {
      return `its path is ${this.shown(path)}, whose folder cannot be made (${(error as Error).message})`;
    }
  }

  #absolute(path: string): string {
    return `${this.#directory}/${path}`;
  }

  #refusalReason({ path, paths, content }: Place): string | undefined {
    // A new instance, because its cache may be out of date after the preceding move.
    const real = new RealDirectories(this.#disk, this.#root);
    for (const one of new Set([path, ...paths])) {
      const there = real.stat(this.#absolute(one));
      if (there === undefined) continue;
      if (there.kind !== 'file' || Buffer.compare(this.#disk.read(this.#absolute(one)), content.bytes) !== 0)
        return `${this.shown(one)} was changed since the merge: run git add with the correct content`;
    }
    return undefined;
  }

  /** The input for update-index: removes the record's entries and adds it at its path, merged or with the remaining versions. */
  #index({ path, paths, content, isDisputed }: Place, entries: readonly Entry[]): string[] {
    const own = entries.filter((entry) => paths.includes(entry.path));
    const merged = own.find((entry) => entry.path === content.path && entry.stage === content.stage)!;
    const line = ({ mode, blob }: Entry, stage: number): string => `${mode} ${blob} ${stage}\t${this.shown(path)}\0`;
    const gone = [...new Set([path, ...paths])].map((one) => this.#removal(one, merged.blob));
    if (!isDisputed) return [...gone, line(merged, 0)];
    const base = own.find(({ stage }) => stage === 1) ?? merged;
    return [...gone, line(base, 1), line(merged, 2), line(merged, 3)];
  }

  /** Removes a file and the directories that are empty then, which would be read as folders. */
  #remove(path: string): void {
    if (new RealDirectories(this.#disk, this.#root).stat(path)?.kind !== 'file') return;
    this.#disk.remove(path);
    this.#removeEmpty(dirname(path));
  }

  /** Removes a directory and its parents while they are empty. */
  #removeEmpty(directory: string): void {
    let at = directory;
    while (this.#disk.removeDirectoryIfEmpty(at)) at = dirname(at);
  }
}
