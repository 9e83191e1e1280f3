import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import type { ImportAnswer, ImportMerge, ImportReport } from '../../../schema/types.ts';
import type { Disk } from '../../../store/index.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { addPlanCommand, present, usageError } from '../../call/command-line.ts';
import type { FormFile } from '../../terminal/form.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { withProgress } from '../../terminal/with-progress.ts';
import { chooseProject, projectsOf } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';

interface ImportOptions {
  readonly from?: string;
  readonly into?: string;
  readonly name?: string;
  readonly withDeleted?: boolean;
  readonly allowPartial?: boolean;
  readonly dryRun?: boolean;
}

/** `import` of a whole project. */
export function addImportCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'import <path>',
      isChange: true,
      description:
        'create a project from an export or the plan of another tool, or merge that into a project; - reads standard input',
      examples: [
        'import plan.planner.json',
        'import backlog/ --dry-run',
        'import . --from beads --into .',
        'import - < plan.planner.json',
      ],
      options: (command) =>
        command
          .option('--from <format>', 'the format, or the path, of the plan if there are several')
          .option(
            '--into <project>',
            'the project that the plan is merged into (. for the one that .planner/config.json binds); records of an earlier import stay as they are',
          )
          .option('--name <name>', 'the name of the new project (default: that of the plan, else of its file)')
          .option('--dry-run', 'change nothing, and print the effect of the import')
          .option('--with-deleted', 'also import records that the tool has marked as deleted')
          .option('--allow-partial', 'exit with 0 although a part of the plan was left out'),
    },
    async ([given], { from, into, name, dryRun, withDeleted, allowPartial }: ImportOptions, out, target) => {
      if (name !== undefined && into !== undefined)
        throw usageError(
          '--name',
          '--name is for a new project, and --into for one that has a name: give one of them.',
        );
      const isInput = given === '-';
      const path = isInput ? deps.workingDirectory : resolve(deps.workingDirectory, given);
      requirePlan(deps.disk, path);
      const plan = isInput ? { files: inputOf(deps), from } : await filesOf(deps.disk, path, from);
      const project = into === undefined ? undefined : await chooseProject(target, intoOption(into), '--into');
      const chosen = present({
        ...{ project_id: project?.id, from: plan.from, name: name ?? (await nameFor(path)) },
        ...{ dry_run: dryRun, with_deleted: withDeleted },
      });
      const what = `Importing ${isInput ? 'standard input' : basename(path)}`;
      const answer = await withProgress({ ...deps, clock: systemClock, what }, () =>
        target.planner.importProject(plan.files, chosen),
      );
      await rename(target, answer, name);
      const isPartial = answer.report.left_out.some(({ expected }) => !expected);
      const lines = [...importLines(answer), ...(await bindingLines(target, answer))];
      if (isPartial && allowPartial !== true) out.printPartial(answer, lines);
      else out.print(answer, lines);
    },
  );
}

/** `--into .` means the project of this repository, whose name a page or a script need not know. */
function intoOption(into: string): ProjectOption {
  return into === '.' ? {} : { project: into };
}

/** The plan may have a name of its own. */
async function rename({ planner }: CliTarget, answer: ImportAnswer, name: string | undefined): Promise<void> {
  const { project, dry_run: isDry } = answer;
  if (name === undefined || isDry === true || project.name === name) return;
  const { id: project_id } = project;
  Object.assign(project, (await planner.call('update_project', { project_id, name }))['project']);
}

/** The repository is bound to another project than the new one: commands go on with that. */
async function bindingLines(
  { config, planner }: CliTarget,
  { project, merge, dry_run: isDry }: ImportAnswer,
): Promise<readonly string[]> {
  const { project_id: bound } = config;
  if (bound === undefined || bound === project.id || merge !== undefined || isDry === true) return [];
  const { projects } = await projectsOf(planner);
  const name = projects.find(({ id }) => id === bound)?.name ?? bound;
  return [
    `Commands here go on with ${name}: planner connect --project ${project.id} binds this repository to ${project.name}; planner import with --into . merges the plan there.`,
  ];
}

function requirePlan(disk: Disk, path: string): void {
  const kind = disk.stat(path)?.kind;
  if (kind === undefined)
    throw new PlannerError('not_found', `There is no file or directory ${path}.`, { resource: 'file', id: path });
  if (kind === 'other')
    throw new PlannerError(
      'invalid_argument',
      `${path} is neither a file nor a directory: planner import - reads standard input.`,
      { path },
    );
}

