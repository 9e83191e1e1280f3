import type { Command } from 'commander';
import { addPlanCommand, collect, present, textOf, usageError } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { idOf, idOfOption, inProject, recordToChange } from '../../call/find-record.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { addRemoval, addTextShow } from '../../records/record-commands.ts';
import { shownIds } from '../../call/short-ids.ts';
import type { ShownId } from '../../call/short-ids.ts';

interface ShownDocument {
  readonly id: string;
  readonly title: string;
  readonly status: string | null;
}

interface ShownTree {
  readonly documents?: readonly ShownDocument[];
  readonly folders?: readonly (ShownTree & { readonly id: string; readonly name: string })[];
}

interface Fields {
  readonly title?: string;
  readonly body?: string;
  readonly status?: string;
  readonly folder?: string;
  readonly link?: readonly string[];
}

/** `doc`: lists, shows, creates, changes and deletes documents. */
export function addDocumentCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('doc').description('documents: list, show, add, set, rm');
  addReadingCommands(deps, group);
  addWritingCommands(deps, group);
  addRemoval(deps, group, 'document', ['doc rm "Decision 7"', 'doc rm 9q3f 1x7k']);
}

function addReadingCommands(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'list',
      description: 'list documents by folder',
      examples: ['doc list', 'doc list --project "Web shop" --json'],
      options: projectOption,
    },
    (_, options: ProjectOption, out, target) => listDocuments(target, options, out),
  );
  addTextShow(deps, group, 'document', {
    what: "a document's Markdown",
    example: '"Decision 7"',
    list: listDocuments,
  });
}

async function listDocuments(target: CliTarget, options: ProjectOption, out: CommandOutput): Promise<void> {
  const { id } = await chooseProject(target, options);
  const result = await target.planner.call('list_documents', { project_id: id, verbose: false });
  const ids = idsIn(result);
  const shown = await shownIds(target, id, ids);
  out.print(result, ids.length === 0 ? 'No documents.' : treeLines(result, shown));
}

function addWritingCommands(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'add <title>',
      isChange: true,
      description: 'create a document',
      examples: [
        'doc add "Checkout" --body - < checkout.md',
        'doc add "Decision 7" --body "We take cards first." --link "Take payments"',
      ],
      options: (command) => fieldOptions(projectOption(command)),
    },
    async ([title], options: Fields & ProjectOption, out, target) => {
      const { id } = await chooseProject(target, options);
      const fields = await fieldsOf(deps, options, inProject(target, id));
      const result = await target.planner.call('create_document', { project_id: id, title, body: '', ...fields });
      out.print(result, await changedRow(target, result));
    },
  );
  addPlanCommand(
    deps,
    group,
    {
      usage: 'set <document>',
      isChange: true,
      description: 'change a document',
      examples: ['doc set Checkout --body - < checkout.md', 'doc set 9q3f --status "under review"'],
      options: (command) => fieldOptions(command).option('--title <text>', 'the title'),
    },
    async ([document], options: Fields, out, target) => {
      const { title, body, status, folder, link = [] } = options;
      if (Object.keys(present({ title, body, status, folder })).length + link.length === 0)
        throw usageError('--body', 'Say what to change: --title, --body, --status, --folder or --link.');
      const { id, near } = await recordToChange(target, 'document', document, [folder, ...link]);
      const fields = await fieldsOf(deps, options, near);
      const result = await target.planner.call('update_document', { document_id: id, ...fields });
      out.print(result, await changedRow(target, result));
    },
  );
}

function fieldOptions(command: Command): Command {
  return command
    .option('--body <markdown>', 'the text; - to read standard input')
    .option('--status <line>', 'its one-line status; "" for none')
    .option('--folder <id or name>', 'the folder; "" for Unfiled')
    .option('--link <id or name>', 'a task or document to link to; repeat for several', collect);
}

async function fieldsOf(
  deps: ProgramDeps,
  options: Fields,
  target: CliTarget,
): Promise<Readonly<Record<string, unknown>>> {
  const { title, status, link } = options;
  const folder = await idOfOption(target, ['folder'], options.folder);
  const link_to = link && (await Promise.all(link.map((text) => idOf(target, ['task', 'document'], text))));
  const orNull = (text: string | undefined): string | null | undefined => (text === '' ? null : text);
  const body = await textOf(deps, options.body);
  return present({ title, body, status_line: orNull(status), folder_id: orNull(folder), link_to });
}

async function changedRow(target: CliTarget, result: Readonly<Record<string, unknown>>): Promise<string> {
  const document = result['document'] as ShownDocument & { readonly project_id: string };
  return documentRow(document, await shownIds(target, document.project_id, [document.id]));
}

function documentRow({ id, title, status }: ShownDocument, shown: ShownId): string {
  return `${shown(id)}  ${title}${status === null ? '' : `  (${status})`}`;
}

function idsIn({ folders = [], documents = [] }: ShownTree): readonly string[] {
  return [...folders.flatMap((folder) => [folder.id, ...idsIn(folder)]), ...documents.map(({ id }) => id)];
}

function treeLines({ folders = [], documents = [] }: ShownTree, shown: ShownId, indent = ''): string[] {
  return [
    ...folders.flatMap((folder) => [
      `${indent}${shown(folder.id)}  ${folder.name}/`,
      ...treeLines(folder, shown, `${indent}  `),
    ]),
    ...documents.map((document) => indent + documentRow(document, shown)),
  ];
}
