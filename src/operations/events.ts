import { joinedOnce } from '../domain/feed/cursor-places.ts';
import {
  asksForPresent,
  listAllEvents,
  listEvents,
  placesAway,
  presentOfAll,
  statesUnserved,
} from '../domain/feed/events.ts';
import { requireEventTypes } from '../domain/feed/event-types.ts';
import type {
  EventListAnswer,
  ListAllEventsInput,
  ListEventsInput,
  PlannerCollections,
  PlanTransaction,
  UndoChangeInput,
  UndoneChangeAnswer,
} from '../domain/records/collections.ts';
import { undoChange } from '../domain/undo/undo-change.ts';
import type { ReadTransaction } from '../store/index.ts';
import { audienceOf } from './access/authorise.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import type { PlannerOperation, Read, ReadAll, Write } from './declaration/planner-operation.ts';
import type { Context, Waits } from './declaration/operation.ts';
import { alwaysSliced } from './declaration/sliced.ts';

export { eventTypes } from '../domain/feed/event-types.ts';

const waits: Waits<ListEventsInput | ListAllEventsInput, EventListAnswer> = {
  seconds: ({ wait = 0 }) => wait,
  isEmpty: ({ events }) => events.length === 0,
  hasMore: ({ more }) => more,
  continued: (input, { cursor }) => ({ ...input, since: cursor }),
  channel: ({ types, limit, ...of }, behind, context) =>
    JSON.stringify([types, limit, 'resource' in of ? of.resource : undefined, placesAway(behind), audienceOf(context)]),
};

const tagOf = (
  views: readonly ReadTransaction<PlannerCollections>[],
  unserved: readonly string[] = [],
): { readonly own: string; readonly rest: string } => ({
  own: hashOf([...views.map(({ code, cursor }) => [code, cursor]), ...unserved]),
  rest: '0',
});

/** Stored webhooks may name types that a former version took: only the present request is checked. */
const typesOf = ({ types }: { readonly types?: string }): readonly string[] => types?.split(',') ?? [];

const list: Read<ListEventsInput, EventListAnswer> = {
  name: 'list_events',
  summary: 'What changed in a project, in order',
  group: groups.events,
  input: 'ListEventsInput',
  output: 'EventListAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/events' },
  waits,
  tag: (view) => tagOf([view]),
  run: (view, input, context) => {
    requireEventTypes(typesOf(input));
    return listEvents(view, input, audienceOf(context));
  },
};

const listAll: ReadAll<ListAllEventsInput, EventListAnswer> = {
  name: 'list_all_events',
  summary: 'What changed in every project that the caller may see',
  group: groups.events,
  input: 'ListAllEventsInput',
  output: 'EventListAnswer',
  scope: 'workspace',
  effect: 'read',
  rest: { method: 'GET', path: '/feed' },
  waits,
  listsOnly: asksForPresent,
  tag: ({ projects, service, list: all }, { since }) =>
    all === undefined
      ? tagOf(projects, statesUnserved(projects, service, since))
      : { own: hashOf(joinedOnce(all.cursors)), rest: '0' },
  run: ({ projects, service, list: all }, input, context) => {
    requireEventTypes(typesOf(input));
    if (all !== undefined) return presentOfAll(all.cursors, input);
    return listAllEvents(projects, service, input, audienceOf(context));
  },
};

const undo: Write<UndoChangeInput, UndoneChangeAnswer> = {
  name: 'undo_change',
  summary: 'Take a change set back, unless it was changed since',
  group: groups.events,
  input: 'UndoChangeInput',
  output: 'UndoneChangeAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  rest: { method: 'POST', path: '/projects/:project_id/undo', bare: 'undone', status: 200 },
  ...alwaysSliced(function* (tx: PlanTransaction, input: UndoChangeInput, context: Context) {
    return { undone: yield* undoChange(tx, input, context) };
  }),
};

export const eventOperations: readonly PlannerOperation[] = [list, listAll, undo];
