import { conflict, invalid, notFound } from '../../errors.ts';
import type { AnyOperation, Caller, Locator } from '../declaration/operation.ts';

type Locate = (id: string) => readonly string[];

/** The member of the input by which the operation's project is found: of several the first that is given. */
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
 * The project that a call means: the one that it names; else the one that holds the id it bears; else the one that the caller is bound to
 * or that the root's config.json binds. Projects outside a bound caller's reach read as not there. Ids are never guessed.
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
  if (by !== undefined && typeof id === 'string' && isId) return projectHolding(by.resource, id, caller, locate);
  const meant = caller.boundTo ?? caller.defaultProject;
  if (meant !== undefined) return meant;
  throw invalid(
    'project_id',
    'No project is named and none is bound to this service: pass project_id. list_projects (GET /api/v1/projects) shows the ids.',
  );
}

function sees({ boundTo }: Caller, project: string): boolean {
  return boundTo === undefined || boundTo === project;
}

function projectHolding(resource: string, id: string, caller: Caller, locate: Locate): string {
  const holders = locate(id);
  const meant = caller.boundTo ?? caller.defaultProject;
  if (meant !== undefined && holders.includes(meant)) return meant;
  const [first, second] = caller.boundTo === undefined ? holders : [];
  if (first === undefined) throw notFound(resource, id);
  if (second === undefined) return first;
  throw conflict(`The id ${JSON.stringify(id)} is in ${holders.length} projects: say which with project_id.`, {
    resource,
    id,
    project_ids: holders,
  });
}
