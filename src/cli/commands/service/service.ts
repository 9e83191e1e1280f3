import { dirname } from 'node:path';
import type { Command } from 'commander';
import { addPlanCommand, problemLine } from '../../call/command-line.ts';
import { nodeFault } from '../../../platform/node-version.ts';
import { git } from '../../git/git.ts';
import { lacksMergeDriver } from '../../git/merge-registration.ts';
import { knownAgents } from '../../runner/agents/find-agent.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import type { Problem } from '../../../schema/types.ts';
import type { CliTarget } from '../../call/cli-target.ts';

/** `flush` and `doctor`: commands for the files themselves. */
export function addServiceCommands(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'flush',
      isChange: true,
      description: 'wait until every acknowledged change is written to its file',
      examples: ['flush && git commit -m "Plan" .planner'],
    },
    async (_, __, out, { planner }) => {
      await planner.flush();
      out.print({ flushed: true }, 'All changes are written to their files.');
    },
  );
  addPlanCommand(
    deps,
    program,
    {
      usage: 'doctor',
      description:
        'check every file, id, reference, lock and setting; exit code 1 if there are problems other than notes',
      examples: ['doctor', 'doctor --fix'],
      options: (command) => command.option('--fix', 'first make the repairs that lose no data'),
      // Checks need no write access; repairs do.
      target: ({ fix }: { readonly fix?: boolean }) => ({ readOnly: fix !== true }),
    },
    async (_, { fix }: { readonly fix?: boolean }, out, target) => {
      const { problems: found, mended, upgraded = [] } = await target.planner.doctor(fix === true);
      const problems = [...found, ...(await notesBeside(deps, target))];
      const notes = problems.filter(({ severity }) => severity === 'note');
      const faults = problems.filter(({ severity }) => severity !== 'note');
      const { agents, has_worktrees: hasWorktrees } = await groundOfRuns(deps, target);
      const lines = [
        ...upgraded.map((what) => `Upgraded: ${what}`),
        ...mended.map((what) => `Repaired: ${what}`),
        ...(faults.length === 0 ? ['No problems.'] : faults.map(problemLine)),
        ...notes.map((note) => `Note: ${problemLine(note)}`),
        ...(hasWorktrees
          ? [`For planner run: git has worktrees; installed agents: ${agents.join(', ') || 'none'}.`]
          : []),
      ];
      const answer = {
        problems,
        ...(fix === true ? { mended } : {}),
        ...(upgraded.length === 0 ? {} : { upgraded }),
        node: { version: process.versions.node },
        run: { agents, has_worktrees: hasWorktrees },
      };
      if (faults.length === 0) out.print(answer, lines);
      else out.printNo(answer, lines);
    },
  );
}

/** What `planner run` finds here: the names of installed agents, none of which is started, and whether git has worktrees. */
async function groundOfRuns(
  deps: ProgramDeps,
  { root }: CliTarget,
): Promise<{ readonly agents: readonly string[]; readonly has_worktrees: boolean }> {
  const known = await knownAgents(deps);
  const listed = await git(root === undefined ? deps.workingDirectory : dirname(root), [
    'worktree',
    'list',
    '--porcelain',
  ]);
  return {
    agents: known.flatMap(({ agent, isInstalled }) => (isInstalled ? agent.name : [])),
    has_worktrees: listed.ok,
  };
}

/** The problems that `doctor` finds outside the plan: in Node, the environment and git. */
async function notesBeside(deps: ProgramDeps, { root, config }: CliTarget): Promise<readonly Problem[]> {
  const fault = nodeFault();
  const isHosted = root === undefined || config.server_url !== undefined;
  const notes: Omit<Problem, 'severity'>[] = [
    ...(fault === undefined ? [] : [{ path: process.execPath, kind: 'node_version', ...fault }]),
    ...deps.environment().unknown.map(({ name, like }) => ({
      path: name,
      kind: 'ignored_value',
      reason: `it is no variable of Planner.${like === undefined ? '' : ` Did you mean ${like}?`}`,
    })),
    ...(!isHosted && (await lacksMergeDriver(root)) ? [notConnected] : []),
  ];
  return notes.map((note) => ({ ...note, severity: 'note' }));
}

const notConnected = {
  path: '.planner',
  kind: 'not_connected',
  reason: 'Git has no merge driver for the plan in this clone: branches of the plan merge as plain text.',
  remedy: 'Run planner connect, which registers it, and creates a key for agents.',
};
