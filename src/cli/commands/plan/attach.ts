import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { invalid, PlannerError } from '../../../base/errors.ts';
import { limits } from '../../../base/limits.ts';
import type { Disk } from '../../../store/index.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import { findCommented } from '../../records/commented.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';

interface AttachOptions extends ProjectOption {
  readonly to?: string;
}

/** `attach`: uploads a file, and shows it in a comment. */
export function addAttachCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'attach <file>',
      isChange: true,
      description: 'upload a file, and print the Markdown that embeds it',
      examples: ['attach checkout.png', 'attach checkout.png --to "Take payments"'],
      options: (command) =>
        projectOption(command).option('--to <record>', 'comment with it on this task, document, note or artifact'),
    },
    async ([given], options: AttachOptions, out, target) => {
      const path = resolve(deps.workingDirectory, given);
      const content_base64 = contentOf(deps.disk, path);
      const to = options.to === undefined ? undefined : await findCommented(target, options.to);
      const project_id = to?.on.project_id ?? (await chooseProject(target, options)).id;
      const filename = basename(path);
      const file = await target.planner.call('attach_file', { project_id, filename, content_base64 });
      const body = await embedding(filename, file as unknown as Attached);
      if (to === undefined) {
        out.print(file, [String(file['file_id']), body]);
        return;
      }
      const comment = await target.planner.call('add_comment', { ...to.on, body });
      out.print({ ...file, ...comment }, [`Attached to ${to.name} by a comment:`, body]);
    },
  );
}

interface Attached {
  readonly file_id: string;
  readonly url: string;
}

/** The content of a file that a person names. Throws if there is no such file, before a service is asked. */
function contentOf(disk: Disk, path: string): string {
  const kind = disk.stat(path)?.kind;
  if (kind === undefined)
    throw new PlannerError('not_found', `There is no file ${path}.`, { resource: 'file', id: path });
  if (kind !== 'file') throw invalid('file', `${path} is not a file: name the file itself.`);
  const bytes = disk.readRange(path, 0, limits.uploadBytesMax + 1) ?? Buffer.alloc(0);
  if (bytes.length <= limits.uploadBytesMax) return bytes.toString('base64');
  throw new PlannerError('payload_too_large', `${path} is over ${limits.uploadBytesMax} bytes.`, {
    bytes_max: limits.uploadBytesMax,
  });
}

/** Images are shown, other files are linked. */
async function embedding(filename: string, { url }: Attached): Promise<string> {
  // Loaded with it are the operations, which a command that a service serves does not need.
  const { mediaTypeOf } = await import('../../../operations/files.ts');
  const link = `[${filename.replace(/[[\]\\]/g, '\\$&')}](${url})`;
  return mediaTypeOf(filename).startsWith('image/') ? `!${link}` : link;
}
