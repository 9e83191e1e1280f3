import type { Command } from 'commander';
import { addPlanCommand, collect, present, textOf, usageError } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import type { CliTarget } from '../cli-target.ts';
import { idOf, idOfOption, inProject, recordToChange } from '../find-record.ts';
import { chooseProject, projectOption } from '../project-choice.ts';
import type { ProjectOption } from '../project-choice.ts';

interface ShownDocument {
  readonly id: string;
  readonly title: string;
  readonly status: string | null;
  readonly body?: string;
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

/** `doc`: lists, shows, creates and changes documents. */
export function addDocumentCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('doc').description('documents: list, show, add, set');
  addReadingCommands(deps, group);
  addWritingCommands(deps, group);
}

function addReadingCommands(deps: ProgramDeps, group: Command): void {
  addPlanCommand<ProjectOption>(
    deps,
    group,
    {
      usage: 'list',
      description: 'list documents by folder',
      examples: ['doc list', 'doc list --project "Web shop" --json'],
      options: projectOption,
    },
    async (_, options, out, target) => {
      const { id } = await chooseProject(target, options);
      const result = await target.planner.call('list_documents', { project_id: id, verbose: false });
      const lines = treeLines(result, '');
      out.print(result, lines.length === 0 ? 'No documents.' : lines);
    },
  );
  addPlanCommand(
    deps,
    group,
    {
      usage: 'show <document>',
      isDefault: true,
      description: "print a document's Markdown; also planner doc <document>",
      examples: ['doc show "Decision 7"', 'doc doc_4n0c2m8w > notes.md'],
    },
    async ([document], _, out, target) => {
      const id = await idOf(target, ['document'], document!);
      const result = await target.planner.call('get_document', { document_id: id });
      out.print(result, {
        block: (result['document'] as ShownDocument).body ?? '',
      });
    },
  );
}

function addWritingCommands(deps: ProgramDeps, group: Command): void {
  addPlanCommand<Fields & ProjectOption>(
    deps,
    group,
    {
      usage: 'add <title>',
      description: 'create a document',
      examples: [
        'doc add "Checkout" --body - < checkout.md',
        'doc add "Decision 7" --body "We take cards first." --link tsk_4n0c2m8w1x7k9q3f',
      ],
      options: (command) => fieldOptions(projectOption(command)),
    },
    async ([title], options, out, target) => {
      const { id } = await chooseProject(target, options);
      const fields = await fieldsOf(deps, options, inProject(target, id));
      const result = await target.planner.call('create_document', { project_id: id, title, body: '', ...fields });
      out.print(result, documentRow(result['document'] as ShownDocument));
    },
  );
  addPlanCommand<Fields>(
    deps,
    group,
    {
      usage: 'set <document>',
      description: 'change a document',
      examples: [
        'doc set doc_4n0c2m8w1x7k9q3f --body - < checkout.md',
        'doc set doc_4n0c2m8w1x7k9q3f --status "under review"',
      ],
      options: (command) => fieldOptions(command).option('--title <text>', 'the title'),
    },
    async ([document], options, out, target) => {
      const { title, body, status, folder, link = [] } = options;
      if (Object.keys(present({ title, body, status, folder })).length + link.length === 0)
        throw usageError('--body', 'Say what to change: --title, --body, --status, --folder or --link.');
      const { id, near } = await recordToChange(target, 'document', document!, [folder, ...link]);
      const fields = await fieldsOf(deps, options, near);
      const result = await target.planner.call('update_document', { document_id: id, ...fields });
      out.print(result, documentRow(result['document'] as ShownDocument));
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

function documentRow({ id, title, status }: ShownDocument): string {
  return `${id}  ${title}${status === null ? '' : `  (${status})`}`;
}

function treeLines({ folders = [], documents = [] }: ShownTree, indent: string): string[] {
  return [
    ...folders.flatMap((folder) => [`${indent}${folder.name}/  ${folder.id}`, ...treeLines(folder, `${indent}  `)]),
    ...documents.map((document) => indent + documentRow(document)),
  ];
}
