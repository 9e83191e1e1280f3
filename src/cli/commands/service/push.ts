import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { PushOptions } from '../../working-copy/push.ts';

/** `push`: makes a project of the files one of a hosted service. */
export function addPushCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'push [url]',
      isChange: true,
      description:
        'make the project of these files a project of a hosted service, which makes these files its working copy',
      examples: ['push https://plan.example.org', 'push https://plan.example.org --copy'],
      options: (command) =>
        projectOption(command).option(
          '--copy',
          'make another project of it, with new ids; these files do not become its working copy',
        ),
    },
    async ([url], options: PushOptions, out) => {
      const { push } = await import('../../working-copy/push.ts');
      await push(deps, url, options, out);
    },
  );
}
