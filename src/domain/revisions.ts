import { conflict, notFound } from '../errors.ts';
import type { Belonging, Incoming, Revision as StoredRevision, View } from '../store/index.ts';
import {
  collections,
  type CommentRecord,
  type PlannerCollections,
  type Revision,
  type RevisionDetail,
} from './records/collections.ts';
import { showComment } from './comments.ts';
import type { Renderings } from './text/renderers.ts';
import { edgeRow } from './edges.ts';
import { goalIdOf } from './records/goal-reference.ts';
import { type GuestMark, pastGuestMark } from './records/guest-texts.ts';

type V = View<PlannerCollections>;
type Fields = Readonly<Record<string, unknown>>;

const versionedFields: ReadonlyMap<string, readonly string[]> = new Map(
  collections.filter(({ versioned }) => versioned.length > 0).map(({ name, versioned }) => [name, versioned]),
);

/** What a deletion's revision holds: the whole record, the links that pointed at it, and the comments that went with it. */
interface Deleted extends Fields {
  readonly $incoming?: readonly Incoming[];
  readonly $belongings?: readonly Belonging[];
}

/** Throws `not_found`. */
export function revisionById(view: V, id: string): StoredRevision {
  const revision = view.revision(id);
  if (revision === undefined) throw notFound('revision', id);
  return wholeSession(view, newestOfSession(view, revision));
}

/** Whether a change went on with what the one before it began: the same editing session of the same author, and nobody in between. */
function goesOn(newer: StoredRevision | undefined, older: StoredRevision): boolean {
  return older.session !== undefined && newer?.session === older.session && newer.author === older.author;
}

/** The change behind this one of the same record. */
function next(view: V, { id, target }: StoredRevision): StoredRevision | undefined {
  let newer: StoredRevision | undefined;
  for (const revision of view.history({ target })) {
    if (revision.id === id) return newer;
    newer = revision;
  }
  return undefined;
}

function newestOfSession(view: V, revision: StoredRevision): StoredRevision {
  let newest = revision;
  if (revision.session === undefined) return newest;
  for (const newer of newerThan(view, revision)) {
    if (!goesOn(newer, newest)) break;
    newest = newer;
  }
  return newest;
}

/** An editing session as the one revision that it is read as: all that it changed, as it was when it began. */
function wholeSession(view: V, newest: StoredRevision): StoredRevision {
  if (newest.session === undefined) return newest;
  let whole = newest;
  let last = newest;
  for (const older of view.history({ target: newest.target, after: newest })) {
    if (!goesOn(last, older)) break;
    last = older;
    whole = {
      ...newest,
      fields: [...new Set([...whole.fields, ...older.fields])],
      before: { ...whole.before, ...older.before },
    };
  }
  return whole;
}

/** Newest first; of one record, of one kind of records, by one author or one kind of authors, where given; older than `after`. Each is read when it is taken. The revisions of an editing session are one. */
export function* listRevisions(
  view: V,
  { target_type: type, target_id: target, author }: { target_type?: string; target_id?: string; author?: string },
  after?: { readonly at: string; readonly id: string },
): IterableIterator<StoredRevision> {
  const newest = new Map<string, StoredRevision>();
  const complete = author === undefined && after === undefined;
  for (const revision of view.history({ target, type, author, after })) {
    const { session, target: record } = revision;
    const known = author === undefined ? newest.get(record) : undefined;
    newest.set(record, revision);
    if (session === undefined) yield revision;
    // The newer change of the record is known if the list holds all of its changes; else it has to be looked for.
    else if (!goesOn(known ?? (complete ? undefined : next(view, revision)), revision))
      yield wholeSession(view, revision);
  }
}

export function isDeletion({ fields }: StoredRevision): boolean {
  return fields.length === 1 && fields[0] === 'deleted';
}

/** The links that pointed at the record that a deletion took away. */
export function severedLinks(revision: StoredRevision): readonly Incoming[] {
  return (revision.before as Deleted).$incoming ?? [];
}

