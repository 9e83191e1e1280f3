import type { Command } from 'commander';
import { addCommand } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { resolveUnmerged } from '../resolve.ts';
import { existingRoot } from '../cli-target.ts';

/** `resolve`: what no merge driver can, for git asks it about contents alone. */
export function addResolveCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'resolve',
      description:
        'settle what git left unmerged for its paths alone: one side renamed a file that the other moved, or added to a folder that the other renamed; exit code 1 where a person has to decide',
      examples: ['resolve && git commit', 'resolve && git rebase --continue'],
    },
    async (_, options, out) => {
      const root = existingRoot(deps, options.root);
      const mergePlaces = await deps.mergePlaces();
      const { settled, left } = await resolveUnmerged({ disk: deps.disk, root, mergePlaces });
      const lines = [
        ...settled.map(({ path }) => `Settled: ${path}`),
        ...left.map(({ paths, reason }) => `Left: ${paths.join(', ')}: ${reason}.`),
      ];
      if (left.length > 0) out.printNo({ settled, left }, lines);
      else
        out.print({ settled, left }, [
          ...lines,
          'Nothing of the plan is unmerged: git commit, or git rebase --continue.',
        ]);
    },
  );
}
