import { invalid, PlannerError } from '../../base/errors.ts';
import type { FeedEvent, FeedPage, FeedQuery, ServiceReader, StoredEvent } from '../../store/index.ts';
import type { Event, EventListAnswer, ListAllEventsInput, ListEventsInput } from '../../schema/types.ts';
import { joined, joinedOnce, split } from './cursor-places.ts';
import type { Places } from './cursor-places.ts';
import { unservedProject } from './known-projects.ts';
import type { DeletedProject } from './known-projects.ts';
import { isForPeople } from './known-problems.ts';
import type { Audience } from './known-problems.ts';
import type { PlanReadTransaction } from '../records/collections.ts';
import { namedGuestMark } from '../records/guest-texts.ts';
import type { GuestMark } from '../records/guest-texts.ts';
type Query = Pick<ListEventsInput, 'since' | 'before' | 'types' | 'resource' | 'limit' | 'wait'>;

const limitDefault = 100;
/** The cursor of the present state. */
const present = 'now';

/** Returns whether a query asks for the present cursor alone. */
export function asksForPresent({ since }: Query): boolean {
  return since === present;
}

/** The answer to such a query over all projects, by the cursors of their present. */
export function presentOfAll(cursors: Places, query: Query): EventListAnswer {
  requireOneDirection(query);
  return { events: [], cursor: joinedOnce(cursors), more: false };
}

/** The events of a project after a cursor, or before it. Throws `cursor_expired` for one that is too old or foreign. */
export function listEvents(view: PlanReadTransaction, query: Query, audience: Audience): EventListAnswer {
  const { since, before, limit = limitDefault } = query;
  requireOneDirection(query);
  if (since === present) return { events: [], cursor: cursorOf(view), more: false };
  const isBackward = before !== undefined;
  const from = before === present ? undefined : (before ?? since);
  const page = view.events(from, { limit, accepts: filterOf(query, audience), isBackward });
  if (page === undefined) throw expired(cursorOf(view));
  return {
    events: page.events.map((event) => shownOnce(event, view)),
    cursor: page.cursor,
    more: page.more,
  };
}

function requireOneDirection({ before, since, wait }: Query): void {
  if (before === undefined || (since === undefined && wait === undefined)) return;
  throw invalid('before', 'before lists events that are there: omit since and wait; a stream begins at since.');
}

/** The events of a project after its place in a cursor. */
interface Source {
  readonly code: string;
  readonly events: readonly Next[];
  /** The place after all of them; undefined if the cursor then no longer names the project. */
  readonly end: string | undefined;
  /** True if there are more events after them. */
  readonly more: boolean;
  taken: number;
}

interface Next {
  readonly at: string;
  readonly place: string | undefined;
  readonly show: (cursor: string) => Event;
}

/**
 * Lists the events of several projects, by time; within a project in its own order. The cursor names the place in each
 * project: a project that is not in it is read from its oldest kept event. `service` is absent if the caller may see
 * only these projects. Otherwise the last event of a project that the cursor names is its deletion, and the next cursor
 * does not name it.
 */
export function listAllEvents(
  views: readonly PlanReadTransaction[],
  service: ServiceReader | undefined,
  query: ListAllEventsInput,
  audience: Audience,
): EventListAnswer {
  const { since, before, limit = limitDefault } = query;
  requireOneDirection(query);
  const latest = new Map(views.map((view) => [view.code, cursorOf(view)]));
  if (before !== undefined) return listAllBefore(views, latest, { ...query, before }, audience);
  if (since === present) return { events: [], cursor: joined(latest), more: false };
  const given = since === undefined ? new Map<string, string>() : split(since);
  const accepts = filterOf(query, audience);
  const served =
    given &&
    servedSources(views, given, {
      limit,
      accepts: service === undefined ? accepts : (event) => event.type !== deleted && accepts(event),
    });
  const unserved = given && unservedSources(latest, given, service, accepts);
  if (given === undefined || served === undefined || unserved === undefined) throw expired(joined(latest));
  const sources = [...served, ...unserved];
  const places = new Map<string, string>();
  for (const { code } of sources) move(places, code, given.get(code));
  const events = merged(sources, places, limit);
  const unread = sources.filter((source) => source.taken < source.events.length || source.more);
  for (const source of sources) if (source.taken === source.events.length) move(places, source.code, source.end);
  const answer = { events, cursor: joined(places), more: unread.length > 0 };
  noteAway(answer, unserved);
  return answer;
}

