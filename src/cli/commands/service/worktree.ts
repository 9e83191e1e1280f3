import { dirname } from 'node:path';
import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import { serviceRunningOver } from '../../call/cli-target.ts';
import { requireOwnLocal } from '../../machine/local-ownership.ts';
import { noRoot } from '../../service/no-root.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { serverFile } from '../../service/running-service.ts';
import { namedRoot } from '../../worktrees/command-root.ts';
import { branchOfRoot, findRoot } from '../../worktrees/shared-root.ts';
import type { RootSource } from '../../worktrees/shared-root.ts';
import { uncommittedBelow } from '../../worktrees/uncommitted.ts';
import { branchOf, isDetached, workingTreeAround } from '../../worktrees/working-tree.ts';

/** Why commands use a root, for people. */
const reasons: Readonly<Record<RootSource | 'named', string>> = {
  named: 'named by --root or PLANNER_ROOT',
  nearest: 'the nearest upwards',
  own: "this worktree's own files",
  setting: 'named by git config planner.root',
  main: "the main worktree's, shared by all worktrees",
  listed: 'that of the first worktree that has one, shared by all worktrees',
};

const shownMax = 20;

/** `worktree`: shows which root the commands in a directory use, and its state. */
export function addWorktreeCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'worktree',
      description:
        'show which .planner commands use here and why, its branch, the service that runs over it, and its uncommitted files',
      examples: ['worktree', 'worktree --json'],
    },
    async (_, options, out) => {
      const { disk, workingDirectory } = deps;
      const named = namedRoot(deps, options);
      const found =
        named === undefined
          ? await findRoot(disk, workingDirectory, options)
          : ({ root: named, source: 'named' } as const);
      if (found === undefined || disk.stat(found.root)?.kind !== 'directory')
        throw noRoot(named === undefined ? `in ${workingDirectory} or above it` : `at ${named}`);
      const { root, source } = found;
      const around = workingTreeAround(disk, workingDirectory);
      const tree = around === undefined || isDetached(around) ? undefined : around;
      await requireOwnLocal(deps, root);
      const running = await serviceRunningOver(deps, root);
      const uncommitted = await uncommittedBelow(root);
      const state = {
        worktree: tree?.directory ?? null,
        branch: tree === undefined ? null : branchOf(disk, tree.gitDirectory),
        linked: tree?.isLinked ?? false,
        root,
        source,
        root_branch: branchOfRoot(disk, root),
        service: running === undefined ? null : { url: running.url, pid: pidOf(deps, root) },
        uncommitted: uncommitted ?? null,
        in_repository: workingTreeAround(disk, dirname(root)) !== undefined,
      };
      out.print(state, lines(state));
    },
  );
}

function pidOf({ disk }: ProgramDeps, root: string): number | null {
  try {
    return serverFile(root, disk).readNow()?.pid ?? null;
  } catch {
    return null;
  }
}

interface State {
  readonly worktree: string | null;
  readonly branch: string | null;
  readonly linked: boolean;
  readonly root: string;
  readonly source: RootSource | 'named';
  readonly root_branch: string | null;
  readonly service: { readonly url: string; readonly pid: number | null } | null;
  /** Relative to the root; null outside of repositories. */
  readonly uncommitted: readonly string[] | null;
  readonly in_repository: boolean;
}

function lines({
  worktree,
  branch,
  linked,
  root,
  source,
  root_branch,
  service,
  uncommitted,
  ...state
}: State): string[] {
  const onBranch = (name: string | null): string => (name === null ? '' : `, branch ${name}`);
  return [
    ...(worktree === null ? [] : [`Worktree: ${worktree} (${linked ? 'linked' : 'main'}${onBranch(branch)})`]),
    `Plan: ${root} (${reasons[source]}${onBranch(root_branch)})`,
    service === null
      ? 'Service: none runs over it'
      : `Service: ${service.url}${service.pid === null ? '' : ` (process ${service.pid})`}`,
    ...(uncommitted === null
      ? [
          `Uncommitted: ${state.in_repository ? 'unknown, since git is not installed' : 'the plan is in no git repository'}`,
        ]
      : uncommittedLines(root, uncommitted)),
  ];
}

function uncommittedLines(root: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return ['Uncommitted: nothing'];
  const more = paths.length - shownMax;
  return [
    `Uncommitted: ${paths.length} ${paths.length === 1 ? 'file' : 'files'}, to be committed in ${dirname(root)}`,
    ...paths.slice(0, shownMax).map((path) => `  ${path}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
