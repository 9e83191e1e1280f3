import { membersOf } from '../../store/index.ts';
import { conflict, notFound } from '../../base/errors.ts';
import type { Belonging, Incoming, Revision as StoredRevision, RevisionSummary } from '../../store/index.ts';
import {
  collections,
  type CommentRecord,
  type PlanReadTransaction,
  type Revision,
  type RevisionDetail,
} from '../records/collections.ts';
import { showComment } from '../links/comments.ts';
import type { Renderings } from '../text/renderers.ts';
import { edgeRow } from '../links/edges.ts';
import { goalIdOf } from '../records/goal-reference.ts';
import { type GuestMark, pastGuestMark } from '../records/guest-texts.ts';
type Fields = Readonly<Record<string, unknown>>;

const versionedFields: ReadonlyMap<string, readonly string[]> = new Map(
  collections.filter(({ versioned }) => versioned.length > 0).map(({ name, versioned }) => [name, versioned]),
);

/** The content of a deletion's revision: the whole record, its incoming links, and its comments. */
interface Deleted extends Fields {
  readonly $incoming?: readonly Incoming[];
  readonly $belongings?: readonly Belonging[];
}

/** Throws `not_found`. */
export function revisionById(view: PlanReadTransaction, id: string): StoredRevision {
  const revision = view.revision(id);
  if (revision === undefined) throw notFound('revision', id);
  return wholeSession(view, newestOfSession(view, revision));
}

/**
 * Returns whether two changes belong to one editing session: the same session of the same author, with no other change
 * in between.
 */
function continues(newer: RevisionSummary | undefined, older: RevisionSummary): boolean {
  return older.session !== undefined && newer?.session === older.session && newer.author === older.author;
}

/** The next newer change of the same record. */
function next(view: PlanReadTransaction, revision: RevisionSummary): RevisionSummary | undefined {
  const [newer] = newerThan(view, revision);
  return newer;
}

function newestOfSession(view: PlanReadTransaction, revision: StoredRevision): StoredRevision {
  let newest: RevisionSummary = revision;
  if (revision.session === undefined) return revision;
  for (const newer of newerThan(view, revision)) {
    if (!continues(newer, newest)) break;
    newest = newer;
  }
  return newest === revision ? revision : (view.revision(newest.id) ?? revision);
}

/** An editing session as one revision: everything that it changed, as it was at its beginning. */
function wholeSession(view: PlanReadTransaction, newest: StoredRevision): StoredRevision {
  if (newest.session === undefined) return newest;
  let whole = newest;
  let last = newest;
  for (const older of view.history({ target: newest.target, after: newest })) {
    if (!continues(last, older)) break;
    last = older;
    whole = {
      ...newest,
      fields: [...new Set([...whole.fields, ...older.fields])],
      before: { ...whole.before, ...older.before },
    };
  }
  return whole;
}

/**
 * Newest first; of one record, one kind of records, one author or one kind of authors, if given; older than `after`. Each is read when it
 * is consumed, its values are not. The revisions of an editing session are returned as one.
 */
export function* listRevisions(
  view: PlanReadTransaction,
  { target_type: type, target_id: target, author }: { target_type?: string; target_id?: string; author?: string },
  after?: { readonly at: string; readonly id: string },
): IterableIterator<RevisionSummary> {
  const newest = new Map<string, RevisionSummary>();
  const complete = author === undefined && after === undefined;
  for (const revision of view.historySummaries({ target, type, author, after })) {
    const { session, target: record } = revision;
    const known = author === undefined ? newest.get(record) : undefined;
    newest.set(record, revision);
    if (session === undefined) yield revision;
    // The newer change of the record is known if the list contains all of its changes; else it has to be looked up.
    else if (!continues(known ?? (complete ? undefined : next(view, revision)), revision))
      yield summaryOfSession(view, revision);
  }
}

/** The summary of a session, without values. */
function summaryOfSession(view: PlanReadTransaction, newest: RevisionSummary): RevisionSummary {
  const fields = new Set(newest.fields);
  let last = newest;
  for (const older of view.historySummaries({ target: newest.target, after: newest })) {
    if (!continues(last, older)) break;
    last = older;
    for (const field of older.fields) fields.add(field);
  }
  return last === newest ? newest : { ...newest, fields: [...fields] };
}

export function isDeletion({ fields }: RevisionSummary): boolean {
  return fields.length === 1 && fields[0] === 'deleted';
}

/** The incoming links of a deleted record. */
export function severedLinks(revision: StoredRevision): readonly Incoming[] {
  return (revision.before as Deleted).$incoming ?? [];
}

const isComment = collections.find(({ name }) => name === 'comment')!.validate;

