import { dirname } from 'node:path';
import type { Command } from 'commander';
import { addCommand } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { nearestRoot, rootIn } from '../root.ts';
import { registerMergeDriver } from '../merge-registration.ts';
import { makePlannerRoot } from '../make-root.ts';

/** `init`: a `.planner` with what git has to know about it. */
export function addInitCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'init',
      description: 'make a .planner here, with what git has to know about it; running it again changes nothing',
      examples: ['init', 'init --root ../my-repository'],
    },
    async (_, options, out) => {
      const { disk, workingDirectory, environment } = deps;
      const root = rootIn(options.root ?? environment().root ?? workingDirectory);
      const above = disk.stat(root) === undefined ? nearestRoot(dirname(dirname(root)), disk) : undefined;
      const done = [...makePlannerRoot(deps, root), ...(await registerMergeDriver(dirname(root), deps.program))];
      out.print({ root, done }, [
        ...(done.length === 0
          ? [`${root} is there already and has what it needs.`]
          : [`${root}:`, ...done.map((what) => `  ${what}`)]),
        ...(above === undefined ? [] : [`Note: there is ${above} above it, which is not used from here any more.`]),
        'Next: planner serve, then planner connect --project <name> --create binds this repository to a project.',
      ]);
    },
  );
}
