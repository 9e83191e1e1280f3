import type { Command } from 'commander';
import { addPlanCommand, present, textOf } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { addRemoval, addTextShow, addTitledList, listTitled, titledRows } from '../../records/record-commands.ts';
import type { TitledRow } from '../../records/record-commands.ts';

interface AddOptions extends ProjectOption {
  readonly kind?: string;
  readonly content?: string;
}

/** `artifact`: lists, shows, creates and deletes artifacts. */
export function addArtifactCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('artifact').description('artifacts, which agents deliver: list, show, add, rm');
  addTitledList(deps, group, 'artifact');
  addTextShow(deps, group, 'artifact', {
    what: "an artifact's Markdown or HTML",
    example: '"Load test"',
    list: (target, options, out) => listTitled(target, 'artifact', options, out),
  });
  addPlanCommand(
    deps,
    group,
    {
      usage: 'add <title>',
      isChange: true,
      description: 'create an artifact',
      examples: [
        'artifact add "Load test" --content - < report.md',
        'artifact add "Data flow" --kind html --content - < flow.html',
      ],
      options: (command) =>
        projectOption(command)
          .option('--kind <kind>', 'markdown or html; default markdown')
          .option('--content <text>', 'the Markdown or HTML; - to read standard input'),
    },
    async ([title], options: AddOptions, out, target) => {
      const { id } = await chooseProject(target, options);
      const content = await textOf(deps, options.content);
      const input = present({ project_id: id, title, kind: options.kind, content });
      const result = await target.planner.call('create_artifact', input);
      out.print(result, await titledRows(target, id, [result['artifact'] as TitledRow]));
    },
  );
  addRemoval(deps, group, 'artifact', ['artifact rm 9q3f', 'artifact rm "Load test"']);
}