/** The next events of all sources by time. Moves their places. */
function merged(sources: readonly Source[], places: Map<string, string>, limit: number): Event[] {
  const events: Event[] = [];
  for (let next = earliest(sources); next !== undefined && events.length < limit; next = earliest(sources)) {
    const { place, show } = next.events[next.taken++]!;
    const isLast = next.taken === next.events.length;
    move(places, next.code, isLast && !next.more ? next.end : place);
    events.push(show(joined(places)));
  }
  return events;
}

/** The last events of several projects before a cursor, which names the place in each: projects that it does not name came later. */
function listAllBefore(
  views: readonly PlanReadTransaction[],
  latest: Places,
  query: ListAllEventsInput & { readonly before: string },
  audience: Audience,
): EventListAnswer {
  const { before, limit = limitDefault } = query;
  const given = before === present ? latest : split(before);
  const read = { limit, accepts: filterOf(query, audience), isBackward: true };
  const pages = views
    .filter(({ code }) => given?.has(code))
    .map((view) => ({ view, page: view.events(given!.get(view.code), read), taken: 0 }));
  if (given === undefined || pages.some(({ page }) => page === undefined)) throw expired(joined(latest));
  const found = pages.map(({ view, page }) => ({ view, page: page!, left: page!.events.length }));
  for (let left = limit; left > 0; left--) {
    const last = newest(found);
    if (last === undefined) break;
    last.left--;
  }
  const starts = found.map(({ view: { code }, page, left }): [string, string] => [
    code,
    left === 0 ? page.cursor : page.events[left - 1]!.cursor,
  ]);
  const sources = found.map(({ view, page, left }) => sourceOf(view, page.events.slice(left), given.get(view.code)));
  const places = new Map(starts);
  // A project without a chosen event was read to its end.
  for (const { code, events, end } of sources) if (events.length === 0) move(places, code, end);
  const more = found.some(({ page, left }) => page.more || left > 0);
  return { events: merged(sources, places, limit), cursor: joined(new Map(starts)), more };
}

interface Found {
  readonly view: PlanReadTransaction;
  readonly page: FeedPage;
  /** The events that are not chosen; later ones are. */
  left: number;
}

/** The page whose last event that is not chosen is the newest: of equal ones the one that `earliest` takes last. */
function newest(pages: readonly Found[]): Found | undefined {
  let [last, at]: [Found | undefined, string] = [undefined, ''];
  for (const one of pages) {
    const event = one.page.events[one.left - 1];
    if (event !== undefined && event.entry.at >= at) [last, at] = [one, event.entry.at];
  }
  return last;
}

function move(places: Map<string, string>, code: string, place: string | undefined): void {
  if (place === undefined) places.delete(code);
  else places.set(code, place);
}

/** Undefined if a cursor is too old or foreign. */
function servedSources(views: readonly PlanReadTransaction[], given: Places, query: FeedQuery): Source[] | undefined {
  const sources: Source[] = [];
  for (const view of views) {
    const { code } = view;
    const page = view.events(given.get(code), query);
    if (page === undefined) return undefined;
    sources.push({ ...sourceOf(view, page.events, page.cursor), more: page.more });
  }
  return sources;
}

function sourceOf(view: PlanReadTransaction, found: readonly FeedEvent[], end: string | undefined): Source {
  const events = found.map((event) => ({
    at: event.entry.at,
    place: event.cursor,
    show: (cursor: string) => shown(event, view.project, cursor, markOf(view, event.event)),
  }));
  return { code: view.code, events, end, more: false, taken: 0 };
}

/**
 * The projects that the cursor names and that are not served: deleted, or away with their place. Undefined if the cursor names
 * one that is not known: its deletion may be forgotten.
 */
function unservedSources(
  served: Places,
  given: Places,
  service: ServiceReader | undefined,
  accepts: (event: StoredEvent) => boolean,
): Source[] | undefined {
  const sources: Source[] = [];
  if (service === undefined) return sources;
  for (const [code, place] of given) {
    if (served.has(code)) continue;
    const known = unservedProject(service, code);
    if (known === undefined) return undefined;
    const isAway = known === 'away';
    const events = isAway ? [] : deletionOf(known, accepts);
    sources.push({ code, events, end: isAway ? place : undefined, more: false, taken: 0 });
  }
  return sources;
}

const deleted = 'project.deleted';

