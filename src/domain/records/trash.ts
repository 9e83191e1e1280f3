import { isoTime } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { mapInSteps, type Steps } from '../../base/slices.ts';
import { equal, membersOf } from '../../store/index.ts';
import type { Belonging, Change, Link, ServiceCollectionSpec, StoredRecord, WrittenFile } from '../../store/index.ts';
import {
  collections,
  type PlanReadTransaction,
  type PlanTransaction,
  type TrashEntry,
  type TrashType,
} from './collections.ts';

/**
 * The values that a deletion took from a record that remains: members of a set, or the value of a field before and
 * after.
 */
export type Taken = { readonly members: readonly unknown[] } | { readonly from: unknown; readonly to: unknown };

/** A record that remains, and the fields that the deletion changed. */
export interface Edit {
  readonly collection: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, Taken>>;
}

/**
 * A deletion by the service, for 30 days. Stored outside the plan, in `local/`: it is not part of the files, whose
 * history git keeps. The content of a revision of the deletion (the record, its edges and comments) is not stored
 * again.
 */
export interface TrashRecord extends StoredRecord {
  readonly project: string;
  readonly target_type: TrashType;
  readonly target: string;
  /** The label or title when it was deleted. */
  readonly label: string;
  readonly author: string;
  readonly edges: number;
  readonly comments: number;
  /** The number of records that the deletion moved out of a folder or prototype, or took a tag from. */
  readonly records: number;
  /** The removed records that no revision has. */
  readonly removed: readonly Belonging[];
  readonly changed: readonly Edit[];
  /** The file of the record, as a person wrote it. */
  readonly file?: WrittenFile;
  /** The size of these as JSON; 0 if they were dropped to stay within the limits. */
  readonly bytes: number;
  readonly drop_at: string;
}

/** The service collection of deletions, as declared to the store. */
export const trashCollection = {
  name: 'trash',
  placement: 'project',
  indexes: {
    project: ({ project }: TrashRecord) => project,
    target: ({ project, target }: TrashRecord) => `${project}.${target}`,
  },
  retention: {
    owner: (record) => (record as TrashRecord).project,
    weight: (record) => (record as TrashRecord).bytes,
    shed: withoutContents,
    recordsPerOwnerMax: limits.trashEntriesPerProjectMax,
    recordsMax: limits.trashEntriesMax,
    recordBytesMax: limits.trashEntryBytesMax,
    bytesPerOwnerMax: limits.trashPerProjectBytesMax,
    bytesMax: limits.trashBytesMax,
  },
} as const satisfies ServiceCollectionSpec;

/** An entry that was shed to stay within the limits. */
function withoutContents(record: StoredRecord): TrashRecord {
  const { file: _, ...entry } = record as TrashRecord;
  return { ...entry, removed: [], changed: [], bytes: 0 };
}

const dayMs = 86_400_000;
const versioned = new Set(collections.filter((one) => one.versioned.length > 0).map(({ name }) => name));
const sets = new Map(collections.map((one) => [one.name, new Set(['links', ...one.sets])]));

/** Returns whether the deletion of a record of this type is a revision. */
export function hasRevisions(type: string): boolean {
  return versioned.has(type);
}

export interface Discarded {
  readonly type: TrashType;
  readonly id: string;
  readonly label: string;
}

/**
 * Runs a deletion, in steps, and adds it to the trash, in the same change: neither is durable without the other. Every deletion of a record of a
 * project uses this. Returns the id of the entry.
 */
export function* discard(
  tx: PlanTransaction,
  { type, id, label }: Discarded,
  remove: () => Steps<void>,
): Steps<string> {
  const edges = edgesOf(tx, id);
  const file = tx.fileByPerson(id);
  const before = tx.changeCount;
  yield* remove();
  const changes = tx.changes(before);
  const gone = changes.filter(({ to }) => to === undefined);
  const removed = gone.flatMap(({ collection, from }) =>
    versioned.has(collection) || (versioned.has(type) && collection === 'comment')
      ? []
      : [{ collection, record: { ...from! } }],
  );
  const changed = (yield* mapInSteps(changes, editOf)).flat();
  // An earlier deletion of a record that exists again was restored without the trash.
  for (const former of entriesOf(tx, id)) tx.service.remove(trashCollection.name, former.id);
  const entry = tx.service.put<TrashRecord>(trashCollection.name, {
    id: tx.newId('trash'),
    created_at: tx.now,
    updated_at: tx.now,
    project: tx.project,
    target_type: type,
    target: id,
    label: label.slice(0, limits.nameCharactersMax).toWellFormed(),
    author: tx.author,
    edges,
    comments: gone.filter((one) => one.collection === 'comment' && one.id !== id).length,
    records: changed.filter(({ fields }) => Object.keys(fields).some((name) => name !== 'links')).length,
    removed,
    changed,
    ...(file && { file }),
    bytes: sizeOf(removed, changed, file),
    drop_at: isoTime(Date.parse(tx.now) + limits.trashDays * dayMs),
  });
  return entry.id;
}

