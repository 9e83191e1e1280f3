import { join } from 'node:path';
import type { Command } from 'commander';
import { addCommand } from '../command-line.ts';
import { adoptLocal } from '../local-ownership.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { existingRoot } from '../cli-target.ts';

/** `adopt`: the person says that a `local/` which was copied, restored or made by another user is theirs. */
export function addAdoptCommand(deps: ProgramDeps, program: Command): void {
  addCommand<{ readonly yes?: boolean }>(
    deps,
    program,
    {
      usage: 'adopt',
      description:
        'use a local/ that was copied, restored from a backup or made by another user: its keys, sign-ins, links and journal; only if you know where it comes from',
      examples: ['adopt', 'adopt --yes --root ../restored'],
      options: (command) => command.option('--yes', 'the local/ of this root is yours'),
    },
    async (_, { root: named, yes }, out) => {
      const root = existingRoot(deps, named);
      const local = join(root, 'local');
      if (yes !== true)
        return out.printNo({ root, adopted: false }, [
          `${local} would be used as it is: every key, sign-in and share link in it opens this plan, and its journal changes the files.`,
          'If it is yours: planner adopt --yes. If it came from somebody else, remove it: the plan itself is in projects/.',
        ]);
      await adoptLocal(deps, root);
      out.print({ root, adopted: true }, `${local} is yours from now on.`);
    },
  );
}
