import { basename, dirname, resolve } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import type { FoundPlan } from '../../exchange/read-plan.ts';
import { notFound } from '../../errors.ts';
import { replaceFileAsync } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import { addPlanCommand } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { chooseProject } from '../project-choice.ts';

/** The values of --format, and the operation's names for them. */
const formats = { planner: 'planner-export-v1', 'json-canvas': 'json-canvas', csv: 'csv' } as const;

interface ExportOptions {
  readonly format: keyof typeof formats;
  readonly output?: string;
}

interface ImportOptions {
  readonly from?: string;
}

/** `export` and `import` of whole projects. */
export function addExchangeCommands(deps: ProgramDeps, program: Command): void {
  addPlanCommand<ExportOptions>(
    deps,
    program,
    {
      usage: 'export [project]',
      description: 'write a whole project as one document',
      examples: ['export > plan.planner.json', 'export "Web shop" --format csv -o tasks.csv'],
      options: (command) =>
        command
          .addOption(
            new Option('--format <format>', 'the whole project, its canvas as JSON Canvas, or its tasks as a table')
              .choices(Object.keys(formats))
              .default('planner'),
          )
          .option('-o, --output <file>', 'the file to write (default: standard output)'),
    },
    async ([named], { format, output }, out, target) => {
      const project = await chooseProject(target, named === undefined ? {} : { project: named });
      const pieces = await target.planner.exportProject(project.id, formats[format]);
      if (output === undefined) {
        for await (const piece of pieces) await deps.write(piece);
        return;
      }
      const path = resolve(deps.workingDirectory, output);
      const bytes = await replaceFileAsync(deps.disk, path, pieces);
      out.print({ project, path, bytes }, `${project.name} is in ${path} (${bytes} bytes).`);
    },
  );
  addPlanCommand<ImportOptions>(
    deps,
    program,
    {
      usage: 'import <path>',
      description:
        'create a project from an export or from the plan of another tool: a Backlog.md directory, a beads issues.jsonl, a Taskmaster tasks.json, a Plan Desk export, a JSON Canvas',
      examples: ['import plan.planner.json', 'import backlog/', 'import . --from beads'],
      options: (command) =>
        command.option('--from <format>', 'the format, or the path, of the plan if there are several'),
    },
    async ([given], { from }, out, { planner }) => {
      const path = resolve(deps.workingDirectory, given!);
      if (deps.disk.stat(path) === undefined) throw notFound('file', path);
      const { documentOf, findPlan, readPlan } = await import('../../exchange/read-plan.ts');
      const { treeOnDisk } = await import('../../exchange/plan-files.ts');
      const isFile = deps.disk.stat(path)?.kind === 'file';
      const tree = treeOnDisk(deps.disk, isFile ? dirname(path) : path);
      const plan = findPlan(tree, isFile ? basename(path) : '', from);
      const found = readPlan(tree, plan, { name: nameFor(path), withDeleted: false });
      const project = await planner.importProject(
        basename(path),
        found.kind === 'moved' ? [Buffer.from(JSON.stringify(documentOf(found.draft)))] : bytesOf(deps.disk, path),
      );
      const report = found.kind === 'moved' ? found.report : undefined;
      out.print({ project, ...(report === undefined ? {} : { report }) }, importLines(project, found));
    },
  );
}

/** The name of an imported project whose plan has none: that of the directory it belongs to. */
function nameFor(path: string): string {
  const planNames = ['backlog', '.backlog', '.beads', 'tasks', '.taskmaster', 'issues.jsonl', 'tasks.json'];
  let at = path;
  while (planNames.includes(basename(at))) at = dirname(at);
  return basename(at).replace(/\.[a-z]+$/i, '') || 'Imported';
}

const pieceBytes = 1024 * 1024;

function* bytesOf(disk: Disk, path: string): Generator<Uint8Array> {
  for (let offset = 0; ; offset += pieceBytes) {
    const piece = disk.readRange(path, offset, pieceBytes);
    if (piece === undefined || piece.length === 0) return;
    yield piece;
  }
}

function importLines(project: Readonly<Record<string, unknown>>, found: FoundPlan): readonly string[] {
  const { id, name } = project;
  const made = `${String(name)} is the project ${String(id)}.`;
  if (found.kind === 'export') return [made];
  const { from, counts, remarks } = found.report;
  const counted = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return [
    `${made} From ${from}: ${counted.join(', ')}.`,
    ...remarks.map(
      ({ what, count, examples }) =>
        `Note: ${what} (${count}: ${examples.join(', ')}${count > examples.length ? ', …' : ''})`,
    ),
  ];
}
