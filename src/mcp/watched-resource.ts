import { PlannerError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Event } from '../schema/types.ts';
import { parseUri } from './resource-uris.ts';
import { readResource, recordOf } from './resources.ts';
import type { Read } from './resources.ts';

/** A resource whose changes are reported to a client. */
export interface WatchedResource {
  /** As the client names it. */
  readonly uri: string;
  readonly project: string;
  /** Whether an event may have changed what a read of it returns. */
  readonly isChangedBy: (event: Event) => boolean | Promise<boolean>;
}

const uriCharactersMax = 2_000;

/** Finds the resource with a URI, which the caller may read. Rejects with `PlannerError`. */
export async function watchedResource(read: Read, uri: unknown): Promise<WatchedResource> {
  if (typeof uri !== 'string' || uri.length > uriCharactersMax)
    throw new PlannerError('invalid_argument', `uri must be a text of at most ${uriCharactersMax} characters.`, {
      field: 'params.uri',
    });
  const { project, view, type, text } = parseUri(uri);
  if (view !== undefined) {
    await readResource(read, uri);
    const isNext = view === 'get_next_task';
    return { uri, project, isChangedBy: (event) => !isNext || changesOrder(event) };
  }
  const id = (await recordOf(read, project, type!, text!))['id'] as string;
  const isOwn = ({ resource }: Event): boolean => resource.id === id;
  if (type!.name === 'task') return { uri, project, isChangedBy: (event) => isOwn(event) || changesTask(event, id) };
  if (type!.name !== 'goal') return { uri, project, isChangedBy: isOwn };
  return { uri, project, isChangedBy: (event) => isOwn(event) || changesTaskOf(read, project, event, id) };
}

/** The URIs of a list, checked for its length. */
export function requireFewResources(count: number): void {
  if (count <= limits.watchedResourcesMax) return;
  throw new PlannerError('invalid_argument', `At most ${limits.watchedResourcesMax} resources can be subscribed to.`);
}

/** Whether the next task may be another one. */
function changesOrder({ resource: { type } }: Event): boolean {
  return type === 'task' || type === 'goal' || type === 'edge';
}

/** Whether an event of another record changes what is shown with a task: its edges and the names of its tags. */
function changesTask({ type, resource, changes }: Event, id: string): boolean {
  if (resource.type === 'tag') return type !== 'tag.created';
  // The event of a deleted edge does not name what it connected.
  return type === 'edge.deleted' || (resource.type === 'edge' && names(changes, id));
}

/** Whether an event is of a task of a goal, which is shown with its tasks. */
async function changesTaskOf(read: Read, project: string, event: Event, goal: string): Promise<boolean> {
  const { resource, changes } = event;
  if (resource.type !== 'task') return false;
  if (names(changes, goal)) return true;
  try {
    const { task } = await read('get_task', { project_id: project, task_id: resource.id });
    return (task as { readonly goal_id: string }).goal_id === goal;
  } catch {
    // A deleted task may have been one of the goal.
    return true;
  }
}

function names(changes: Event['changes'], id: string): boolean {
  return changes.some(({ from, to }) => (from as unknown) === id || (to as unknown) === id);
}
