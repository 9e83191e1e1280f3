import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import type { SyncOptions } from '../../working-copy/sync.ts';

/** `sync`: brings a working copy and its hosted project together. */
export function addSyncCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'sync [directory]',
      isChange: true,
      description:
        'bring a working copy and its hosted project together: what changed here goes there, and the reverse',
      examples: ['sync', 'sync ../garden', 'sync --watch'],
      options: (command) =>
        command.option('--watch', 'go on whenever one of them changes, until stopped; needs a running service'),
    },
    async ([directory], options: SyncOptions, out) => {
      const { sync } = await import('../../working-copy/sync.ts');
      await sync(deps, directory === undefined ? options : { ...options, root: directory }, out);
    },
  );
}
