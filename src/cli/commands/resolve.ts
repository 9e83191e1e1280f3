import type { Command } from 'commander';
import { addCommand } from '../command-line.ts';
import type { ProgramParts } from '../parts.ts';
import { resolveUnmerged } from '../resolve.ts';
import { rootThere } from '../workplace.ts';

/** `resolve`: what no merge driver can, for git asks it about contents alone. */
export function addResolveCommand(parts: ProgramParts, program: Command): void {
  addCommand(
    parts,
    program,
    {
      usage: 'resolve',
      description:
        'settle what git left unmerged for its paths alone: one side renamed a file that the other moved, or added to a folder that the other renamed; exit code 1 where a person has to decide',
      examples: ['resolve && git commit', 'resolve && git rebase --continue'],
    },
    async (_, options, answer) => {
      const root = rootThere(parts, options.root);
      const mergePlaces = await parts.mergePlaces();
      const { settled, left } = await resolveUnmerged({ disk: parts.disk, root, mergePlaces });
      const lines = [
        ...settled.map(({ path }) => `Settled: ${path}`),
        ...left.map(({ paths, reason }) => `Left: ${paths.join(', ')}: ${reason}.`),
      ];
      if (left.length > 0) answer.refuse({ settled, left }, lines);
      else
        answer.give({ settled, left }, [
          ...lines,
          'Nothing of the plan is unmerged: git commit, or git rebase --continue.',
        ]);
    },
  );
}
