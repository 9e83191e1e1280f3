import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { resolveUnmerged } from '../../git/resolve.ts';
import { existingRoot } from '../../call/cli-target.ts';

/** `resolve`: resolves path conflicts, which a merge driver cannot, since git calls it for contents only. */
export function addResolveCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'resolve',
      isChange: true,
      description:
        'resolve what git left unmerged only because of paths: one side renamed a file that the other moved, or added to a folder that the other renamed; exit code 1 if conflicts remain',
      examples: ['resolve && git commit', 'resolve && git rebase --continue'],
    },
    async (_, options, out) => {
      const root = existingRoot(deps, options.root);
      const mergePlaces = await deps.mergePlaces();
      const { settled, left } = await resolveUnmerged({ disk: deps.disk, root, mergePlaces });
      const lines = [
        ...settled.map(({ path }) => `Resolved: ${path}`),
        ...left.map(({ paths, reason }) => `Unresolved: ${paths.join(', ')}: ${reason}.`),
      ];
      if (left.length > 0) out.printNo({ settled, left }, lines);
      else
        out.print({ settled, left }, [
          ...lines,
          'No file of the plan is unmerged: if a merge or rebase is under way, run git commit or git rebase --continue.',
        ]);
    },
  );
}
