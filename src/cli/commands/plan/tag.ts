import type { Command } from 'commander';
import { addPlanCommand, present } from '../../call/command-line.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { idAmong } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { printDeleted } from '../../records/record-commands.ts';

interface ShownTag {
  readonly id: string;
  readonly name: string;
  readonly color: string | null;
}

interface ColorOption extends ProjectOption {
  readonly color?: string;
}

/** `tag`: lists, creates, renames, colors and deletes tags. */
export function addTagCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('tag').description('tags of tasks: list, add, rename, rm');
  addTagList(deps, group);
  addTagAdd(deps, group);
  addTagRename(deps, group);
  addTagRemove(deps, group);
}

function addTagList(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'list',
      isDefault: true,
      description: 'list the tags of a project by name',
      examples: ['tag list', 'tag list --json'],
      options: projectOption,
    },
    async (_, options: ProjectOption, out, target) => {
      const { id } = await chooseProject(target, options);
      const result = await target.planner.call('list_tags', { project_id: id });
      const tags = result['tags'] as readonly ShownTag[];
      out.print(result, tags.length === 0 ? 'No tags.' : tags.map(tagRow));
    },
  );
}

function addTagAdd(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'add <name>',
      isChange: true,
      description: 'create a tag; tasks that name a new one create it, too',
      examples: ['tag add checkout', 'tag add checkout --color "#0a7d4f"'],
      options: (command) => colorOption(projectOption(command)),
    },
    async ([name], { color, ...options }: ColorOption, out, target) => {
      const { id } = await chooseProject(target, options);
      const result = await target.planner.call('create_tag', { project_id: id, name, ...colorOf(color) });
      out.print(result, tagRow(result['tag'] as ShownTag));
    },
  );
}

function addTagRename(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'rename <tag> <name>',
      isChange: true,
      description: 'rename a tag wherever it is used; files may go on using the former name',
      examples: ['tag rename checkout payment', 'tag rename checkout checkout --color "#0a7d4f"'],
      options: (command) => colorOption(projectOption(command)),
    },
    async ([text, name], { color, ...options }: ColorOption, out, target) => {
      const [tag] = await tagsMeant(target, options, [text]);
      const result = await target.planner.call('update_tag', { tag_id: tag!.id, name, ...colorOf(color) });
      out.print(result, tagRow(result['tag'] as ShownTag));
    },
  );
}

function addTagRemove(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'rm <tag...>',
      isChange: true,
      description: 'delete tags, and take them from their tasks; planner restore brings them back',
      examples: ['tag rm checkout', 'tag rm checkout spring'],
      options: projectOption,
    },
    async (given, options: ProjectOption, out, target) => {
      const found = await tagsMeant(target, options, given);
      for (const { id } of found) await target.planner.call('delete_tag', { tag_id: id });
      printDeleted(out, found);
    },
  );
}

/** The tags that arguments mean. */
async function tagsMeant(
  target: CliTarget,
  options: ProjectOption,
  given: readonly string[],
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { id: project_id } = await chooseProject(target, options);
  const tags = (await target.planner.call('list_tags', { project_id }))['tags'] as readonly ShownTag[];
  return Promise.all(
    given.map(async (text) => {
      const id = await idAmong(async () => tags, { what: 'tag', command: 'planner tag' }, text);
      return { id, name: tags.find((tag) => tag.id === id)?.name ?? id };
    }),
  );
}

function colorOption(command: Command): Command {
  return command.option('--color <color>', '#rrggbb; "" for none');
}

function colorOf(color: string | undefined): { readonly color?: string | null } {
  return present({ color: color === '' ? null : color });
}

function tagRow({ name, color }: ShownTag): string {
  return `${name}${color === null ? '' : `  ${color}`}`;
}
