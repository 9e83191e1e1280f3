import type { QueryClient } from '@tanstack/react-query';
import { call, callWithTag, ServiceError } from '../api/client.ts';
import type { Answer, Input, OperationName } from '../api/client.ts';
import { authorOf } from '../api/author.ts';
import { statusNames } from '../api/status-names.ts';
import { cachedName, findCached } from './find-cached.ts';
import type { Members } from './find-cached.ts';
import type { Ways } from './history.ts';
import type { UndoRule } from './undo-rule.ts';

/** A resource whose fields are changed by one operation and read by another. */
interface Resource<N extends OperationName> {
  readonly update: N;
  readonly read: OperationName;
  readonly list: OperationName;
  /** The member of the input with its id. */
  readonly id: string;
  /** Its name in notifications if its own is unknown. */
  readonly name: string;
  /** The fields whose change shows a notification. */
  readonly notify?: ReadonlySet<string>;
}

const words: Readonly<Record<string, string>> = {
  goal_id: 'goal',
  due_date: 'due date',
  commit_refs: 'commits',
  parent_folder_id: 'folder',
  verified_at: 'approval',
  verified_ref: 'reference',
  config: 'settings',
};

/** The fields of an input that are changes of the record. */
function changedIn(input: Members, id: string): string[] {
  const others = new Set([id, 'project_id', 'agent_ref', 'link_to']);
  return Object.keys(input).filter((name) => input[name] !== undefined && !others.has(name));
}

/** A field's value as an input has it: tags are names there. Lists of comments omit the status of an open comment. */
function valueOf(record: Members, field: string): unknown {
  const value = record[field];
  if (field === 'tags') return (value as readonly { readonly name: string }[] | undefined)?.map(({ name }) => name);
  return value === undefined && field === 'resolved' ? false : value;
}

/** Returns whether two values are the same on the wire. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
}

function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(canonical);
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Undone by writing the former values, unless one of the fields was changed since. */
export function fieldRule<N extends OperationName>(resource: Resource<N>): UndoRule<N> {
  const { read, list, id: member, name, notify } = resource;
  return (client, given, projectId) => {
    const input = given as Members;
    const id = String(input[member]);
    const former = findCached(client, id, list, read);
    const fields = changedIn(input, member);
    if (former === undefined || fields.length === 0) return undefined;
    const before = Object.fromEntries(fields.map((field) => [field, valueOf(former, field)]));
    if (Object.values(before).some((value) => value === undefined)) return undefined;
    const label = cachedName(client, id) ?? `the ${name}`;
    const text = fields.map((field) => words[field] ?? field.replaceAll('_', ' ')).join(', ');
    const at: Edited = { resource, id, projectId, what: text };
    return {
      what: `${text} of ${label}`,
      ...(fields.some((field) => notify?.has(field)) && { notice: noticeOf(input, text, label) }),
      ways: (answer): Ways => {
        const after = Object.fromEntries(
          fields.map((field) => [field, valueOf(answer as Members, field) ?? input[field]]),
        );
        return {
          undo: async () => {
            await write(at, after, before);
            await claimAgain(id, projectId, former);
          },
          redo: () => write(at, before, after),
        };
      },
    };
  };
}

/** The notification of a change. */
function noticeOf(input: Members, text: string, label: string): string {
  const status = statusNames[input['status'] as keyof typeof statusNames] as string | undefined;
  if (status !== undefined) return `${label} moved to ${status}.`;
  return typeof input['verified_at'] === 'string' ? `${label} is approved.` : `Changed: ${text} of ${label}.`;
}

interface Edited {
  readonly resource: Resource<OperationName>;
  readonly id: string;
  readonly projectId: string;
  readonly what: string;
}

/** Writes fields that have the expected values. Throws `precondition_failed` if another user changed them since. */
async function write({ resource, id, projectId, what }: Edited, expected: Members, next: Members): Promise<void> {
  const at = { [resource.id]: id, project_id: projectId };
  const loaded = await callWithTag(resource.read, at as Input<OperationName>);
  if (loaded === 'unchanged') return;
  const now = loaded.value as Members;
  if (Object.entries(expected).some(([field, value]) => !same(valueOf(now, field), value)))
    throw new ServiceError('precondition_failed', `${await lastAuthor(projectId, id)} changed ${what} since.`);
  await call(resource.update, { ...at, ...next }, { ifMatch: loaded.tag });
}

/** The author of the newest change of a record. */
export async function lastAuthor(projectId: string, id: string): Promise<string> {
  const { revisions } = await call('list_revisions', { project_id: projectId, target_id: id, limit: 1 });
  return revisions[0] === undefined ? 'Another change' : authorOf(revisions[0].author).name;
}

/** The shortest claim that is given back, in seconds: its agent renews it or has ended. */
const claimSecondsMin = 60;

/** A released task is held by its agent again, for the rest of the time. */
async function claimAgain(id: string, projectId: string, former: Members): Promise<void> {
  const { lease_expires_at: until, assignee, status } = former as Partial<Answer<'get_task'>>;
  if (until == null || assignee == null || status !== 'in_progress') return;
  const seconds = Math.max(claimSecondsMin, Math.round((Date.parse(until) - Date.now()) / 1000));
  await call('claim_task', { task_id: id, project_id: projectId, agent_ref: assignee, lease_seconds: seconds });
}

/** The name of a cached record, or a word for its kind. */
export function nameOr(client: QueryClient, id: string, otherwise: string): string {
  return cachedName(client, id) ?? otherwise;
}
