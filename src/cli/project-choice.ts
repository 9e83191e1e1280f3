import type { Command } from 'commander';
import { PlannerError } from '../errors.ts';
import { isIdPrefix } from '../ids.ts';
import { usageError } from './command-line.ts';
import type { CallPort } from './planner-port.ts';
import type { CliTarget } from './cli-target.ts';

export interface ProjectOption {
  readonly project?: string;
}

export interface NamedProject {
  readonly id: string;
  readonly name: string;
}

export function projectOption(command: Command): Command {
  return command.option(
    '--project <id or name>',
    'the project (default: the one that .planner/config.json binds, else the only one there is)',
  );
}

/** Determines the project of a command. Throws if it is ambiguous; the message lists the projects. */
export async function chooseProject({ planner, config }: CliTarget, { project }: ProjectOption): Promise<NamedProject> {
  const projects = await projectsOf(planner);
  const meant = project ?? config.project_id;
  if (meant !== undefined) return findProject(projects, meant);
  if (projects.length === 1) return projects[0]!;
  throw usageError(
    '--project',
    `Choose a project with --project${projects.length === 0 ? '' : ', or bind one with planner connect'}. ${listed(projects)}`,
  );
}

export async function projectsOf(planner: CallPort): Promise<readonly NamedProject[]> {
  return (await planner.call('list_projects', {}))['projects'] as readonly NamedProject[];
}

/** Finds a project by id, else by name. */
export function findProject(projects: readonly NamedProject[], meant: string): NamedProject {
  const [found, second] = matching(projects, meant);
  if (second !== undefined) throw severalProjects(matching(projects, meant), meant);
  if (found !== undefined) return found;
  throw new PlannerError('not_found', `There is no project ${JSON.stringify(meant)}. ${listed(projects)}`, {
    resource: 'project',
    id: meant,
  });
}

/** The projects that a text means: by id, by the beginning of one, by name. Letter case matters only if names differ in nothing else. */
export function matching(projects: readonly NamedProject[], meant: string): readonly NamedProject[] {
  const byId = projects.filter(({ id }) => id === meant);
  if (byId.length > 0) return byId;
  const begun = isIdPrefix(meant, 'project') ? projects.filter(({ id }) => id.startsWith(meant)) : [];
  if (begun.length > 0) return begun;
  const exact = projects.filter(({ name }) => name === meant);
  return exact.length > 0 ? exact : projects.filter(({ name }) => name.toLowerCase() === meant.toLowerCase());
}

export function severalProjects(found: readonly NamedProject[], meant: string): PlannerError {
  return new PlannerError(
    'conflict',
    `${JSON.stringify(meant)} can mean ${found.length} projects: choose one by its id. ${listed(found)}`,
  );
}

const listedMax = 20;

export function listed(projects: readonly NamedProject[]): string {
  if (projects.length === 0) return 'There are none yet: planner connect creates one and binds this repository to it.';
  const shown = projects.slice(0, listedMax).map(({ id, name }) => `${id} (${name})`);
  const more = projects.length - shown.length;
  return `There ${projects.length === 1 ? 'is' : 'are'}: ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}.`;
}