/** The event of a deletion, if it is asked for. */
function deletionOf(
  { id, name, deleted: { at, author, source } }: DeletedProject,
  accepts: (event: StoredEvent) => boolean,
): Next[] {
  const event: StoredEvent = { type: deleted, resource: { type: 'project', id, label: name }, changes: [] };
  if (!accepts(event)) return [];
  const entry = { at, author, source };
  return [{ at, place: undefined, show: (cursor) => shown({ cursor, entry, event }, id, cursor) }];
}

const awayPlaces = new WeakMap<EventListAnswer, string>();

function noteAway(answer: EventListAnswer, unserved: readonly Source[]): void {
  const away = unserved.flatMap(({ code, end }) => (end === undefined ? [] : `${code}:${end}`));
  if (away.length > 0) awayPlaces.set(answer, away.sort().join('.'));
}

/**
 * The projects that the cursor of an answer names though they are away, with their places, possibly empty. Followers
 * whose cursors differ in them get different events.
 */
export function placesAway(answer: EventListAnswer): string {
  return awayPlaces.get(answer) ?? '';
}

/**
 * The states of projects that a cursor names and that are not served: an entity tag of the events depends on it. Empty
 * if all are served.
 */
export function statesUnserved(
  views: readonly PlanReadTransaction[],
  service: ServiceReader | undefined,
  since: string | undefined,
): readonly string[] {
  const given = since === undefined || service === undefined ? undefined : split(since);
  if (given === undefined || service === undefined) return [];
  const served = new Set(views.map(({ code }) => code));
  return [...given.keys()].flatMap((code) => {
    if (served.has(code)) return [];
    const known = unservedProject(service, code);
    return `${code}:${typeof known === 'object' ? known.deleted.at : String(known)}`;
  });
}

/** The source whose next event is the oldest. */
function earliest(sources: readonly Source[]): Source | undefined {
  let [first, at]: [Source | undefined, string] = [undefined, ''];
  for (const source of sources) {
    const event = source.events[source.taken];
    if (event !== undefined && (first === undefined || event.at < at)) [first, at] = [source, event.at];
  }
  return first;
}

const shownEvents = new WeakMap<StoredEvent, Event>();

/** Shows an event as one object for every follower of a project, so that transports serialise it once. */
function shownOnce(found: FeedEvent, view: PlanReadTransaction): Event {
  const mark = markOf(view, found.event);
  let event = shownEvents.get(found.event);
  // A submission may be linked to its task later.
  if (event === undefined || event.untrusted !== mark?.untrusted)
    shownEvents.set(found.event, (event = shown(found, view.project, found.cursor, mark)));
  return event;
}

/** The mark of an event that contains a text of a guest: in its label, in values, or in the path of a file. */
function markOf(view: PlanReadTransaction, { resource, changes }: StoredEvent): GuestMark | undefined {
  const record = resource.type === 'problem' ? changes.find(({ field }) => field === 'record_id') : undefined;
  const id = record === undefined ? resource.id : (record.to ?? record.from);
  return typeof id === 'string' ? namedGuestMark(view, id, resource.type) : undefined;
}

function shown({ entry, event }: FeedEvent, project: string, cursor: string, mark?: GuestMark): Event {
  const { at, author, source } = entry;
  const { type, resource, changes, revision_id, reason } = event;
  return {
    ...{ cursor, type, at, author, source, project_id: project, resource },
    changes: changes as Event['changes'],
    ...(revision_id !== undefined && { revision_id }),
    ...(reason !== undefined && { reason: reason as Event['reason'] & string }),
    ...mark,
  };
}

function filterOf({ types, resource }: Query, audience: Audience): (event: StoredEvent) => boolean {
  const wanted = types === undefined ? undefined : new Set(types.split(','));
  return (event) =>
    (audience === 'people' || !isForPeople(event)) &&
    (resource === undefined || event.resource.id === resource) &&
    (wanted === undefined || wanted.has(event.type) || wanted.has(event.type.split('.', 1)[0]!));
}

function cursorOf(view: PlanReadTransaction): string {
  const { cursor } = view;
  if (cursor === undefined) throw new PlannerError('unavailable', 'This store keeps no events.');
  return cursor;
}

function expired(cursor: string): PlannerError {
  return new PlannerError(
    'cursor_expired',
    'The cursor is too old, or of another history of the project: read the lists again, then continue from `cursor`.',
    { cursor },
  );
}