/** Standard input as one file, which has no name that says its format. */
function inputOf({ streams }: ProgramDeps): Iterable<FormFile> {
  return [{ filename: 'standard-input', bytes: streams.input as AsyncIterable<Uint8Array> }];
}

/** The files to send: a file as it is, or the plan that is found in a directory. */
async function filesOf(
  disk: Disk,
  path: string,
  from: string | undefined,
): Promise<{ readonly files: Iterable<FormFile>; readonly from: string | undefined }> {
  if (disk.stat(path)?.kind === 'file')
    return { files: [{ filename: basename(path), bytes: bytesOf(disk, path) }], from };
  const { treeOnDisk } = await import('../../../exchange/plan-files.ts');
  const { findPlan } = await import('../../../exchange/read-plan.ts');
  const tree = treeOnDisk(disk, path);
  const { format, path: place } = findPlan(tree, '', from);
  const name = typeof format === 'string' ? format : format.name;
  const whole = join(path, place);
  if (tree.kindOf(place) === 'file')
    return { files: [{ filename: basename(place), bytes: bytesOf(disk, whole) }], from: name };
  // The service takes the directory that all files are in as the plan's.
  const paths = tree.below(place).paths.values();
  return {
    files: paths.map((one) => ({ filename: `plan/${one}`, bytes: bytesOf(disk, join(whole, one)) })),
    from: name,
  };
}

/** The name of an imported project whose plan has none: the name of its directory. */
async function nameFor(path: string): Promise<string> {
  const { nameOfPlan } = await import('../../../exchange/plan-files.ts');
  const { planFormats } = await import('../../../exchange/plan-formats.ts');
  const places = planFormats.flatMap((format) => format.places);
  const names = new Set(places.flatMap((place) => place.split('/')));
  let at = path;
  while (names.has(basename(at))) at = dirname(at);
  return nameOfPlan(at);
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

function importLines({ project, report, merge, dry_run: isDry }: ImportAnswer): readonly string[] {
  const { from, remarks, left_out: leftOut } = report;
  const plan = `From ${from}: ${list(report.counts)}.`;
  const done = merge === undefined ? `${project.name} is the project ${project.id}.` : mergedLine(project.name, merge);
  const dry = merge === undefined ? `${project.name} would be a new project.` : `The import would do this: ${done}`;
  return [
    isDry === true ? `Nothing was changed. ${dry} ${plan}` : `${done} ${plan}`,
    ...leftOut.map(leftOutLine),
    ...remarks.map(({ what, count, examples }) => `Note: ${what} (${listed(examples, count)})`),
    ...differingLines(merge),
  ];
}

function mergedLine(name: string, { added, present: there }: ImportMerge): string {
  return `${name}: ${list(added)} ${wasOrWere(added)} added, ${list(there)} ${wasOrWere(there)} there already.`;
}

/** Records that were left as they are although the plan says otherwise. */
function differingLines(merge: ImportMerge | undefined): string[] {
  if (merge === undefined || merge.differing.length === 0) return [];
  const places = merge.differing.map(({ id, fields }) => `${id} ${fields.join(' ')}`);
  return [`Differs from the plan and was left as it is: ${listed(places, places.length)}`];
}

type Counts = Readonly<Record<string, number>>;

function list(counts: Counts): string {
  const parts = Object.entries(counts).map(
    ([what, count]) => `${count} ${count === 1 ? what.replace(/s$/, '') : what}`,
  );
  return parts.join(', ') || 'nothing';
}

function wasOrWere(counts: Counts): string {
  return Object.values(counts).reduce((sum, count) => sum + count, 0) > 1 ? 'were' : 'was';
}

/** A line of the report: how many of how many, the reason, and the first of them. --json has all. */
function leftOutLine({ of, reason, count, total, places }: ImportReport['left_out'][number]): string {
  return `Left out: ${count} of ${total} ${of}${total === 1 ? '' : 's'}: ${reason} (${listed(places, count)})`;
}

function listed(places: readonly string[], count: number): string {
  const shown = places.slice(0, placesShown);
  return `${count}: ${shown.join(', ')}${count > shown.length ? ', …' : ''}`;
}
