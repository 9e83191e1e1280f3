import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { LeftOut, MovingReport } from '../../exchange/imported-plan.ts';
import { notFound } from '../../errors.ts';
import type { Disk } from '../../store/index.ts';
import { addPlanCommand } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';

interface ImportOptions {
  readonly from?: string;
  readonly withDeleted?: boolean;
  readonly allowPartial?: boolean;
}

/** `import` of a whole project. */
export function addImportCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand<ImportOptions>(
    deps,
    program,
    {
      usage: 'import <path>',
      description:
        'create a project from an export or from the plan of another tool: a Backlog.md directory, a beads issues.jsonl, a Taskmaster tasks.json, a Plan Desk export, a JSON Canvas',
      examples: ['import plan.planner.json', 'import backlog/', 'import . --from beads'],
      options: (command) =>
        command
          .option('--from <format>', 'the format, or the path, of the plan if there are several')
          .option('--with-deleted', 'import what the tool has marked as deleted, too')
          .option('--allow-partial', 'exit with 0 although a part of the plan was left out'),
    },
    async ([given], { from, withDeleted = false, allowPartial }, out, { planner }) => {
      const path = resolve(deps.workingDirectory, given!);
      if (deps.disk.stat(path) === undefined) throw notFound('file', path);
      const { documentOf, findPlan, readPlan } = await import('../../exchange/read-plan.ts');
      const { treeOnDisk } = await import('../../exchange/plan-files.ts');
      const isFile = deps.disk.stat(path)?.kind === 'file';
      const tree = treeOnDisk(deps.disk, isFile ? dirname(path) : path);
      const plan = findPlan(tree, isFile ? basename(path) : '', from);
      const found = readPlan(tree, plan, { name: nameFor(path), withDeleted });
      const project = await planner.importProject(
        basename(path),
        found.kind === 'moved' ? [Buffer.from(JSON.stringify(documentOf(found.draft)))] : bytesOf(deps.disk, path),
      );
      const report = found.kind === 'moved' ? found.report : undefined;
      const value = { project, ...(report === undefined ? {} : { report }) };
      const lines = importLines(project, report);
      if (allowPartial === true || report?.left_out.every(({ expected }) => expected) !== false)
        out.print(value, lines);
      else out.printPartial(value, lines);
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

/** Paths and ids that a line for people names. */
const placesShown = 5;

const pieceBytes = 1024 * 1024;

function* bytesOf(disk: Disk, path: string): Generator<Uint8Array> {
  for (let offset = 0; ; offset += pieceBytes) {
    const piece = disk.readRange(path, offset, pieceBytes);
    if (piece === undefined || piece.length === 0) return;
    yield piece;
  }
}

function importLines(project: Readonly<Record<string, unknown>>, report: MovingReport | undefined): readonly string[] {
  const { id, name } = project;
  const made = `${String(name)} is the project ${String(id)}.`;
  if (report === undefined) return [made];
  const { from, counts, remarks, left_out: leftOut } = report;
  const counted = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return [
    `${made} From ${from}: ${counted.join(', ')}.`,
    ...leftOut.map(leftOutLine),
    ...remarks.map(({ what, count, examples }) => `Note: ${what} (${listed(examples, count)})`),
  ];
}

/** How many of how many, why, and the first of them; --json has all. */
function leftOutLine({ of, reason, count, total, places }: LeftOut): string {
  return `Left out: ${count} of ${total} ${of}${total === 1 ? '' : 's'}: ${reason} (${listed(places, count)})`;
}

function listed(places: readonly string[], count: number): string {
  const shown = places.slice(0, placesShown);
  return `${count}: ${shown.join(', ')}${count > shown.length ? ', …' : ''}`;
}
