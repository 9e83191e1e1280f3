import { PlannerError } from '../errors.ts';
import type { FeedEvent, FeedPage, StoredEvent, View } from '../store/index.ts';
import type { Event, EventListAnswer, ListAllEventsInput, ListEventsInput } from '../schema/types.ts';
import type { PlannerCollections } from './records/collections.ts';

type V = View<PlannerCollections>;
type Query = Pick<ListEventsInput, 'since' | 'types' | 'resource' | 'limit'>;

const limitDefault = 100;
/** The cursor of the present state. */
const present = 'now';

/** The events of a project after a cursor. Throws `cursor_expired` for one that is too old or foreign. */
export function listEvents(view: V, query: Query): EventListAnswer {
  const { since, limit = limitDefault } = query;
  if (since === present) return { events: [], cursor: cursorOf(view), more: false };
  const page = view.events(since, { limit, accepts: filterOf(query) });
  if (page === undefined) throw expired(cursorOf(view));
  return {
    events: page.events.map((event) => shownOnce(event, view.project)),
    cursor: page.cursor,
    more: page.more,
  };
}

/** A project's page, of which some events were taken. */
interface Source {
  readonly view: V;
  readonly page: FeedPage;
  taken: number;
}

/**
 * The same of several projects, by time; within a project in its own order. The cursor names the place in each project:
 * one that is not in it is read from its oldest kept event.
 */
export function listAllEvents(views: readonly V[], query: ListAllEventsInput): EventListAnswer {
  const { since, limit = limitDefault } = query;
  const places = new Map<string, string>();
  for (const view of views) places.set(view.code, cursorOf(view));
  if (since === present) return { events: [], cursor: joined(places), more: false };
  const given = since === undefined ? new Map<string, string>() : split(since);
  const accepts = filterOf(query);
  const sources = views.map((view): Source => {
    const page = given && view.events(given.get(view.code), { limit, accepts });
    if (page === undefined) throw expired(joined(places));
    return { view, page, taken: 0 };
  });
  for (const { view } of sources) {
    const place = given?.get(view.code);
    if (place === undefined) places.delete(view.code);
    else places.set(view.code, place);
  }
  const events: Event[] = [];
  for (let next = earliest(sources); next !== undefined && events.length < limit; next = earliest(sources)) {
    const event = next.page.events[next.taken++]!;
    const isLast = next.taken === next.page.events.length;
    places.set(next.view.code, isLast && !next.page.more ? next.page.cursor : event.cursor);
    events.push(shown(event, next.view.project, joined(places)));
  }
  const unread = sources.filter(({ page, taken }) => taken < page.events.length || page.more);
  for (const { view, page, taken } of sources) if (taken === page.events.length) places.set(view.code, page.cursor);
  return { events, cursor: joined(places), more: unread.length > 0 };
}

/** The source whose next event is the oldest. */
function earliest(sources: readonly Source[]): Source | undefined {
  let [first, at]: [Source | undefined, string] = [undefined, ''];
  for (const source of sources) {
    const event = source.page.events[source.taken];
    if (event !== undefined && (first === undefined || event.entry.at < at)) [first, at] = [source, event.entry.at];
  }
  return first;
}

const shownEvents = new WeakMap<StoredEvent, Event>();

/** The same object for every follower of a project, so that transports serialise it once. */
function shownOnce(found: FeedEvent, project: string): Event {
  let event = shownEvents.get(found.event);
  if (event === undefined) shownEvents.set(found.event, (event = shown(found, project, found.cursor)));
  return event;
}

function shown({ entry, event }: FeedEvent, project: string, cursor: string): Event {
  const { at, author, source } = entry;
  const { type, resource, changes, revision_id, reason } = event;
  return {
    ...{ cursor, type, at, author, source, project_id: project, resource },
    changes: changes as Event['changes'],
    ...(revision_id !== undefined && { revision_id }),
    ...(reason !== undefined && { reason: reason as Event['reason'] & string }),
  };
}

function filterOf({ types, resource }: Query): (event: StoredEvent) => boolean {
  const wanted = types === undefined ? undefined : new Set(types.split(','));
  if (wanted === undefined && resource === undefined) return () => true;
  return (event) =>
    (resource === undefined || event.resource.id === resource) &&
    (wanted === undefined || wanted.has(event.type) || wanted.has(event.type.split('.', 1)[0]!));
}

function cursorOf(view: V): string {
  const { cursor } = view;
  if (cursor === undefined) throw new PlannerError('unavailable', 'This store keeps no events.');
  return cursor;
}

function joined(places: ReadonlyMap<string, string>): string {
  return places.size === 0 ? 'none' : Array.from(places, ([code, place]) => `${code}:${place}`).join('.');
}

/** Undefined for a text that is no cursor over projects. */
function split(cursor: string): ReadonlyMap<string, string> | undefined {
  if (cursor === 'none') return new Map();
  const parts = cursor.split('.').map((part) => part.split(':'));
  if (parts.some(({ length }) => length !== 2)) return undefined;
  return new Map(parts.map(([code = '', place = '']) => [code, place]));
}

function expired(cursor: string): PlannerError {
  return new PlannerError(
    'cursor_expired',
    'The cursor is too old, or of another history of the project: read the lists again, then continue from `cursor`.',
    { cursor },
  );
}
