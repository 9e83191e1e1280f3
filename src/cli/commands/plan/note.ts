import type { Command } from 'commander';
import { addPlanCommand, present, textOf, usageError } from '../../call/command-line.ts';
import { idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { addRemoval, addTextShow, addTitledList, listTitled, titledRows } from '../../records/record-commands.ts';
import type { TitledRow } from '../../records/record-commands.ts';

interface Fields {
  readonly title?: string;
  readonly body?: string;
}

/** `note`: lists, shows, creates, changes and deletes notes. */
export function addNoteCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('note').description('notes: list, show, add, set, rm');
  addTitledList(deps, group, 'note');
  addTextShow(deps, group, 'note', {
    what: "a note's Markdown",
    example: '"Prices of others"',
    list: (target, options, out) => listTitled(target, 'note', options, out),
  });
  addWritingCommands(deps, group);
  addRemoval(deps, group, 'note', ['note rm 9q3f', 'note rm "Prices of others"']);
}

function addWritingCommands(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'add <title>',
      isChange: true,
      description: 'create a note',
      examples: ['note add "Prices of others" --body - < prices.md', 'note add "Ask the bank"'],
      options: (command) => bodyOption(projectOption(command)),
    },
    async ([title], options: Fields & ProjectOption, out, target) => {
      const { id } = await chooseProject(target, options);
      const body = await textOf(deps, options.body);
      const result = await target.planner.call('create_note', { project_id: id, title, ...present({ body }) });
      out.print(result, await titledRows(target, id, [result['note'] as TitledRow]));
    },
  );
  addPlanCommand(
    deps,
    group,
    {
      usage: 'set <note>',
      isChange: true,
      description: 'change a note',
      examples: ['note set "Ask the bank" --body "They answered."', 'note set 9q3f --title "Prices"'],
      options: (command) => bodyOption(command).option('--title <text>', 'the title'),
    },
    async ([text], { title, body }: Fields, out, target) => {
      if (title === undefined && body === undefined)
        throw usageError('--body', 'Say what to change: --title or --body.');
      const note_id = await idOf(target, ['note'], text);
      const fields = present({ title, body: await textOf(deps, body) });
      const result = await target.planner.call('update_note', { note_id, ...fields });
      const note = result['note'] as TitledRow & { readonly project_id: string };
      out.print(result, await titledRows(target, note.project_id, [note]));
    },
  );
}

function bodyOption(command: Command): Command {
  return command.option('--body <markdown>', 'the text; - to read standard input');
}
