import { fromEntryChange, lazyHash, membersOf, equal } from '../../store/index.ts';
import type { EntryBody, EventChange, StoredEvent, StoredRecord } from '../../store/index.ts';
import { knownProblemCollection } from './known-problems.ts';
import type { KnownProblem } from './known-problems.ts';
import { leaseCollection } from '../plan/leases.ts';
import type { LeaseRecord } from '../plan/leases.ts';
import { awaitedBy } from '../plan/runs.ts';
import type { RunRecord } from '../records/collections.ts';
import type { FieldRule } from '../records/declare-collection.ts';
import { declared } from '../records/record-collections.ts';
import { titleFields } from '../records/title-fields.ts';
import { type Kept, keptFields } from './kept.ts';

/** A longer value is not included in an event: who needs it reads the resource. In characters of JSON. */
const valueCharactersMax = 300;
const labelCharactersMax = 200;
/** A longer question or answer is not included. In characters of JSON. */
const saidCharactersMax = 2000;
/** A longer text of a problem is shortened. */
const reasonMax = 300;
/** More changed fields are not listed. */
const changesMax = 30;

type Members = Readonly<Record<string, unknown>>;
type Link = NonNullable<StoredRecord['links']>[number];

/** The properties of a collection that events need. */
interface Described {
  /** The field with its name for people. */
  readonly label: string | undefined;
  /** Fields that are texts of many lines. */
  readonly texts: ReadonlySet<string>;
  /** Fields whose former values revisions have. */
  readonly versioned: ReadonlySet<string>;
}

const described: ReadonlyMap<string, Described> = new Map(
  declared.map(({ name, fields, texts }) => [
    name,
    {
      label: titleFields.find((field) => field in fields),
      texts: new Set(texts),
      versioned: new Set(versionedIn(fields)),
    },
  ]),
);

function versionedIn(fields: Readonly<Record<string, FieldRule>>): string[] {
  return Object.keys(fields).filter((field) => fields[field]!.versioned !== undefined);
}

/** Fields that change with others and have no meaning of their own. */
const silent: ReadonlySet<string> = new Set(['id', 'links', 'created_at', 'updated_at']);

/**
 * The events of a change set: one for each resource that changed, each followed by its meaning for callers who wait. It
 * runs for every change, most of which create or update one record.
 */
export function describeEntry(body: EntryBody): StoredEvent[] {
  const events: StoredEvent[] = [];
  const { changes, offline, transitions } = body;
  const revisions = body.revisions.length === 0 ? none : new Map(body.revisions.map(({ target, id }) => [target, id]));
  const beside = besideOf(body);
  for (const { c: collection, id, to, was, gone } of offline === undefined ? changes : [...changes, ...offline]) {
    const known = described.get(collection);
    if (known === undefined) continue;
    const lease = beside.ended.get(id);
    const changed = { collection, known, id, to, was, gone, at: body.at, lease, wasReleased: beside.released.has(id) };
    addEvents(events, changed, revisions.get(id));
  }
  addBeside(events, beside);
  for (const [type, records] of transitions === undefined ? [] : Object.entries(transitions))
    for (const { id, label } of records)
      events.push({ type, resource: { type: type.split('.', 1)[0] ?? '', id, label: shortened(label) }, changes: [] });
  return events;
}

const none: ReadonlyMap<string, string> = new Map();

interface Changed {
  readonly collection: string;
  readonly known: Described;
  readonly id: string;
  /** Undefined for a removal. */
  readonly to: StoredRecord | undefined;
  /** The former values of the fields that an update changed. */
  readonly was: Members | undefined;
  readonly gone: StoredRecord | undefined;
  /** The time of the change set. */
  readonly at: string;
  /** The lease of the task that ended with this change. */
  readonly lease: Kept['lease'];
  /** The lease of the task had expired, and there was an event for it. */
  readonly wasReleased: boolean;
}

/** The meaning of the service's own records in an entry for callers who wait. */
interface Beside {
  /** The leases that expired. */
  readonly expired: readonly LeaseRecord[];
  /** The tasks whose lease had expired before, with the lease by which the same agent holds it again. */
  readonly released: ReadonlyMap<string, LeaseRecord | undefined>;
  /** The leases that ended, or that another agent has now, by task. */
  readonly ended: ReadonlyMap<string, Kept['lease']>;
  readonly found: readonly KnownProblem[];
  readonly cleared: readonly KnownProblem[];
}

