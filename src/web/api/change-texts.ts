import type { QueryClient } from '@tanstack/react-query';
import type { Input, OperationName } from '../rest/client.ts';
import { fieldName } from '../rest/field-names.ts';
import { statusNames } from './status-names.ts';
import { findCached } from './find-cached.ts';

type Members = Readonly<Record<string, unknown>>;

/** The texts of a change that can be undone. */
export interface ChangeTexts {
  /** What it changes, for `Undone: …`. */
  readonly what: string;
  /** The notification of the change, which offers to undo it. Absent: undone by key only. */
  readonly notice?: string | undefined | ((answer: Members) => string);
}

interface Named {
  readonly input: Members;
  readonly name: (id: unknown, otherwise: string) => string;
}

/** The fields that are chosen rather than typed: their changes show a notification. */
const chosen = new Set([
  ...['status', 'priority', 'assignee', 'goal_id', 'kind', 'lane', 'severity', 'due_date', 'tags', 'folder_id'],
  ...['add_tags', 'remove_tags'],
  ...['verified_at', 'verified_ref', 'commit_refs', 'parent_folder_id', 'config', 'color', 'resolved'],
]);
const addressing = new Set(['project_id', 'agent_ref', 'link_to']);

function update({ input, name }: Named, kind: string): ChangeTexts | undefined {
  const id = kind === 'project' ? input['project_id'] : input[`${kind}_id`];
  const fields = Object.keys(input).filter(
    (field) => input[field] !== undefined && !addressing.has(field) && field !== `${kind}_id`,
  );
  if (fields.length === 0) return undefined;
  const label = name(id, `the ${kind}`);
  const text = fields.map(fieldName).join(', ');
  const status =
    kind === 'task' ? (statusNames[input['status'] as keyof typeof statusNames] as string | undefined) : undefined;
  const done = typeof input['verified_at'] === 'string' ? `${label} is approved.` : `Changed: ${text} of ${label}.`;
  const notice = status === undefined ? done : `${label} moved to ${status}.`;
  return { what: `${text} of ${label}`, ...(fields.some((field) => chosen.has(field)) && { notice }) };
}

function creation({ input }: Named, kind: string): ChangeTexts {
  const label = input['label'] ?? input['title'] ?? input['name'];
  const what = typeof label === 'string' ? `new ${kind} “${label}”` : `new ${kind}`;
  // These are made with one press.
  const isShown = kind === 'document' || kind === 'note' || 'artifact_id' in input;
  return { what, ...(isShown && { notice: `Created: ${what}.` }) };
}

function deletion({ input, name }: Named, kind: string): ChangeTexts {
  const label = name(input[`${kind}_id`], `the ${kind}`);
  return {
    what: `deletion of ${label}`,
    notice: label.startsWith('“') ? `${label} was deleted.` : `The ${kind} was deleted.`,
  };
}

function move({ input, name }: Named): ChangeTexts {
  const { document_ids: ids } = input as { readonly document_ids?: readonly string[] };
  const id = ids === undefined ? input['artifact_id'] : ids[0];
  const what = ids === undefined || ids.length === 1 ? name(id, 'the document') : `${ids.length} documents`;
  return { what: `move of ${what}`, notice: `${what} moved.` };
}

function triage({ input, name }: Named): ChangeTexts {
  const label = name(input['submission_id'], 'the submission');
  if (input['action'] !== 'accept') return { what: `rejection of ${label}`, notice: `Rejected: ${label}.` };
  const words = input['link_task_id'] === undefined ? 'Accepted' : 'Accepted and linked';
  return { what: `acceptance of ${label}`, notice: `${words}: ${label}.` };
}

const goalWords: Readonly<Record<string, readonly [what: string, done: string]>> = {
  pause_goal: ['pause', 'is paused'],
  resume_goal: ['resumption', 'is resumed'],
  reopen_goal: ['reopening', 'is reopened'],
  archive_goal: ['archiving', 'is archived'],
  unarchive_goal: ['return', 'is brought back'],
};

/** The operations whose texts no other rule has. */
const others: Readonly<Record<string, (named: Named) => ChangeTexts>> = {
  create_edge: () => ({ what: 'new edge', notice: 'Prerequisite added' }),
  copy_screen: (named) => creation(named, 'artifact'),
  put_canvas: () => ({ what: 'Change of an edge' }),
  move_documents: move,
  move_screen: move,
  triage_submission: triage,
  restore_revision: () => ({ what: 'return of a former state', notice: 'The former state is restored.' }),
  restore_from_trash: ({ input, name }) => ({
    what: `return of ${name(input['trash_id'], 'a deleted record')}`,
    notice: ({ label }) => (label === '' ? 'Restored.' : `Restored: “${String(label)}”.`),
  }),
  complete_goal: ({ input, name }) => {
    const label = name(input['goal_id'], 'the goal');
    return {
      what: `evidence for ${label}`,
      notice: ({ status, remediation_task: remedy }) =>
        `${label} is ${String(status)}${remedy === undefined ? '' : ': a remediation task waits in Scope'}.`,
    };
  },
  answer_agent_run: ({ input, name }) => {
    const label = name(input['run_id'], 'the run');
    return { what: `answer to ${label}`, notice: `Answered: ${label}.` };
  },
  complete_agent_run: ({ input, name }) => {
    const label = name(input['run_id'], 'the run');
    return { what: `closing of ${label}`, notice: ({ status }) => `${label} is closed as ${String(status)}.` };
  },
};

/** Typed texts, which the editor undoes, and what is more than a record. */
const without = new Set(['update_note', 'update_artifact', 'create_goal']);

/** The texts of an operation on records; undefined if the page does not undo it. It reads names before the change is shown. */
export function changeTextsOf<N extends OperationName>(
  client: QueryClient,
  operation: N,
  input: Input<N>,
): ChangeTexts | undefined {
  const name: Named['name'] = (id, otherwise) => {
    const found = findCached(client, String(id));
    const label = found?.['label'] ?? found?.['title'] ?? found?.['name'];
    return typeof label === 'string' && label !== '' ? `“${label}”` : otherwise;
  };
  const named: Named = { input: input as Members, name };
  const [, verb, kind = ''] = /^(update|create|delete|add)_(?:\w+_)?([a-z]+)$/.exec(operation) ?? [];
  const goal = goalWords[operation];
  if (without.has(operation) || !isRecord(kind, verb, operation)) return undefined;
  if (goal !== undefined) {
    const label = name(named.input['goal_id'], 'the goal');
    return { what: `${goal[0]} of ${label}`, notice: `${label} ${goal[1]}.` };
  }
  const other = others[operation];
  if (other !== undefined) return other(named);
  if (verb === 'update') return update(named, kind);
  return verb === 'delete' ? deletion(named, kind) : creation(named, kind);
}

const kinds = ['task', 'document', 'note', 'artifact', 'goal', 'folder', 'prototype', 'view', 'tag', 'comment', 'edge'];

function isRecord(kind: string, verb: string | undefined, operation: string): boolean {
  if (Object.hasOwn(others, operation) || Object.hasOwn(goalWords, operation)) return true;
  return operation === 'update_project' || (verb !== undefined && kinds.includes(kind));
}
