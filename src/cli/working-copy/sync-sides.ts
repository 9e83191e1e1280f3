import { dirname, join } from 'node:path';
import { invalid, PlannerError } from '../../base/errors.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import type { PlannerPort } from '../service/planner-port.ts';
import { CommonState } from '../../sync/common-state.ts';
import { noteCommonState } from '../../sync/synchronise.ts';
import type { Sides } from '../../sync/synchronise.ts';
import type { WorkingCopy } from './open.ts';
import { PlannerSide } from './planner-side.ts';
import { configuredRemote } from './remote-service.ts';
import { readRemote } from './remote-setting.ts';
import type { RemoteSetting } from './remote-setting.ts';
import { requireBranch } from './require-branch.ts';
import { hasProject } from './transfer.ts';

/** A working copy, its hosted project, and their last common state. */
export interface OpenSides {
  readonly sides: Sides;
  readonly remote: PlannerPort;
  readonly setting: RemoteSetting;
  /** Throws if the working copy is not to be synchronised now: another branch is checked out. */
  readonly check: () => Promise<void>;
}

/** Throws the step that a person has to take first if the two cannot be synchronised. */
export async function openSides(deps: ProgramDeps, copy: WorkingCopy): Promise<OpenSides> {
  const { disk } = deps;
  const { root, planner, config } = copy;
  const setting = readRemote(disk, root);
  if (setting === undefined)
    throw invalid(
      'remote',
      `${join(root, 'config.json')} names no hosted project: planner push <url> makes one of these files, planner pull <url> --into . takes one as files.`,
    );
  const { url, project_id: project } = setting;
  if (config.project_id !== undefined && config.project_id !== project)
    throw invalid(
      'remote.project_id',
      `These files are the project ${config.project_id}, and remote in .planner/config.json names ${project}: correct remote.project_id, or remove remote.`,
    );
  const check = (): Promise<void> => requireBranch(dirname(root), setting.branch);
  await check();
  const remote = await configuredRemote(deps, root, url);
  if (!(await hasProject(planner, project)))
    throw gone(project, root, `planner pull --into ${dirname(root)} takes it again`);
  if (!(await hasProject(remote, project))) throw gone(project, url, 'planner push creates it again from these files');
  return { sides: sidesOf(deps, copy, { setting, remote }), remote, setting, check };
}

/** The two sides. */
function sidesOf(
  { disk }: ProgramDeps,
  { root, planner }: Pick<WorkingCopy, 'root' | 'planner'>,
  { setting, remote }: { readonly setting: RemoteSetting; readonly remote: PlannerPort },
): Sides {
  const { url, project_id: project } = setting;
  const path = join(root, 'local', 'sync', `${project.slice(4, 10)}.json`);
  return {
    files: new PlannerSide(planner, project, root),
    hosted: new PlannerSide(remote, project, url),
    state: CommonState.read(disk, path, { url, project_id: project }),
  };
}

/** Notes the common state after one side was made from the other, so that a later removal is recognised. */
export async function noteCommon(
  deps: ProgramDeps,
  copy: Pick<WorkingCopy, 'root' | 'planner'>,
  hosted: { readonly setting: RemoteSetting; readonly remote: PlannerPort },
): Promise<void> {
  await noteCommonState(sidesOf(deps, copy, hosted));
}

function gone(project: string, place: string, remedy: string): PlannerError {
  return new PlannerError(
    'not_found',
    `${place} has no project ${project} any more: ${remedy}; or remove remote from .planner/config.json.`,
    { resource: 'project', id: project },
  );
}
