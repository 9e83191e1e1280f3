import { conflict, invalid, notFound } from '../../base/errors.ts';
import type { AnyOperation, Caller, Locator } from '../declaration/operation.ts';

type Locate = (id: string) => readonly string[];

/**
 * Members of inputs that hold the id of a record, or a list of ids, with the kind of the record; `undefined` for several kinds, or for
 * records that may be deleted. They determine the project of a call that neither names one nor is bound to one.
 */
export const idMembers: Readonly<Record<string, string | undefined>> = {
  task_id: 'task',
  link_task_id: 'task',
  goal_id: 'goal',
  document_id: 'document',
  document_ids: 'document',
  folder_id: 'folder',
  parent_folder_id: 'folder',
  reparent_to: 'folder',
  prototype_id: 'prototype',
  first_id: 'task',
  then_id: 'task',
  link_to: undefined,
  from_id: undefined,
  to_id: undefined,
  target_id: undefined,
};
const idMemberNames = Object.keys(idMembers);

/** An id in a call's input. */
interface GivenId {
  /** The path in the input: `document_ids[1]`. */
  readonly field: string;
  readonly resource: string | undefined;
  readonly id: string;
}

/** The member of the input that determines the operation's project: the first one that is present. */
export function locatorOf(
  { locate }: Pick<AnyOperation, 'locate'>,
  input: Readonly<Record<string, unknown>>,
): Locator<Readonly<Record<string, unknown>>> | undefined {
  if (locate === undefined || !Array.isArray(locate)) return locate as Locator<Readonly<Record<string, unknown>>>;
  return (locate as Locator<Readonly<Record<string, unknown>>>[]).find(
    ({ member, when }) => input[member] !== undefined && (when === undefined || when(input)),
  );
}

/**
 * The project of a call: the one that it names; else the one that has the id in its input; else the one that the caller is bound to or that
 * the root's config.json binds; else the one that has all ids in the input. For a bound caller, all other projects do not exist. Throws
 * `invalid_argument` for ids of two projects.
 */
export function findProject(
  by: Locator<Readonly<Record<string, unknown>>> | undefined,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  locate: Locate,
): string {
  const named = input['project_id'];
  if (typeof named === 'string') {
    if (caller.boundTo !== undefined && caller.boundTo !== named) throw notFound('project', named);
    return named;
  }
  const id = by === undefined ? undefined : input[by.member];
  const isId = by?.loose !== true || (typeof id === 'string' && locate(id).some((one) => sees(caller, one)));
  const requested = caller.boundTo ?? caller.defaultProject;
  const own =
    by !== undefined && typeof id === 'string' && isId ? { field: by.member, resource: by.resource, id } : undefined;
  if (requested === undefined) return projectOfAll(own, idsIn(input, own?.field), locate);
  return own === undefined ? requested : projectHolding(own, requested, caller, locate);
}

/** The ids in an input, without the member `except`. */
function idsIn(input: Readonly<Record<string, unknown>>, except: string | undefined): readonly GivenId[] {
  const ids: GivenId[] = [];
  for (const member of idMemberNames) {
    const value = input[member];
    if (value === undefined || member === except) continue;
    const resource = idMembers[member];
    if (typeof value === 'string') ids.push({ field: member, resource, id: value });
    if (!Array.isArray(value)) continue;
    for (const [at, id] of value.entries())
      if (typeof id === 'string') ids.push({ field: `${member}[${at}]`, resource, id });
  }
  return ids;
}

/** The only project that has `own` and all other ids that any project has. */
function projectOfAll(own: GivenId | undefined, others: Iterable<GivenId>, locate: Locate): string {
  let decisive = own;
  let holders = own === undefined ? [] : locate(own.id);
  if (own !== undefined && holders.length === 0) throw notFound(own.resource!, own.id);
  let unknown: GivenId | undefined;
  for (const given of others) {
    const also = locate(given.id);
    if (also.length === 0) unknown ??= given;
    else if (decisive === undefined) [decisive, holders] = [given, also];
    else {
      const former = holders;
      holders = former.filter((project) => also.includes(project));
      if (holders.length === 0) throw ofTwoProjects(decisive, given, [...former, ...also]);
    }
  }
  const [project, second] = holders;
  if (project === undefined) throw unknown?.resource === undefined ? unnamed() : notFound(unknown.resource, unknown.id);
  if (second !== undefined) throw ambiguous(decisive!, holders);
  return project;
}

function unnamed(): Error {
  return invalid(
    'project_id',
    'No project_id was given and no project is bound to this service: pass project_id, or call with a key of one project, such as .planner/token. list_projects (GET /api/v1/projects) shows the ids.',
  );
}

function ofTwoProjects(one: GivenId, other: GivenId, projects: readonly string[]): Error {
  const message = `${other.field} (${JSON.stringify(other.id)}) belongs to another project than ${one.field} (${JSON.stringify(one.id)}): all ids must be of one project.`;
  return invalid(other.field, message, { project_ids: projects });
}

function ambiguous({ resource, id }: GivenId, projects: readonly string[]): Error {
  const message = `The id ${JSON.stringify(id)} is in ${projects.length} projects: pass project_id.`;
  return conflict(message, { ...(resource === undefined ? {} : { resource }), id, project_ids: projects });
}

function sees({ boundTo }: Caller, project: string): boolean {
  return boundTo === undefined || boundTo === project;
}

/** The project that has the id: preferably the one that the caller is bound to. */
function projectHolding(own: GivenId, requested: string, caller: Caller, locate: Locate): string {
  const holders = locate(own.id);
  if (holders.includes(requested)) return requested;
  const [first, second] = caller.boundTo === undefined ? holders : [];
  if (first === undefined) throw notFound(own.resource!, own.id);
  if (second === undefined) return first;
  throw ambiguous(own, holders);
}