const nothingBeside: Beside = { expired: [], released: new Map(), ended: new Map(), found: [], cleared: [] };

function besideOf({ service }: EntryBody): Beside {
  if (service === undefined) return nothingBeside;
  const expired: LeaseRecord[] = [];
  const released = new Map<string, LeaseRecord | undefined>();
  const ended = new Map<string, Kept['lease']>();
  const [found, cleared]: [KnownProblem[], KnownProblem[]] = [[], []];
  for (const change of service) {
    const { from, to } = fromEntryChange(change);
    if (change.c === leaseCollection.name) {
      const [before, after] = [from as LeaseRecord | undefined, to as LeaseRecord | undefined];
      if (before !== undefined && before.agent_ref !== after?.agent_ref) ended.set(before.task, termsOf(before));
      if (before?.released == null && after?.released != null) expired.push(after);
      if (before?.released != null && after?.released == null)
        released.set(before.task, after?.agent_ref === before.agent_ref ? before : undefined);
    } else if (change.c === knownProblemCollection.name) {
      if (to === undefined) cleared.push(from as KnownProblem);
      else if (from === undefined) found.push(to as KnownProblem);
    }
  }
  return { expired, released, ended, found, cleared };
}

function termsOf({ agent_ref, lease_seconds, expires_at, session }: LeaseRecord): Kept['lease'] {
  return { agent_ref, lease_seconds, expires_at, session };
}

function addBeside(events: StoredEvent[], { expired, released, found, cleared }: Beside): void {
  for (const [id, lease] of released)
    if (lease !== undefined && !events.some(({ type, resource }) => type === 'task.claimed' && resource.id === id))
      events.push({ type: 'task.claimed', resource: taskOf(lease), changes: [] });
  for (const lease of expired)
    events.push({ type: 'task.released', resource: taskOf(lease), changes: [], reason: 'lease_expired' });
  for (const one of cleared) events.push(problemEvent('problem.cleared', one, 'from'));
  for (const one of found) events.push(problemEvent('problem.found', one, 'to'));
}

function taskOf({ task, released }: LeaseRecord): StoredEvent['resource'] {
  return { type: 'task', id: task, label: shortened(released!.label) };
}

/** The path is the label, because a problem belongs to a file. */
function problemEvent(type: string, { id, problem, record }: KnownProblem, side: 'from' | 'to'): StoredEvent {
  const { path, kind, reason, line } = problem;
  const fields = { path, kind, reason, line, record_id: record ?? undefined };
  const changes = Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, [side]: typeof value === 'string' ? shortened(value, reasonMax) : value }],
  );
  return { type, resource: { type: 'problem', id: id.slice(id.indexOf('.') + 1), label: shortened(path) }, changes };
}

function addEvents(events: StoredEvent[], changed: Changed, revision: string | undefined): void {
  const { collection, known, id, to, was, gone } = changed;
  const resource = { type: collection, id, label: labelOf(known, to ?? gone) };
  const what = to === undefined ? 'deleted' : was === undefined ? 'created' : 'updated';
  const changes = to === undefined ? [] : fieldChanges(known, was, to);
  // An update of unknown fields has equal values. Links have events of their own, and a change of a time has no event.
  const isUnknown = was !== undefined && !('links' in was || 'updated_at' in was);
  if (what !== 'updated' || changes.length > 0 || isUnknown) {
    const type = `${collection}.${what}`;
    const kept = keptOf(changed, changes);
    events.push({
      ...{ type, resource, changes },
      ...(revision !== undefined && { revision_id: revision }),
      ...(kept !== undefined && { kept: { ...kept } }),
    });
  }
  for (const { type, reason, changes: own = changes } of transitionsOf(changed))
    events.push({ type, resource, changes: own, ...(reason !== undefined && { reason }) });
  addEdges(events, id, formerLinks(changed), to?.links ?? noLinks);
}

const noLinks: readonly Link[] = [];

function formerLinks({ to, was, gone }: Changed): readonly Link[] {
  if (to === undefined) return gone?.links ?? noLinks;
  if (was === undefined) return noLinks;
  return ('links' in was ? (was['links'] as StoredRecord['links']) : to.links) ?? noLinks;
}

