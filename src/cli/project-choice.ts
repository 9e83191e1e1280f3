import type { Command } from 'commander';
import { listNamed, meantBy } from '../named.ts';
import { PlannerError } from '../errors.ts';
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

/** Finds a project by id or name. */
export function findProject(projects: readonly NamedProject[], meant: string): NamedProject {
  const found = meantBy(projects, meant);
  if (found.length > 1) throw severalProjects(found, meant);
  if (found[0] !== undefined) return found[0];
  throw new PlannerError('not_found', `There is no project ${JSON.stringify(meant)}. ${listed(projects)}`, {
    resource: 'project',
    id: meant,
  });
}

export function severalProjects(found: readonly NamedProject[], meant: string): PlannerError {
  return new PlannerError(
    'conflict',
    `${JSON.stringify(meant)} can mean ${found.length} projects: choose one by its id. ${listed(found)}`,
  );
}

export function listed(projects: readonly NamedProject[]): string {
  if (projects.length === 0) return 'There are none yet: planner connect creates one and binds this repository to it.';
  return `There ${projects.length === 1 ? 'is' : 'are'}: ${listNamed(projects)}.`;
}
