import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import type { PullOptions } from '../../working-copy/pull.ts';

/** `pull`: takes a hosted project as files. */
export function addPullCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'pull [url]',
      isChange: true,
      description: 'take a project of a hosted service as files: its working copy',
      examples: ['pull https://plan.example.org --into ../garden', 'pull https://plan.example.org --project Garden'],
      options: (command) =>
        command
          .option('--into <directory>', 'the directory that holds .planner, or gets one (default: here)')
          .option('--project <id or name>', 'the project of the service (default: the only one there is)'),
    },
    async ([url], options: PullOptions, out) => {
      const { pull } = await import('../../working-copy/pull.ts');
      await pull(deps, url, options, out);
    },
  );
}
