import { dirname } from 'node:path';
import type { Command } from 'commander';
import { conflict } from '../../../base/errors.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import { commitPlan } from '../../worktrees/plan-commit.ts';
import { connectedAmong } from '../../connect/unbind.ts';
import { uncommittedBelow } from '../../worktrees/uncommitted.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';

/** `commit`: commits the files of the plan. */
export function addCommitCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'commit',
      isChange: true,
      description:
        "commit the plan's files to git, and nothing else that is staged; the message names the changes. Hooks and signing are git commit's",
      examples: ['commit', 'commit -m "Plan the cook mode"'],
      options: (command) => command.option('-m, --message <text>', 'the message (default: a list of the changes)'),
    },
    async (_, { message }: { readonly message?: string }, out, { planner, root, config }) => {
      if (root === undefined || config.server_url !== undefined)
        throw conflict('The plan is at a service elsewhere, not in files here: there is nothing to commit.');
      await planner.flush();
      const made = await commitPlan(deps.disk, root, message);
      if (made === undefined)
        return out.print({ root, commit: null }, 'Nothing of the plan has changed since the last commit.');
      const files = `${made.files.length} ${made.files.length === 1 ? 'file' : 'files'}`;
      const beside = made.files.includes('config.json') ? await connectedBeside(deps, dirname(root)) : [];
      out.print({ root, ...made }, [
        ...[{ block: made.message }, '', `Committed ${files} as ${made.commit.slice(0, 10)}.`],
        ...(beside.length === 0
          ? []
          : [
              `Not committed, though planner connect wrote to them: ${beside.join(', ')}. To share them: git add ${beside.join(' ')}`,
            ]),
      ]);
    },
  );
}

/** The uncommitted files beside the plan in which `planner connect` has written. */
async function connectedBeside({ disk }: ProgramDeps, directory: string): Promise<readonly string[]> {
  return connectedAmong(disk, directory, new Set(await uncommittedBelow(directory)));
}
