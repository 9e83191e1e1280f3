import { join } from 'node:path';
import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import type { CommonOptions } from '../../call/command-line.ts';
import { adoptLocal } from '../../machine/local-ownership.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { commandRoot } from '../../worktrees/command-root.ts';

/** `adopt`: declares a `local/` that was copied, restored or created by another user as the user's own. */
export function addAdoptCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'adopt',
      isChange: true,
      description:
        'trust a local/ that was copied, restored from a backup or created by another user, with its keys, sign-ins, links and journal; only if you know its origin',
      examples: ['adopt', 'adopt --yes --root ../restored'],
      options: (command) => command.option('--yes', 'the local/ of this root is yours'),
    },
    async (_, options: CommonOptions & { readonly yes?: boolean }, out) => {
      const root = await commandRoot(deps, options);
      const local = join(root, 'local');
      if (options.yes !== true)
        return out.printNo({ root, adopted: false }, [
          `${local} would be trusted: every key, sign-in and share link in it gives access to this plan, and its journal changes the files.`,
          'If it is yours: planner adopt --yes. If it came from someone else, remove it: the plan itself is in projects/.',
        ]);
      await adoptLocal(deps, root);
      out.print({ root, adopted: true }, `${local} is now trusted.`);
    },
  );
}
