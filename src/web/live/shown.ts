import type { OperationName } from '../rest/client.ts';
import type { Event } from '../rest/types.ts';

/** An event of the feed. */
export type ChangeEvent = Event;

/** The records that a result shows. */
interface Shown {
  /** The types of the records. */
  readonly types: readonly string[];
  /** The fields that are shown of a type, if these are few. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
  /** The result shows one record: the member of the input that names it. Of others it shows names and states. */
  readonly about?: string;
}

const names = ['label', 'title', 'name', 'status'];

/** Results of operations that are not listed may show any record. */
const shown: Partial<Record<OperationName, Shown>> = {
  list_projects: { types: ['project'] },
  list_tasks: { types: ['task', 'tag', 'edge'] },
  get_task: { types: ['task', 'tag', 'edge', 'document', 'artifact', 'prototype'], about: 'task_id' },
  // A link in a file may name a record that comes later.
  list_edges: { types: ['edge', 'task', 'document'], only: { task: ['label'], document: ['title'] } },
  list_task_backlinks: { types: ['edge', 'task', 'document', 'artifact', 'prototype'], about: 'task_id' },
  match_tasks: { types: ['task'], only: { task: ['label', 'description'] } },
  get_canvas: {
    types: ['task', 'document', 'edge', 'canvas'],
    only: { task: ['label', 'status', 'position'], document: ['title', 'status', 'position'] },
  },
  get_task_graph: { types: ['task', 'edge', 'goal'], only: { task: ['label', 'status', 'goal_id'], goal: ['status'] } },
  get_next_task: { types: ['task', 'edge', 'goal', 'tag', 'project'] },
  list_goals: { types: ['goal'] },
  get_goal: { types: ['goal', 'task', 'tag', 'edge'] },
  list_documents: { types: ['document', 'folder'] },
  get_document: { types: ['document', 'edge', 'task', 'artifact', 'prototype', 'file'], about: 'document_id' },
  list_notes: { types: ['note'] },
  get_note: { types: ['note'], about: 'note_id' },
  list_artifacts: { types: ['artifact'] },
  get_artifact: { types: ['artifact', 'prototype', 'file'], about: 'artifact_id' },
  list_prototypes: { types: ['prototype', 'artifact'] },
  get_prototype: { types: ['prototype', 'artifact'] },
  list_comments: { types: ['comment'] },
  list_agent_runs: { types: ['run'] },
  get_agent_run: { types: ['run'] },
  list_submissions: { types: ['submission', 'task'] },
  list_tags: { types: ['tag', 'task'], only: { task: ['tags'] } },
  list_views: { types: ['view'] },
  // Results that are requested once.
  ...{ diff_revision: { types: [] }, search: { types: [] } },
};

/** More changed fields of a record are not listed in an event. */
const fieldsListedMax = 30;

/** Returns whether an event may change the result of an operation. */
export function mayChange(name: OperationName, input: Readonly<Record<string, unknown>>, event: ChangeEvent): boolean {
  if (name === 'list_revisions') return event.revision_id !== undefined || !event.type.endsWith('.updated');
  const known = shown[name];
  if (known === undefined) return true;
  const { type, id } = event.resource;
  if (!known.types.includes(type)) return false;
  const isOther = known.about !== undefined && type !== 'edge' && input[known.about] !== id;
  if (event.type.endsWith('.created')) return !isOther;
  const { length } = event.changes;
  const fields = isOther ? names : known.only?.[type];
  if (fields === undefined || length === 0 || length >= fieldsListedMax) return true;
  return event.changes.some(({ field }) => fields.includes(field));
}

/** Which results show records of the service, by the names that a stream says. */
const ofService: Readonly<Record<string, readonly OperationName[]>> = {
  projects: ['list_projects', 'get_project'],
  problems: ['list_problems', 'list_projects', 'get_project'],
  keys: ['list_keys'],
  shares: ['list_shares'],
  identities: ['list_identities'],
  sign_ins: ['list_sign_ins'],
  webhooks: ['list_webhooks', 'list_problems', 'get_project'],
  webhook_deliveries: ['list_webhook_deliveries', 'list_webhooks'],
  leases: ['list_tasks', 'get_task', 'get_next_task'],
  trash: ['list_trash'],
  current_goals: ['get_next_task'],
};

const everyOfService: ReadonlySet<OperationName> = new Set(Object.values(ofService).flat());

/** The results that may have changed with these records of the service; undefined: with any. */
export function shownOfService(changed: readonly string[] | undefined): ReadonlySet<OperationName> {
  return changed === undefined ? everyOfService : new Set(changed.flatMap((name) => ofService[name] ?? []));
}

/** Rows that change when a time is over, and the kind of change. */
const expiring: Partial<Record<OperationName, { readonly member: string; readonly changes: string }>> = {
  list_tasks: { member: 'lease_expires_at', changes: 'leases' },
  list_shares: { member: 'expires_at', changes: 'shares' },
  list_sign_ins: { member: 'expires_at', changes: 'sign_ins' },
};

/** When the next row of a list expires, in milliseconds, and the kind of change. Undefined if no row expires. */
export function nextExpiry(
  name: OperationName,
  data: unknown,
  now: number,
): { readonly at: number; readonly changes: string } | undefined {
  const known = expiring[name];
  if (known === undefined) return undefined;
  let at = Infinity;
  for (const row of (data as { readonly rows?: readonly Readonly<Record<string, unknown>>[] } | undefined)?.rows ??
    []) {
    const value = row[known.member];
    const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (time > now && time < at) at = time;
  }
  return at === Infinity ? undefined : { at, changes: known.changes };
}
