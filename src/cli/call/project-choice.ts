import type { Command } from 'commander';
import { listNamed, meantBy } from '../../base/named.ts';
import { PlannerError } from '../../base/errors.ts';
import { projectCodeOf } from '../../base/ids.ts';
import type { Problem } from '../../schema/types.ts';
import { problemLine, usageError } from './command-line.ts';
import type { CallPort } from '../service/planner-port.ts';
import type { CliTarget } from './cli-target.ts';

export interface ProjectOption {
  readonly project?: string;
}

export interface NamedProject {
  readonly id: string;
  readonly name: string;
}

/** The projects of a root. */
export interface ProjectList {
  readonly projects: readonly NamedProject[];
  /** Missing and unreadable files of projects. */
  readonly problems: readonly Problem[];
}

export function projectOption(command: Command): Command {
  return command.option(
    '--project <id or name>',
    'the project (default: the one that .planner/config.json binds, else the only one there is)',
  );
}

/** Determines the project of a command. Throws if it is ambiguous; the message names the `option` and lists the projects. */
export async function chooseProject(
  { planner, config }: CliTarget,
  { project }: ProjectOption,
  option = '--project',
): Promise<NamedProject> {
  const list = await projectsOf(planner);
  const { projects } = list;
  const meant = project ?? config.project_id;
  if (project === undefined && meant !== undefined && meantBy(projects, meant).length === 0)
    throw boundIsGone(meant, list, { server: config.server_url, option });
  if (meant !== undefined) return findProject(list, meant);
  if (projects.length === 1) return projects[0]!;
  throw usageError(
    option,
    `Choose a project with ${option}${projects.length === 0 ? '' : ', or bind one with planner connect'}. ${listed(list)}`,
  );
}

export async function projectsOf(planner: CallPort): Promise<ProjectList> {
  const { projects, problems = [] } = (await planner.call('list_projects', {})) as Partial<ProjectList>;
  return { projects: projects!, problems };
}

/** The problems of directories whose records are not served: no version of their project is known. */
export function unservedOf({ projects, problems }: ProjectList): readonly Problem[] {
  return problems.filter(({ id }) => !projects.some((project) => project.id === id));
}

/** Finds a project by id or name. */
export function findProject(list: ProjectList, meant: string): NamedProject {
  const found = meantBy(list.projects, meant);
  if (found.length > 1) throw severalProjects(found, meant);
  if (found[0] !== undefined) return found[0];
  const wasDeleted = projectCodeOf(meant) === undefined ? '' : ' If it was deleted, planner trash lists it.';
  const message = `There is no project ${JSON.stringify(meant)}. ${listed(list)}${wasDeleted}`;
  throw new PlannerError('not_found', message, { resource: 'project', id: meant });
}

function boundIsGone(
  id: string,
  list: ProjectList,
  { server, option }: { readonly server: string | undefined; readonly option: string },
): PlannerError {
  const [place, ways] =
    server === undefined
      ? [
          'here',
          `If it was deleted with Planner, planner trash lists it, and planner restore brings it back. ${checkOutProjects} Else choose`,
        ]
      : [`at ${server}`, 'Choose'];
  return new PlannerError(
    'not_found',
    `.planner/config.json binds the project ${JSON.stringify(id)}, which is not ${place}. ${ways} another one with ${option}, or bind it with planner connect --project. ${listed(list)}`,
    { resource: 'project', id },
  );
}

/** The hint for a project whose directory was removed by another program than Planner. */
export const checkOutProjects =
  'If its directory was removed, git checkout -- .planner/projects brings back what was committed.';

export function severalProjects(found: readonly NamedProject[], meant: string): PlannerError {
  return new PlannerError(
    'conflict',
    `${JSON.stringify(meant)} can mean ${found.length} projects: choose one by its id. There are: ${listNamed(found)}.`,
  );
}

/** The projects as a message lists them, with the directories that are not served. */
export function listed(list: ProjectList): string {
  const { projects } = list;
  const others = unservedOf(list)
    .map((problem) => ` Not served: ${problemLine(problem)}`)
    .join('');
  if (projects.length > 0) return `There ${projects.length === 1 ? 'is' : 'are'}: ${listNamed(projects)}.${others}`;
  if (others !== '') return `No project is served.${others}`;
  return 'There is no project yet: planner connect creates one and binds this repository to it.';
}