/** The comments that were deleted with a record. History is read from files: values that are not comments are skipped. */
export function takenComments({ before }: StoredRevision): readonly CommentRecord[] {
  return ((before as Deleted).$belongings ?? [])
    .filter(({ collection, record }) => collection === 'comment' && isComment(record).length === 0)
    .map(({ record }) => record as CommentRecord);
}

/**
 * Every versioned field of the record before a change: from the revision itself, else from the next newer revision that changed it, else
 * from the record. Fields have the names of records.
 */
export function stateBefore(view: PlanReadTransaction, revision: StoredRevision): Fields {
  const { target, target_type: type } = revision;
  const missing = new Set(versionedFields.get(type) ?? []);
  const state: Record<string, unknown> = {};
  const take = (fields: Fields): void => {
    for (const name of missing) {
      if (!(name in fields)) continue;
      state[name] = fields[name];
      missing.delete(name);
    }
  };
  take(revision.before);
  takeFromNewer(view, revision, missing, take);
  const present = view.find(target);
  if (present?.collection === type) take(membersOf(present.record));
  return state;
}

/**
 * Calls `take` with the former values of newer revisions of the same record, oldest first, that have one of the missing
 * fields, until all are found.
 */
export function takeFromNewer(
  view: PlanReadTransaction,
  revision: RevisionSummary,
  missing: ReadonlySet<string>,
  take: (before: Fields) => void,
): void {
  for (const newer of newerThan(view, revision)) {
    if (missing.size === 0) return;
    if (!isDeletion(newer) && !newer.fields.some((field) => missing.has(field))) continue;
    // Its file may have been removed a moment ago.
    const found = view.revision(newer.id);
    if (found !== undefined) take(found.before);
  }
}

/** The newer revisions of the same record, oldest first. */
function newerThan(view: PlanReadTransaction, revision: RevisionSummary): IterableIterator<RevisionSummary> {
  return view.historySummaries({ target: revision.target, newer: revision });
}

/** The newest deletion of a record. Throws `conflict` without a deletion to restore from. */
export function deletionOf(view: PlanReadTransaction, target: string): StoredRevision {
  for (const revision of view.historySummaries({ target })) {
    const found = isDeletion(revision) ? view.revision(revision.id) : undefined;
    if (found !== undefined) return found;
  }
  throw conflict(
    `The record ${target} does not exist, and its deletion is not in the history: it cannot be restored.`,
    { id: target },
  );
}

/** Fields with another name on the wire: a task's goal is given by id. */
const wireNames: Readonly<Record<string, string>> = { goal: 'goal_id' };

/** The name of a record's field on the wire. */
export function wireName(type: string, field: string): string {
  return type === 'task' ? (wireNames[field] ?? field) : field;
}

/** A field's value in the form for callers. */
export function wireValue(view: PlanReadTransaction, type: string, field: string, value: unknown): unknown {
  if (type === 'task' && field === 'goal') return goalIdOf(view, { goal: value as string | null });
  // Callers get it as JSON text.
  if (type === 'goal' && field === 'verification_surface') return value == null ? null : JSON.stringify(value);
  return value;
}

/** A revision in the form for callers. */
export function showRevision(
  view: Pick<PlanReadTransaction, 'project'>,
  { id, target, target_type, author, fields, at }: RevisionSummary,
): Revision {
  const changed = fields.map((name) => wireName(target_type, name));
  return {
    id,
    project_id: view.project,
    target_type,
    target_id: target,
    author,
    changed_fields: changed,
    created_at: at,
  };
}

/** A revision with the state before it: every versioned field, and for a deletion the edges and comments. */
export function showRevisionDetail(
  view: PlanReadTransaction,
  revision: StoredRevision,
  renderings: Renderings,
): RevisionDetail {
  const { target_type: type } = revision;
  const snapshot: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(stateBefore(view, revision)))
    snapshot[wireName(type, name)] = wireValue(view, type, name, value);
  if (isDeletion(revision)) {
    snapshot['edges'] = edgesOf(view, revision);
    snapshot['comments'] = takenComments(revision).map((comment) => showComment(view, comment, renderings));
  }
  return { ...showRevision(view, revision), snapshot, ...markOfRevision(view, revision) };
}

/** Present if the fields of a revision contain a guest's texts. */
export function markOfRevision(
  view: PlanReadTransaction,
  { target, target_type: type, before }: StoredRevision,
): GuestMark | undefined {
  return type === 'task' ? pastGuestMark(view, target, before) : undefined;
}

function edgesOf(view: PlanReadTransaction, { target, target_type: fromType, before }: StoredRevision): unknown[] {
  const { links = [], $incoming = [] } = before as {
    links?: readonly Incoming['link'][];
    $incoming?: readonly Incoming[];
  };
  return [
    ...links.map((link) => edgeRow({ from: target, fromType, link: view.meant(target, link) })),
    ...$incoming.map(edgeRow),
  ];
}
