import { PlannerError } from '../base/errors.ts';
import type { Event } from '../schema/types.ts';
import { parseUri } from './resource-uris.ts';
import { readResource, recordOf } from './resources.ts';
import type { Read } from './resources.ts';

/** A resource whose changes are reported to a client. */
export interface WatchedResource {
  /** A key that is equal for every name of the resource. */
  readonly key: string;
  /** As the client names it, without the part of it that a read returns. */
  readonly uri: string;
  readonly project: string;
  /** Returns whether an event may have changed the content that a read returns. */
  readonly isChangedBy: (event: Event) => boolean | Promise<boolean>;
}

const uriCharactersMax = 2_000;

/** Finds the resource with a URI, which the caller may read. Rejects with `PlannerError`. */
export async function watchedResource(read: Read, named: unknown): Promise<WatchedResource> {
  if (typeof named !== 'string' || named.length > uriCharactersMax)
    throw new PlannerError('invalid_argument', `uri must be a text of at most ${uriCharactersMax} characters.`, {
      field: 'params.uri',
    });
  const parsed = parseUri(named);
  const { project, name } = parsed;
  const uri = wholeUri(named);
  if (parsed.view !== undefined) {
    await readResource(read, uri);
    const isNext = parsed.view === 'get_next_task';
    return { key: `${project}/${name}`, uri, project, isChangedBy: (event) => !isNext || changesOrder(event) };
  }
  const { type, text } = parsed;
  const id = (await recordOf(read, project, type, text))['id'] as string;
  const watched = { key: `${project}/${id}`, uri, project };
  const isOwn = ({ resource }: Event): boolean => resource.id === id;
  if (type.name === 'task') return { ...watched, isChangedBy: (event) => isOwn(event) || changesTask(event, id) };
  if (type.name !== 'goal') return { ...watched, isChangedBy: isOwn };
  return { ...watched, isChangedBy: (event) => isOwn(event) || changesTaskOf(read, project, event, id) };
}

/** The URI of a resource, of which a client may name a part. */
export function wholeUri(uri: string): string {
  return uri.replace(/\?.*$/s, '');
}

/** Returns whether the next task may be a different one. */
function changesOrder({ resource: { type } }: Event): boolean {
  return type === 'task' || type === 'goal' || type === 'edge';
}

/**
 * Returns whether an event of another record changes the parts that are shown with a task: its edges and the names of
 * its tags.
 */
function changesTask({ type, resource, changes }: Event, id: string): boolean {
  if (resource.type === 'tag') return type !== 'tag.created';
  // The event of a deleted edge does not name its ends.
  return type === 'edge.deleted' || (resource.type === 'edge' && names(changes, id));
}

/** Returns whether an event is of a task of a goal, which is shown with its tasks. */
async function changesTaskOf(read: Read, project: string, event: Event, goal: string): Promise<boolean> {
  const { resource, changes } = event;
  if (resource.type !== 'task') return false;
  if (names(changes, goal)) return true;
  let found = goals.get(event);
  if (found === undefined) goals.set(event, (found = goalOf(read, project, resource.id)));
  const known = await found;
  // A deleted task may have been one of the goal.
  return known === undefined || known === goal;
}

/** The goal of an event's task, read once for all goals that are watched. */
const goals = new WeakMap<Event, Promise<string | undefined>>();

async function goalOf(read: Read, project: string, task_id: string): Promise<string | undefined> {
  try {
    const { task } = await read('get_task', { project_id: project, task_id });
    return (task as { readonly goal_id: string }).goal_id;
  } catch {
    return undefined;
  }
}

function names(changes: Event['changes'], id: string): boolean {
  return changes.some(({ from, to }) => (from as unknown) === id || (to as unknown) === id);
}