const isComment = collections.find(({ name }) => name === 'comment')!.validate;

/** The comments that a deletion took away. History is read from files: what is no comment there is none here. */
export function takenComments({ before }: StoredRevision): readonly CommentRecord[] {
  return ((before as Deleted).$belongings ?? [])
    .filter(({ collection, record }) => collection === 'comment' && isComment(record).length === 0)
    .map(({ record }) => record as CommentRecord);
}

/**
 * Every versioned field of the record as it was before a change: from the revision itself; what it did not change, from the next newer
 * revision that did; else as it is now. Fields are those of records.
 */
export function stateBefore(view: V, revision: StoredRevision): Fields {
  const { target, target_type: type } = revision;
  const wanted = new Set(versionedFields.get(type) ?? []);
  const state: Record<string, unknown> = {};
  const take = (fields: Fields): void => {
    for (const name of wanted) {
      if (!(name in fields)) continue;
      state[name] = fields[name];
      wanted.delete(name);
    }
  };
  take(revision.before);
  if (wanted.size > 0) for (const newer of newerThan(view, revision)) take(newer.before);
  const present = view.find(target);
  if (present?.collection === type) take(present.record as unknown as Fields);
  return state;
}

/** The revisions of the same record behind this one, oldest first. */
export function newerThan(view: V, { id, target }: StoredRevision): StoredRevision[] {
  const newestFirst = view.revisions(target);
  return newestFirst
    .slice(
      0,
      newestFirst.findIndex((one) => one.id === id),
    )
    .reverse();
}

/** The newest deletion of a record. Throws `conflict` where there is none to bring it back from. */
export function deletionOf(view: V, target: string): StoredRevision {
  const deletion = view.revisions(target).find(isDeletion);
  if (deletion !== undefined) return deletion;
  throw conflict(
    `The record ${target} is gone and no deletion of it is in the history: there is nothing to restore it from.`,
    { id: target },
  );
}

/** Record fields are called differently by callers: a task's goal is named by id. */
const wireNames: Readonly<Record<string, string>> = { goal: 'goal_id' };

/** What a record's field is called by callers. */
export function wireName(type: string, field: string): string {
  return type === 'task' ? (wireNames[field] ?? field) : field;
}

/** A field's value as callers see it. */
export function wireValue(view: V, type: string, field: string, value: unknown): unknown {
  if (type === 'task' && field === 'goal') return goalIdOf(view, { goal: value as string | null });
  // Callers know it as JSON text.
  if (type === 'goal' && field === 'verification_surface') return value == null ? null : JSON.stringify(value);
  return value;
}

/** A revision as callers see it. */
export function showRevision(
  view: Pick<V, 'project'>,
  { id, target, target_type, author, fields, at }: StoredRevision,
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

/** A revision with what it changed as it was before: every versioned field, and of a deletion the edges and comments. */
export function showRevisionDetail(view: V, revision: StoredRevision, renderings: Renderings): RevisionDetail {
  const { target_type: type } = revision;
  const snapshot: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(stateBefore(view, revision)))
    snapshot[wireName(type, name)] = wireValue(view, type, name, value);
  if (isDeletion(revision)) {
    snapshot['edges'] = edgesOf(revision);
    snapshot['comments'] = takenComments(revision).map((comment) => showComment(view, comment, renderings));
  }
  return { ...showRevision(view, revision), snapshot, ...markOfRevision(view, revision) };
}

/** Present if the fields of a revision hold a guest's texts. */
export function markOfRevision(view: V, { target, target_type: type, before }: StoredRevision): GuestMark | undefined {
  return type === 'task' ? pastGuestMark(view, target, before) : undefined;
}

function edgesOf({ target, target_type: fromType, before }: StoredRevision): unknown[] {
  const { links = [], $incoming = [] } = before as {
    links?: readonly Incoming['link'][];
    $incoming?: readonly Incoming[];
  };
  return [...links.map((link) => edgeRow({ from: target, fromType, link })), ...$incoming.map(edgeRow)];
}
