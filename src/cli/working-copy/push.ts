import { conflict, invalid, PlannerError } from '../../base/errors.ts';
import type { HandWrittenFileListAnswer } from '../../schema/types.ts';
import { confirmService } from '../service/confirmed-services.ts';
import { usageError } from '../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../call/command-line.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { chooseProject } from '../call/project-choice.ts';
import type { NamedProject, ProjectOption } from '../call/project-choice.ts';
import type { RemotePlanner } from '../service/remote-planner.ts';
import { withWorkingCopy } from './open.ts';
import type { WorkingCopy } from './open.ts';
import { configuredRemote, remoteService } from './remote-service.ts';
import { bindProject, readRemote, writeRemote } from './remote-setting.ts';
import { plainUrl } from '../machine/saved-keys.ts';
import { noteCommon } from './sync-sides.ts';
import { handWrittenFiles, hasProject, requireEqualExports, transferProject } from './transfer.ts';

export interface PushOptions extends ProjectOption, CommonOptions {
  readonly copy?: boolean;
}

/** Makes a project of the files one of a hosted service. `named`: its URL; default: that in config.json. */
export function push(
  deps: ProgramDeps,
  named: string | undefined,
  options: PushOptions,
  out: CommandOutput,
): Promise<void> {
  return withWorkingCopy(deps, options, (copy) => pushed(deps, copy, named, options, out));
}

async function pushed(
  deps: ProgramDeps,
  copy: WorkingCopy,
  named: string | undefined,
  options: PushOptions,
  out: CommandOutput,
): Promise<void> {
  const project = await chooseProject(copy, options);
  const known = readRemote(deps.disk, copy.root);
  const url = named === undefined ? known?.url : plainUrl(named);
  if (url === undefined) throw usageError('url', 'Name the service: planner push https://plan.example.org.');
  const remote = await (named === undefined ? configuredRemote(deps, copy.root, url) : remoteService(deps, url));
  if (options.copy === true) {
    const { project: made } = await transferProject(copy.planner, remote, project.id, true);
    out.print({ project: made, url }, `${made.name} is the project ${made.id} of ${url}, a copy of ${project.id}.`);
    return;
  }
  if (known !== undefined && (known.url !== url || known.project_id !== project.id))
    throw invalid(
      'remote',
      `These files are a working copy of ${known.project_id} at ${known.url}. Remove remote from .planner/config.json first, or use --copy.`,
    );
  if (named !== undefined) await confirmService(deps, copy.root, url);
  const isThere = await hasProject(remote, project.id);
  if (isThere && known === undefined) throw taken(project, url);
  // An interrupted push is completed by the next one.
  if (!isThere) await pushNew(deps, copy, project, { url, remote });
  bindProject(deps.disk, copy.root, project.id);
  const what = isThere ? `${url} has the project ${project.id} already` : 'The project was transferred';
  await requireEqualExports(copy.planner, remote, project.id, what);
  await noteCommon(deps, copy, { setting: { url, project_id: project.id }, remote });
  const files = await handWrittenFiles(copy.planner, project.id);
  out.print({ project, url, stays: files }, [
    `${project.name} is the project ${project.id} of ${url}, and these files are its working copy. Both exports are equal byte by byte.`,
    ...staying(files),
  ]);
}

/** Names the remote in config.json first: a push that is interrupted then is known to be one of this project. */
async function pushNew(
  { disk }: ProgramDeps,
  { planner, root }: WorkingCopy,
  { id }: NamedProject,
  { url, remote }: { readonly url: string; readonly remote: RemotePlanner },
): Promise<void> {
  const undo = writeRemote(disk, root, { url, project_id: id });
  try {
    await transferProject(planner, remote, id);
  } catch (thrown) {
    // Unless it is not known whether the project was made.
    if (thrown instanceof PlannerError && thrown.code !== 'unavailable') undo();
    throw thrown;
  }
}

function taken({ id, name }: NamedProject, url: string): PlannerError {
  return conflict(
    `${url} has the project ${id} (${name}) already. planner push --copy makes another project of it there.`,
    { id },
  );
}

const filesShown = 20;

/** Lists the files with something that the hosted project does not have. */
function staying(files: HandWrittenFileListAnswer['files']): readonly string[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, filesShown);
  return [
    `Comments, unknown keys, the order of keys and names of files that a person gave stay in this working copy alone: ${files.length === 1 ? 'one file' : `${files.length} files`}.`,
    ...shown.map(({ path, differs }) => `  ${path} (${differs})`),
    ...(files.length > shown.length ? [`  … and ${files.length - shown.length} more (--json lists all)`] : []),
  ];
}