/** What taking the change back needs beside the changes. */
function keptOf({ known, was, to, at, lease }: Changed, changes: readonly EventChange[]): Kept | undefined {
  if (to === undefined) return undefined;
  if (was === undefined) return to.updated_at === at ? undefined : { updated_at: to.updated_at };
  const fields = keptFields(changes, was, to, known.versioned);
  if (fields === undefined && lease === undefined) return undefined;
  return { ...(fields && { fields }), ...(lease && { lease }) };
}

function labelOf({ label: field }: Described, record: StoredRecord | undefined): string | null {
  const label = field === undefined || record === undefined ? null : membersOf(record)[field];
  return typeof label === 'string' ? shortened(label) : null;
}

/** The fields that differ, with their values if they are short. `was`: their former values; undefined for a new record. */
function fieldChanges({ texts }: Described, was: Members | undefined, to: StoredRecord): EventChange[] {
  const after = membersOf(to);
  const changes: EventChange[] = [];
  for (const field in was ?? after) {
    if (silent.has(field) || !(field in after) || changes.length === changesMax) continue;
    const isText = texts.has(field) || lazyHash(to, field) !== undefined;
    if (isText ? !isOtherText(was, to, field) : isSame(was, after, field)) continue;
    changes.push(isText ? { field } : changeOf(field, was && (was[field] ?? null), after[field] ?? null));
  }
  return changes;
}

