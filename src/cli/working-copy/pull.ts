import { dirname } from 'node:path';
import { conflict } from '../../base/errors.ts';
import { usageError } from '../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../call/command-line.ts';
import { confirmService } from '../service/confirmed-services.ts';
import { makePlannerRoot } from '../call/make-root.ts';
import { registerMergeDriver } from '../git/merge-registration.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { findProject, listed, projectsOf } from '../call/project-choice.ts';
import type { NamedProject } from '../call/project-choice.ts';
import type { RemotePlanner } from '../service/remote-planner.ts';
import { rootIn } from '../service/root.ts';
import { rootToInit } from '../worktrees/command-root.ts';
import { withWorkingCopy } from './open.ts';
import { configuredRemote, remoteService } from './remote-service.ts';
import { bindProject, readRemote, writeRemote } from './remote-setting.ts';
import { plainUrl } from '../machine/saved-keys.ts';
import type { RemoteSetting } from './remote-setting.ts';
import { noteCommon } from './sync-sides.ts';
import { hasProject, requireEqualExports, transferProject } from './transfer.ts';

export interface PullOptions extends CommonOptions {
  readonly into?: string;
  readonly project?: string;
}

/** Takes a hosted project as files. `named`: the URL of its service; default: that in config.json. */
export async function pull(
  deps: ProgramDeps,
  named: string | undefined,
  options: PullOptions,
  out: CommandOutput,
): Promise<void> {
  const { disk, workingDirectory } = deps;
  const root = options.into === undefined ? await rootToInit(deps, options) : rootIn(options.into, workingDirectory);
  const { setting, project, remote } = await hostedProject(deps, root, named, options);
  const made = [...makePlannerRoot(deps, root), ...(await registerMergeDriver(dirname(root), deps.program))];
  if (named !== undefined) await confirmService(deps, root, setting.url);
  writeRemote(disk, root, setting);
  await withWorkingCopy(deps, { ...options, root: dirname(root) }, async ({ planner }) => {
    const isThere = await hasProject(planner, project.id);
    // An interrupted pull is completed by the next one.
    if (!isThere) await transferProject(remote, planner, project.id);
    bindProject(disk, root, project.id);
    await planner.flush();
    const what = isThere ? `${root} has the project ${project.id} already` : 'The project was transferred';
    await requireEqualExports(planner, remote, project.id, what);
    await noteCommon(deps, { root, planner }, { setting, remote });
  });
  out.print({ root, project, url: setting.url, done: made }, [
    `${root} is a working copy of ${project.name}, the project ${project.id} of ${setting.url}. Both exports are equal byte by byte.`,
  ]);
}

interface HostedProject {
  readonly setting: RemoteSetting;
  readonly project: NamedProject;
  readonly remote: RemotePlanner;
}

/** The project that is pulled: the one in config.json, or the one that the command names. */
async function hostedProject(
  deps: ProgramDeps,
  root: string,
  named: string | undefined,
  { project: meant }: PullOptions,
): Promise<HostedProject> {
  const known = readRemote(deps.disk, root);
  const url = named === undefined ? known?.url : plainUrl(named);
  if (url === undefined) throw usageError('url', 'Name the service: planner pull https://plan.example.org.');
  if (known !== undefined && known.url !== url)
    throw conflict(`${root} is a working copy of ${known.project_id} at ${known.url}: choose another directory.`);
  const remote = await (named === undefined ? configuredRemote(deps, root, url) : remoteService(deps, url));
  const list = await projectsOf(remote);
  const [only, another] = list.projects;
  const name = meant ?? known?.project_id;
  if (name === undefined && (only === undefined || another !== undefined))
    throw usageError('--project', `Choose a project of ${url} with --project. ${listed(list)}`);
  const project = name === undefined ? only! : findProject(list, name);
  if (known !== undefined && known.project_id !== project.id)
    throw conflict(`${root} is a working copy of ${known.project_id} at ${known.url}: choose another directory.`);
  return { setting: known ?? { url, project_id: project.id }, project, remote };
}
