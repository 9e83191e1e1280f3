import { dirname, resolve } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { invalid } from '../../../base/errors.ts';
import { type Disk, replaceFileAsync } from '../../../store/index.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject } from '../../call/project-choice.ts';

/** The values of --format, and the operation's names for them. */
const formats = { planner: 'planner-export-v1', 'json-canvas': 'json-canvas', csv: 'csv' } as const;

interface ExportOptions {
  readonly format: keyof typeof formats;
  readonly output?: string;
}

/** `export` of whole projects. */
export function addExportCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
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
          .option('-o, --output <file>', 'the file to write; - for standard output (default: -)'),
    },
    async ([named], { format, output }: ExportOptions, out, target) => {
      const path = output === undefined || output === '-' ? undefined : resolve(deps.workingDirectory, output);
      if (path !== undefined) requireWritable(deps.disk, path);
      const project = await chooseProject(target, named === undefined ? {} : { project: named });
      const pieces = piecesOf(() => target.planner.exportProject(project.id, formats[format]));
      if (path === undefined) {
        for await (const piece of pieces) await deps.write(piece);
        return;
      }
      const bytes = await replaceFileAsync(deps.disk, path, pieces);
      out.print({ project, path, bytes }, `${project.name} is in ${path} (${bytes} bytes).`);
    },
  );
}

function requireWritable(disk: Disk, path: string): void {
  const kind = disk.stat(dirname(path))?.kind;
  // A path of another kind may be a link to a directory.
  if (kind === undefined || kind === 'file')
    throw invalid('output', `${dirname(path)} is not a directory: create it, or name a file in another one.`);
  const there = disk.stat(path)?.kind;
  if (there === 'directory') throw invalid('output', `${path} is a directory: name a file.`);
  // A device or a pipe would be replaced by a file.
  if (there === 'other') throw invalid('output', `${path} is no file: name one, or - for standard output.`);
}

/** Begins when the first piece is taken: an export that is not read would be held until it times out. */
async function* piecesOf(
  begin: () => Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  yield* await begin();
}