/** A new record's empty fields are not listed. */
function isSame(was: Members | undefined, after: Members, field: string): boolean {
  const value = after[field] ?? null;
  if (was !== undefined) return equal(was[field] ?? null, value);
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Returns whether a text differs. A text in a file is compared by its hash, and not read. */
function isOtherText(was: Members | undefined, to: StoredRecord, field: string): boolean {
  const [hash, former] = [lazyHash(to, field), was && lazyHash(was, field)];
  if (hash !== undefined || former !== undefined) return hash !== former;
  return !isSame(was, membersOf(to), field);
}

/** The change of a field with its values if they are short. `from` is undefined if there was no record. */
function changeOf(field: string, from: unknown, to: unknown): EventChange {
  if (from === undefined || !isShort(from)) return isShort(to) ? { field, to } : { field };
  return isShort(to) ? { field, from, to } : { field, from };
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= valueCharactersMax;
  if (typeof value !== 'object' || value === null) return true;
  return valuesUpTo(value, valueCharactersMax) > 0 && JSON.stringify(value).length <= valueCharactersMax;
}

/** The rest of `most` after counting the values in this one: a large one is not encoded to find its length. */
function valuesUpTo(value: unknown, most: number): number {
  if (typeof value === 'string') return most - value.length;
  if (typeof value !== 'object' || value === null) return most - 1;
  let left = most;
  for (const name in value) {
    left = valuesUpTo((value as Members)[name], left - 1);
    if (left <= 0) return left;
  }
  return left;
}

/** An event in addition to the event of the change itself. */
interface Transition {
  readonly type: string;
  readonly reason?: string;
  /** Default: the changes of the record. */
  readonly changes?: readonly EventChange[];
}

/** The events that people and agents wait for. */
function transitionsOf({ collection, was, to, wasReleased }: Changed): readonly Transition[] {
  const decisive = decisiveFields[collection];
  if (to === undefined || decisive === undefined) return noTransitions;
  const after = membersOf(to);
  const before: Record<string, unknown> = {};
  if (was !== undefined) for (const field of decisive) before[field] = field in was ? was[field] : after[field];
  if (collection === 'task') return taskTransitions(before, after, wasReleased);
  if (collection === 'goal') return goalTransitions(before, after);
  return runTransitions(before as unknown as RunRecord, after as unknown as RunRecord, was === undefined);
}

/** The fields on which the transitions of a record depend. */
const decisiveFields: Readonly<Record<string, readonly string[]>> = {
  task: ['status', 'assignee', 'verification_state'],
  goal: ['status', 'verification_state'],
  run: ['status', 'awaiting', 'events'],
};

const noTransitions: readonly Transition[] = [];

function taskTransitions(before: Members, after: Members, wasReleased: boolean): Transition[] {
  const [holder, former] = [holderOf(after), holderOf(before)];
  const transitions: Transition[] = [];
  if (former !== undefined && holder !== former && after['status'] !== 'done' && !wasReleased)
    transitions.push({ type: 'task.released', reason: holder === undefined ? 'status_changed' : 'reassigned' });
  if (holder !== undefined && holder !== former) transitions.push({ type: 'task.claimed' });
  if (became('status', 'done', before, after)) transitions.push({ type: 'task.done' });
  if (became('verification_state', 'stale', before, after)) transitions.push({ type: 'task.stale' });
  return transitions;
}

function goalTransitions(before: Members, after: Members): Transition[] {
  const transitions: Transition[] = [];
  if (became('status', 'complete', before, after)) transitions.push({ type: 'goal.completed' });
  if (became('status', 'blocked', before, after)) transitions.push({ type: 'goal.blocked' });
  if (became('verification_state', 'stale', before, after)) transitions.push({ type: 'goal.stale' });
  return transitions;
}

function became(field: string, value: string, before: Members, after: Members): boolean {
  return after[field] === value && before[field] !== value;
}

/** A run makes progress, asks a person, and is answered. These events have the question and the answer. */
function runTransitions(before: RunRecord, after: RunRecord, isNew: boolean): Transition[] {
  const former = isNew ? null : awaitedBy(before);
  const awaiting = awaitedBy(after);
  const known = new Set(isNew ? [] : before.events.map(({ id }) => id));
  const lines = after.events.length === known.size ? [] : after.events.filter(({ id }) => !known.has(id));
  const transitions: Transition[] = lines.some(({ author }) => author === undefined) ? [{ type: 'run.progress' }] : [];
  for (const { author, message, question = former?.question } of lines)
    if (author !== undefined)
      transitions.push({
        type: 'run.answered',
        changes: [...saidIn('question', question), ...saidIn('answer', message)],
      });
  if (awaiting !== null && !equal(awaiting, former))
    transitions.push({
      type: 'run.asks',
      changes: [...saidIn('question', awaiting.question), ...saidIn('choices', awaiting.choices)],
    });
  return transitions;
}

/** Questions and answers are longer than other values that an event has. */
function saidIn(field: string, to: unknown): EventChange[] {
  if (to === undefined) return [];
  return [JSON.stringify(to).length <= saidCharactersMax ? { field, to } : { field }];
}

/** The assignee of a task in progress. */
function holderOf({ status, assignee }: Members): unknown {
  return status === 'in_progress' ? (assignee ?? undefined) : undefined;
}

/** Edges are kept in the record at their start: their changes are events of their own. */
function addEdges(events: StoredEvent[], start: string, before: readonly Link[], after: readonly Link[]): void {
  if (before === after || (before.length === 0 && after.length === 0)) return;
  const former = new Map(before.map((link) => [link.id, link]));
  for (const link of after) {
    const from = former.get(link.id);
    former.delete(link.id);
    if (from === undefined) events.push(edgeEvent('created', link, edgeChanges(start, undefined, link)));
    else if (!equal(from, link))
      events.push(edgeEvent('updated', link, edgeChanges(start, from, link), { from: start, link: from }));
  }
  for (const link of former.values()) events.push(edgeEvent('deleted', link, [], { from: start, link }));
}

function edgeEvent(
  what: string,
  { id, label }: Link,
  changes: readonly EventChange[],
  former?: Kept['edge'],
): StoredEvent {
  return {
    type: `edge.${what}`,
    resource: { type: 'edge', id, label: label === undefined ? null : shortened(label) },
    changes,
    ...(former && { kept: { edge: former } }),
  };
}

const edgeFields = { to: 'to_id', label: 'label', style: 'style', arrow_direction: 'arrow_direction' } as const;

function edgeChanges(start: string, from: Link | undefined, to: Link): EventChange[] {
  const changes: EventChange[] = from === undefined ? [{ field: 'from_id', to: start }] : [];
  for (const [name, field] of Object.entries(edgeFields) as [keyof typeof edgeFields, string][])
    if ((from?.[name] ?? null) !== (to[name] ?? null))
      changes.push(changeOf(field, from && (from[name] ?? null), to[name] ?? null));
  return changes;
}

function shortened(label: string, max = labelCharactersMax): string {
  return label.length <= max ? label : `${label.slice(0, max).toWellFormed()}…`;
}
