import { PlannerError, conflict } from '../../base/errors.ts';
import type { TreeFile } from '../../store/index.ts';
import { git, isOutsideRepository, namesIn, requireGit } from './git.ts';

/** Which files of a root are read. */
export interface WantedFiles {
  readonly isRead: (path: string) => boolean;
  readonly refusalOf: (file: { readonly path: string; readonly size: number }) => string | undefined;
}

/** The two sides of a comparison, as they were given. Undefined: the working tree. */
export interface GivenSides {
  readonly before: string;
  readonly after: string | undefined;
  /** Compare with the newest common ancestor of both instead of `before`. */
  readonly fromMergeBase: boolean;
}

/** Reads arguments as `git diff` does: none, `A`, `A B`, `A..B` and `A...B`. A missing side of dots is HEAD. */
export function sidesOf([first, second]: readonly (string | undefined)[]): GivenSides {
  if (first === undefined) return { before: 'HEAD', after: undefined, fromMergeBase: false };
  const [, from = '', dots, to = ''] = /^(.*?)(\.{2,3})(.*)$/s.exec(first) ?? [];
  if (second !== undefined || dots === undefined) return { before: first, after: second, fromMergeBase: false };
  return { before: from || 'HEAD', after: to || 'HEAD', fromMergeBase: dots === '...' };
}

/** A large clone is read within this time. */
const msMax = 120_000;

/** Where a root is in its repository. */
export interface RootInGit {
  /** A directory in which git runs. */
  readonly directory: string;
  /** The path of the root from the top, with a slash at the end. */
  readonly prefix: string;
}

/** Returns the path of a directory from the top of its working tree. Rejects with `conflict` outside of a repository. */
export async function prefixOf(directory: string): Promise<string> {
  const found = await git(directory, ['rev-parse', '--show-prefix']);
  if (found.ok) return found.bytes.toString().replace(/\n$/, '');
  const reason = isOutsideRepository(found) ? 'it is in no git repository' : found.output;
  throw conflict(`There are no commits to compare in ${directory}: ${reason}.`);
}

/** The id of a commit; undefined for HEAD before the first commit. Rejects with `not_found`. */
export async function commitOf(directory: string, revision: string): Promise<string | undefined> {
  // No name of git begins with a dash: it would be an option.
  if (!revision.startsWith('-')) {
    const found = await git(directory, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]);
    if (found.ok) return found.output;
    if (found.code !== 1 && found.code !== 128) throw conflict(`git could not look for ${revision}: ${found.output}`);
    if (revision === 'HEAD') return undefined;
  }
  throw new PlannerError(
    'not_found',
    `There is no commit ${JSON.stringify(revision)} here. If this clone is shallow or the branch is new elsewhere, git fetch brings it.`,
    { id: revision },
  );
}

/** The newest common ancestor of two commits. Rejects with `not_found`. */
export async function mergeBaseOf(directory: string, one: string, other: string): Promise<string> {
  const found = await git(directory, ['merge-base', one, other], { msMax });
  if (found.ok) return found.output;
  throw new PlannerError(
    'not_found',
    `${one.slice(0, 10)} and ${other.slice(0, 10)} have no common ancestor here. In a shallow clone, git fetch --unshallow brings it.`,
  );
}

const symbolicLink = '120000';
const submodule = '160000';
const notAFile = 'It is a symbolic link or a submodule in git: records are read from files alone.';
/** The contents of files that one process of git returns. */
const batchBytes = 64 * 1024 * 1024;

interface Entry {
  readonly path: string;
  readonly blob: string;
  readonly size: number;
}

/**
 * The files of a root in some commits: one process of git lists each commit, one reads the contents for all of them, or
 * one for each 64 MiB. Contents are read as they were committed: no filter and no text conversion runs.
 */
export async function filesInCommits(
  { directory, prefix }: RootInGit,
  commits: readonly (string | undefined)[],
  wanted: WantedFiles,
): Promise<readonly (readonly TreeFile[])[]> {
  const listed = await Promise.all(
    commits.map(async (commit) => (commit === undefined ? [] : entriesIn({ directory, prefix }, commit, wanted))),
  );
  const entries = listed.flat().filter((entry) => 'blob' in entry);
  const contents = await contentsOf(directory, entries);
  return listed.map((side) =>
    side.map((entry) => ('blob' in entry ? { path: entry.path, bytes: contents.get(entry.blob)! } : entry)),
  );
}

async function entriesIn(
  { directory, prefix }: RootInGit,
  commit: string,
  { isRead, refusalOf }: WantedFiles,
): Promise<readonly (Entry | TreeFile)[]> {
  const paths = ['config.json', 'projects'].map((path) => `${prefix}${path}`);
  const listed = ['ls-tree', '-r', '-z', '-l', '--full-tree', commit, '--', ...paths] as const;
  return namesIn((await requireGit(directory, listed, { msMax })).bytes).flatMap((line): (Entry | TreeFile)[] => {
    const [, mode, blob = '', size = '', whole = ''] = /^(\d+) \w+ (\w+) +([\d-]+)\t(.*)$/s.exec(line) ?? [];
    const path = whole.slice(prefix.length);
    if (!isRead(path)) return [];
    if (mode === symbolicLink || mode === submodule) return [{ path, refused: notAFile }];
    const refused = refusalOf({ path, size: Number(size) });
    return [refused === undefined ? { path, blob, size: Number(size) } : { path, refused }];
  });
}

async function contentsOf(directory: string, entries: readonly Entry[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const contents = new Map<string, Uint8Array>();
  const byBlob = new Map(entries.map((entry) => [entry.blob, entry]));
  let batch: Entry[] = [];
  let bytes = 0;
  for (const entry of byBlob.values()) {
    if (bytes + entry.size > batchBytes && batch.length > 0) {
      await readBatch(directory, batch, contents);
      [batch, bytes] = [[], 0];
    }
    batch.push(entry);
    bytes += entry.size;
  }
  if (batch.length > 0) await readBatch(directory, batch, contents);
  return contents;
}

async function readBatch(directory: string, batch: readonly Entry[], contents: Map<string, Uint8Array>): Promise<void> {
  const input = batch.map(({ blob }) => `${blob}\n`).join('');
  const { bytes } = await requireGit(directory, ['cat-file', '--batch'], { input, msMax });
  let at = 0;
  for (const { blob, path } of batch) {
    const end = bytes.indexOf(10, at);
    const [, type, size] = bytes.subarray(at, end).toString().split(' ');
    if (type !== 'blob')
      throw conflict(
        `git does not have the content of ${path} here: the clone is partial. git fetch --refetch brings it.`,
      );
    contents.set(blob, bytes.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
}
