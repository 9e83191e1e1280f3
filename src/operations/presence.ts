import { setPresence } from '../domain/feed/presence.ts';
import type { ListPresenceInput, PresenceListAnswer, SetPresenceInput } from '../domain/records/collections.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';

const set: Write<SetPresenceInput, PresenceListAnswer, 'presence'> = {
  name: 'set_presence',
  summary: 'Show others what a session looks at; nothing is stored',
  group: groups.events,
  input: 'SetPresenceInput',
  output: 'PresenceListAnswer',
  scope: 'project',
  effect: 'write',
  presence: true,
  rest: {
    method: 'PUT',
    path: '/projects/:project_id/presence/:session',
    example: { record_id: 'tsk_4n0c2m8w1x7k9q3f', editing: true },
  },
  run: (tx, input, { caller, presence }) => ({ present: [...setPresence(tx, input, caller, presence)] }),
};

const list: Read<ListPresenceInput, PresenceListAnswer, 'presence'> = {
  name: 'list_presence',
  summary: 'The sessions that look at records of a project right now',
  group: groups.events,
  input: 'ListPresenceInput',
  output: 'PresenceListAnswer',
  scope: 'project',
  effect: 'read',
  presence: true,
  rest: { method: 'GET', path: '/projects/:project_id/presence' },
  tag: (view, _, { presence }) => ({ own: hashOf(presence.in(view.project)), rest: '0' }),
  run: (view, _, { presence }) => ({ present: [...presence.in(view.project)] }),
};

export const presenceOperations: readonly PlannerOperation[] = [set, list];
