import { resolve } from 'node:path';
import { Option } from 'commander';
import type { Command } from 'commander';
import { replaceFileAsync } from '../../store/index.ts';
import { addPlanCommand } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { chooseProject } from '../project-choice.ts';

/** The values of --format, and the operation's names for them. */
const formats = { planner: 'planner-export-v1', 'json-canvas': 'json-canvas', csv: 'csv' } as const;

interface ExportOptions {
  readonly format: keyof typeof formats;
  readonly output?: string;
}

/** `export` of whole projects. */
export function addExportCommand(deps: ProgramDeps, program: Command): void {
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
}
