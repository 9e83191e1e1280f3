import { join } from 'node:path';
import { conflict } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';
import { removeQuietly } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import { git, namesIn, requireGit } from '../git/git.ts';
import type { GitArguments, GitOptions } from '../git/git.ts';
import { messageOf } from '../git/plan-message.ts';
import type { ChangedFile } from '../git/plan-message.ts';
import { uncommittedBelow } from './uncommitted.ts';

export interface PlanCommit {
  readonly commit: string;
  readonly message: string;
  /** Paths relative to the root. */
  readonly files: readonly string[];
}

/** Files in a git directory while git waits for a person to finish an operation. */
const unfinished = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

/**
 * Commits the files of a root, and nothing else that is staged: the commit is made of an index of its own. It uses plumbing alone, so no hook,
 * filter or signing program of a repository runs. Undefined if nothing has changed since the last commit. Rejects with `conflict`.
 */
export async function commitPlan(disk: Disk, root: string, given?: string): Promise<PlanCommit | undefined> {
  const files = await uncommittedBelow(root);
  if (files === undefined)
    throw conflict(`${root} is in no git repository, or git is not installed: there is nothing to commit to.`);
  if (files.length === 0) {
    const isIgnored = (await git(root, ['check-ignore', '--quiet', '--', 'config.json'])).code === 0;
    if (!isIgnored) return undefined;
    throw conflict(`git ignores ${root}: git check-ignore -v ${join(root, 'config.json')} shows the rule.`);
  }
  const { output: directory } = await requireGit(root, ['rev-parse', '--absolute-git-dir']);
  await requireCommittable(disk, { root, directory, files });
  const index = join(directory, `planner-index-${randomName()}`);
  try {
    return await commitFrom(index, root, files, given);
  } finally {
    removeQuietly(disk, index);
  }
}

async function requireCommittable(
  disk: Disk,
  { root, directory, files }: { readonly root: string; readonly directory: string; readonly files: readonly string[] },
): Promise<void> {
  const [state] = unfinished.filter((name) => disk.stat(join(directory, name)) !== undefined);
  if (state !== undefined || (await requireGit(root, ['ls-files', '--unmerged', '--', '.'])).output !== '')
    throw conflict(
      `git is in the middle of a merge or rebase here (${state ?? 'unmerged files'}): planner resolve merges the plan; then complete it with git.`,
    );
  const { bytes } = await git(root, ['check-attr', '-z', '--stdin', 'filter'], { input: listOf(files) });
  const words = namesIn(bytes);
  const at = words.findIndex((word, i) => i % 3 === 2 && word !== 'unspecified' && word !== 'unset');
  if (at !== -1)
    throw conflict(
      `${words[at - 2]} has the filter ${words[at]} in git's attributes, and planner runs no program of a repository: commit with git add and git commit.`,
    );
}

async function commitFrom(
  index: string,
  root: string,
  files: readonly string[],
  given: string | undefined,
): Promise<PlanCommit | undefined> {
  const { ok, output: head } = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const update: GitArguments = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  const input = listOf(files);
  const own = { index };
  await requireGit(root, ok ? ['read-tree', 'HEAD'] : ['read-tree', '--empty'], own);
  await requireGit(root, update, { ...own, input });
  const changes = await changesIn(root, own, ok);
  if (changes.length === 0) return undefined;
  const message = given ?? messageOf(changes);
  const { output: tree } = await requireGit(root, ['write-tree'], own);
  const parent = ok ? ['-p', head] : [];
  const made = ['commit-tree', '--no-gpg-sign', tree, ...parent, '-F', '-'] as const;
  const { output: commit } = await requireGit(root, made, { input: `${message}\n` });
  // After the steps that fail without an author, and before HEAD moves, so that nothing is done if another git has the
  // index locked.
  await requireGit(root, update, { input });
  const subject = message.split('\n', 1)[0]!;
  await requireGit(root, ['update-ref', '-m', `commit: ${subject}`, 'HEAD', commit, ok ? head : '']);
  return { commit, message, files: changes.map(({ path }) => path) };
}

/** The differences between the last commit and an index, with the texts on both sides. */
async function changesIn(root: string, options: GitOptions, hasHead: boolean): Promise<readonly ChangedFile[]> {
  const raw = hasHead
    ? await git(root, ['diff-index', '-z', '--cached', '--no-renames', '--relative', 'HEAD', '--', '.'], options)
    : await git(root, ['ls-files', '-z', '--stage', '--', '.'], options);
  const words = namesIn(raw.bytes);
  const found = hasHead
    ? Array.from({ length: words.length / 2 }, (_, at) => {
        const [, , before, after] = words[2 * at]!.split(' ');
        return { path: words[2 * at + 1]!, before: before!, after: after! };
      })
    : words.map((word) => {
        const [entry = '', path = ''] = word.split('\t', 2);
        return { path, before: '0', after: entry.split(' ')[1]! };
      });
  const texts = await textsOf(
    root,
    found.flatMap(({ before, after }) => [before, after]).filter((id) => !isNone(id)),
  );
  return found.map(({ path, before, after }) => ({ path, before: texts.get(before), after: texts.get(after) }));
}

/** The texts of objects by their ids, in one process. */
async function textsOf(root: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { bytes } = await git(root, ['cat-file', '--batch'], { input: ids.map((id) => `${id}\n`).join('') });
  const texts = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at);
    const [id = '', , size] = bytes.subarray(at, end).toString().split(' ');
    const length = Number(size ?? 0);
    texts.set(id, bytes.subarray(end + 1, end + 1 + length).toString());
    at = end + 1 + length + 1;
  }
  return texts;
}

function isNone(id: string): boolean {
  return /^0+$/.test(id);
}

function listOf(files: readonly string[]): string {
  return files.map((file) => `${file}\0`).join('');
}
