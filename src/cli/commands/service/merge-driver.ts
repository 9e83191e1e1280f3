import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import { mergeExit } from '../../git/merge-driver.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';

/**
 * `merge-driver`: git runs it for each file of a plan that both sides of a merge changed. Called in git's form, it does not get here: to be
 * fast, `main` runs it without loading the command line.
 */
export function addMergeDriverCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'merge-driver <base> <ours> <theirs> <path>',
      isHidden: true,
      description: `merge three versions of a file of a plan into <ours>; git runs it if planner init has registered it (exit code ${mergeExit.clean}: merged, ${mergeExit.conflicts}: with conflict markers, ${mergeExit.failed}: not merged, <ours> is as it was)`,
      examples: [
        'merge-driver base.md ours.md theirs.md .planner/projects/shop-4xk2m9/tasks/pay.tsk_4xk2m9d7sbbh96px.md',
      ],
    },
    async (given) => {
      deps.exitWith(await deps.mergeForGit(given));
    },
  );
}