/** Adds to an entry what restoring it has to change in another record. */
export function addEdit(tx: PlanTransaction, entry: TrashRecord, edit: Edit): void {
  const changed = [...entry.changed, edit];
  tx.service.put<TrashRecord>(trashCollection.name, {
    ...entry,
    updated_at: tx.now,
    changed,
    bytes: sizeOf(entry.removed, changed, entry.file),
  });
}

/** The size of the contents as JSON; 0 without contents. */
function sizeOf(removed: readonly Belonging[], changed: readonly Edit[], file: WrittenFile | undefined): number {
  const contents = [...removed, ...changed, ...(file === undefined ? [] : [file])];
  return contents.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(contents));
}

/** The number of edges of a record whose other end exists. */
function edgesOf(view: PlanReadTransaction, id: string): number {
  const own = view.outgoing(id).filter(({ link }) => view.find(link.to) !== undefined);
  return own.length + view.incoming(id).length;
}

/** The changes of the deletion to a record that remains. */
function editOf({ collection, id, from, to }: Change): Edit[] {
  if (from === undefined || to === undefined) return [];
  const [before, after] = [membersOf(from), membersOf(to)];
  const fields: Record<string, Taken> = {};
  for (const name of Object.keys(before)) {
    if (name === 'updated_at' || equal(before[name], after[name])) continue;
    fields[name] =
      sets.get(collection)?.has(name) === true
        ? { members: missing(before[name] as readonly unknown[], after[name] as readonly unknown[]) }
        : { from: before[name], to: after[name] };
  }
  return Object.keys(fields).length === 0 ? [] : [{ collection, id, fields }];
}

function missing(before: readonly unknown[], after: readonly unknown[]): unknown[] {
  const left = new Set(after.map(keyOf));
  return before.filter((member) => !left.has(keyOf(member)));
}

/** An edge is the same if its id is. */
function keyOf(member: unknown): unknown {
  return typeof member === 'object' && member !== null ? (member as Link).id : member;
}

function entriesOf(view: Pick<PlanReadTransaction, 'project' | 'service'>, target: string): TrashRecord[] {
  return view.service.by<TrashRecord>(trashCollection.name, 'target', `${view.project}.${target}`);
}

/** Returns whether the deleted record or edge does not exist again. */
function isGone(view: PlanReadTransaction, { target_type: type, target }: TrashRecord): boolean {
  return type === 'edge' ? view.edge(target) === undefined : view.find(target) === undefined;
}

/** The deletions that can be seen in the trash, newest first. */
export function listTrash(view: PlanReadTransaction, target?: string): TrashRecord[] {
  const entries =
    target === undefined
      ? view.service.by<TrashRecord>(trashCollection.name, 'project', view.project)
      : entriesOf(view, target);
  return entries
    .filter((entry) => entry.drop_at > view.now && isGone(view, entry))
    .sort((a, b) => (`${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? 1 : -1));
}

/** An entry that has not expired. Throws `not_found`. */
export function trashById(view: PlanReadTransaction, id: string): TrashRecord {
  const entry = view.service.get<TrashRecord>(trashCollection.name, id);
  if (entry?.project === view.project && entry.drop_at > view.now) return entry;
  throw new PlannerError(
    'not_found',
    `There is no ${JSON.stringify(id)} in the trash of this project: it was restored, or its ${limits.trashDays} days are over.`,
    { resource: 'trash', id },
  );
}

/** Returns whether the trash, or the history, has everything that restoring needs. */
export function isRestorable({ target_type: type, bytes }: TrashRecord): boolean {
  return versioned.has(type) || bytes > 0;
}

/** An entry in the form for callers. */
export function showTrash(view: Pick<PlanReadTransaction, 'project'>, entry: TrashRecord): TrashEntry {
  const { id, target_type, target, label, created_at, author, drop_at, edges, comments, records } = entry;
  return {
    id,
    project_id: view.project,
    target_type,
    target_id: target,
    label,
    created_at,
    deleted_by: author,
    expires_at: drop_at,
    edges,
    comments,
    records,
    restorable: isRestorable(entry),
  };
}
