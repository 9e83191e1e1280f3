import { join } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { conflict } from '../../../base/errors.ts';
import { printableLine } from '../../../base/printable.ts';
import type { PlanDiff, PlanDiffSide } from '../../../schema/types.ts';
import type { TreeFile } from '../../../store/index.ts';
import { withTarget } from '../../call/cli-target.ts';
import { addCommand, exitCodes } from '../../call/command-line.ts';
import type { CommonOptions } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { isEmpty } from '../../diff/diff-model.ts';
import { markdownOf } from '../../diff/markdown.ts';
import type { PlanComparer } from '../../diff/plan-comparer.ts';
import { textLines } from '../../diff/text.ts';
import { commitOf, filesInCommits, mergeBaseOf, prefixOf, sidesOf } from '../../git/plan-trees.ts';
import type { GivenSides } from '../../git/plan-trees.ts';
import { nearestRoot, readRootConfig } from '../../service/root.ts';
import { commandRoot, namedRoot } from '../../worktrees/command-root.ts';

interface DiffOptions {
  readonly format?: 'text' | 'markdown' | 'json';
  readonly exitCode?: boolean;
}

/** `diff`: the difference of the plan between two commits, or a commit and the working tree. */
export function addDiffCommand(deps: ProgramDeps, program: Command): void {
  addCommand<DiffOptions, 'diff [revision] [other]'>(
    deps,
    program,
    {
      usage: 'diff [revision] [other]',
      description:
        'show how the plan differs between two revisions, or a revision (default: HEAD) and the working tree: tasks, goals, edges and documents field by field. A..B and A...B mean what they mean to git diff',
      examples: ['diff', 'diff main...HEAD', 'diff HEAD~1 HEAD --format markdown'],
      options: (command) =>
        command
          .addOption(
            new Option(
              '--format <format>',
              'text, markdown (for a comment on a pull request) or json; default text',
            ).choices(['text', 'markdown', 'json']),
          )
          .option('--exit-code', 'exit with 1 if the plan differs'),
    },
    async (given, { format = 'text', exitCode = false, ...options }, out) => {
      const diff = await compare(deps, sidesOf(given), options);
      if (out.json || format === 'json') deps.print(printableLine(JSON.stringify(diff)));
      else out.print(diff, format === 'markdown' ? { block: markdownOf(diff) } : textLines(diff, deps.colours()));
      if (exitCode && !isEmpty(diff)) deps.exitWith(exitCodes.no);
    },
  );
}

async function compare(deps: ProgramDeps, given: GivenSides, options: CommonOptions): Promise<PlanDiff> {
  const comparer = await deps.planComparer();
  const isTree = given.after === undefined;
  const root = isTree ? await commandRoot(deps, options) : rootOf(deps, options);
  // A plan that no side has in the working tree is looked for at the top of the repository.
  const directory = root ?? deps.workingDirectory;
  const prefix = root === undefined ? '.planner/' : await prefixOf(root);
  if (root === undefined) await prefixOf(directory);
  const named = namedRoot(deps, options) === undefined ? deps.workingDirectory : directory;
  const [before, after] = await commitsOf(isTree && given.before === 'HEAD' ? directory : named, given);
  const [former, present] = await filesInCommits({ directory, prefix }, [before.id, after?.id], comparer);
  const files = after === undefined ? await filesHere(deps, root!, options, comparer) : present!;
  return { before: before.side, after: after?.side ?? workingTree, ...comparer.compare(former!, files) };
}

const workingTree: PlanDiffSide = { revision: null, commit: null };

/** The root in the working tree, if there is one: its own, since commits are compared. */
function rootOf(deps: ProgramDeps, options: CommonOptions): string | undefined {
  const root = namedRoot(deps, options) ?? nearestRoot(deps.workingDirectory, deps.disk);
  return root !== undefined && deps.disk.stat(root)?.kind === 'directory' ? root : undefined;
}

interface Commit {
  readonly id: string | undefined;
  readonly side: PlanDiffSide;
}

async function commitsOf(
  directory: string,
  { before, after, fromMergeBase }: GivenSides,
): Promise<readonly [Commit, Commit | undefined]> {
  const commit = async (revision: string): Promise<Commit> => {
    const id = await commitOf(directory, revision);
    return { id, side: { revision, commit: id ?? null } };
  };
  const [from, to] = [await commit(before), after === undefined ? undefined : await commit(after)];
  if (!fromMergeBase || from.id === undefined || to?.id === undefined) return [from, to];
  const base = await mergeBaseOf(directory, from.id, to.id);
  return [{ id: base, side: { revision: `merge base with ${before}`, commit: base } }, to];
}

/** The files of the working tree, after all changes in the journal are written to them. */
async function filesHere(
  deps: ProgramDeps,
  root: string,
  options: CommonOptions,
  comparer: PlanComparer,
): Promise<readonly TreeFile[]> {
  const { server_url: service } = await readRootConfig(root, deps.disk);
  if (service !== undefined)
    throw conflict('The plan is at a service elsewhere, not in files here: name two commits to compare.');
  // A clone in which no command has changed the plan has files alone: reading it writes nothing.
  if (deps.disk.stat(join(root, 'local')) !== undefined)
    await withTarget(deps, { ...options, root }, ({ planner }) => planner.flush(), { readOnly: true });
  return comparer.filesOn(deps.disk, root);
}
