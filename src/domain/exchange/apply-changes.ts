import { conflict, invalid, PlannerError } from '../../base/errors.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { equal, fingerprint, membersOf } from '../../store/index.ts';
import type { Collection, Revision, StoredRecord } from '../../store/index.ts';
import { collections, type PlanTransaction } from '../records/collections.ts';
import { projectOf } from '../plan/projects.ts';
import type { Fields } from './draft.ts';
import { exported, sectionOf } from './export-format.ts';
import { KeptIds } from './id-map.ts';
import { placeFolders } from './import-folders.ts';
import { withMeantLinks } from '../links/edges.ts';
import { adopt, recordOf, requireOwnDirectory } from './import.ts';
import { recordFingerprint } from './record-fingerprint.ts';
import { ReferenceRewriter } from './reference-rewriter.ts';

/** A change of a record that was made to a copy of the project. */
export interface RecordChange {
  readonly collection: string;
  readonly id: string;
  /** The fingerprint of the record that was changed; null without a former record. */
  readonly was: string | null;
  /** The record in the form of an export; null to remove it. */
  readonly to: Fields | null;
  /** Values that `to` has not, though they were given: a revision keeps them. */
  readonly overridden?: Fields | undefined;
}

export interface AppliedChanges {
  /** How many records were changed. Records that already match do not count. */
  readonly changed: number;
  /** How many revisions were added. */
  readonly revisions: number;
}

/** A change with the records before and after it. */
interface Checked {
  readonly collection: Collection;
  readonly id: string;
  readonly path: string;
  readonly present: StoredRecord | undefined;
  readonly to: StoredRecord | undefined;
  readonly overridden: Fields | undefined;
}

const byName = new Map(collections.map((collection) => [collection.name, collection]));

/**
 * Applies changes that were made to a copy of the project, with their revisions. Records keep their ids, times and
 * authors. Throws `conflict`, with all `records`, if one is neither the one that was changed nor as demanded already, and
 * if the project would not be whole; `invalid_argument` for an invalid record.
 */
export function* applyChanges(
  tx: PlanTransaction,
  changes: readonly RecordChange[],
  revisions: readonly Revision[],
): Steps<AppliedChanges> {
  const newest = newestOf(revisions);
  const due: Checked[] = [];
  const differing: object[] = [];
  yield* eachInSteps(changes.entries(), ([at, change]) => {
    const checked = check(tx, change, `changes[${at}]`, newest);
    const present = checked.present && withMeantLinks(tx, checked.present);
    const [now, then] = [printOf(checked.collection, present), printOf(checked.collection, checked.to)];
    if (now === then && (now !== change.was || change.overridden === undefined)) return;
    if (now === change.was) due.push(checked);
    else differing.push({ collection: change.collection, id: change.id });
  });
  if (differing.length > 0) throw differs(differing);
  const added = yield* addRevisions(tx, revisions);
  yield* eachInSteps(due, (change) => put(tx, change));
  // A record is removed once nothing refers to it: else the links to it would be removed from the records that are put.
  yield* eachInSteps(due, ({ collection, id, to }) => {
    if (to === undefined) tx.remove(collection.name as 'task', id);
  });
  requireWhole(tx, due);
  return { changed: due.length, revisions: added };
}

const remedy = 'Read the changes since then, merge, and send the result.';

function differs(records: readonly object[]): Error {
  return conflict(
    `${records.length === 1 ? 'A record differs' : `${records.length} records differ`} from what was changed. ${remedy}`,
    { records },
  );
}

function printOf({ name }: Collection, record: StoredRecord | undefined): string | null {
  return record === undefined ? null : recordFingerprint(exported(name, record));
}

function newestOf(revisions: readonly Revision[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { target, at } of revisions) if (at > (newest.get(target) ?? '')) newest.set(target, at);
  return newest;
}

function check(tx: PlanTransaction, change: RecordChange, path: string, newest: ReadonlyMap<string, string>): Checked {
  const { collection: name, id, to: fields, overridden } = change;
  const collection = byName.get(name);
  if (collection === undefined)
    throw invalid(`${path}.collection`, `${path}.collection must be one of ${[...byName.keys()].join(', ')}.`);
  const present = tx.get(name as 'task', id);
  if (fields === null) return { collection, id, path, present, to: undefined, overridden };
  if (fields['id'] !== id) throw invalid(`${path}.to.id`, `${path}.to.id must be the id of the change.`);
  if (overridden !== undefined && collection.versioned.length === 0)
    throw invalid(`${path}.overridden`, `${path}.overridden must be absent: a ${name} has no history.`);
  const revised = overridden === undefined ? newest.get(id) : tx.now;
  const to = recordFrom(tx, collection, { fields, present, revised, path: `${path}.to` });
  return { collection, id, path, present, to, overridden };
}

interface Given {
  readonly fields: Fields;
  readonly present: StoredRecord | undefined;
  /** The time of its newest revision among the revisions that come with it. */
  readonly revised: string | undefined;
  readonly path: string;
}

/** The record of the fields. Fields that its form in an export lacks are taken from the present record. */
function recordFrom(
  tx: PlanTransaction,
  collection: Collection,
  { fields, present, revised, path }: Given,
): StoredRecord {
  const id = fields['id'] as string;
  const rewriter = new ReferenceRewriter(new KeptIds(), tx.code, tx.code, () => tx.newId('edge'));
  const times = present === undefined ? {} : { created_at: present.created_at };
  const references =
    collection.name === 'project' || collection.name === 'canvas' ? [] : sectionOf(collection.name).references;
  const one = { collection, references, fields: { ...times, ...fields }, path, old: id, id };
  const updated = later(revised, collection.versioned.length === 0 ? undefined : present?.updated_at);
  return recordOf(tx, one, rewriter, updated === undefined ? new Map() : new Map([[id, updated]]));
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

function put(tx: PlanTransaction, { collection, id, path, to, overridden }: Checked): void {
  if (to === undefined) return;
  adopt(tx, collection, to, `${path}.to`);
  if (overridden === undefined || isKept(tx, id, overridden)) return;
  const written = tx.get(collection.name as 'task', id)!;
  addRevision(tx, {
    ...{ at: tx.now, id: tx.newId('revision'), target: id, target_type: collection.name, author: overriddenBy },
    ...{ fields: Object.keys(overridden), before: overridden, after: fingerprint(collection, written) },
  });
}

/** The author of revisions of overridden values. */
const overriddenBy = 'system';

/** Returns whether a revision keeps these values: a merge may be repeated whose end was not noted. */
function isKept(tx: PlanTransaction, target: string, overridden: Fields): boolean {
  for (const { id } of tx.historySummaries({ target, author: overriddenBy }))
    if (equal(tx.revision(id)!.before, overridden)) return true;
  return false;
}

/** The record is listed as changed, even if it is as it was. */
function addRevision(tx: PlanTransaction, revision: Revision): void {
  tx.importRevision(revision);
  tx.touch(revision.target_type as 'task', revision.target);
}

/** Adds the revisions that the project has not. */
function* addRevisions(tx: PlanTransaction, revisions: readonly Revision[]): Steps<number> {
  const known = new Map<string, Set<string>>();
  let added = 0;
  yield* eachInSteps(revisions.entries(), ([at, revision]) => {
    const { id, target } = revision;
    let ofTarget = known.get(target);
    if (ofTarget === undefined)
      known.set(target, (ofTarget = new Set(Array.from(tx.historyIds({ target }), (one) => one.id))));
    if (ofTarget.has(id)) return;
    requireRevision(revision, `revisions[${at}]`);
    ofTarget.add(id);
    addRevision(tx, revision);
    added++;
  });
  return added;
}

function requireRevision({ target, target_type: type, fields, before }: Revision, path: string): void {
  const collection = byName.get(type);
  if (collection === undefined || collection.versioned.length === 0)
    throw invalid(`${path}.target_type`, `${path}.target_type must be a type of record with a history.`);
  if (fields.length !== 1 || fields[0] !== 'deleted') return;
  const { $incoming: _, $belongings: __, ...record } = before;
  const [violation] = collection.validate(record);
  if (violation !== undefined)
    throw invalid(`${path}.before.${violation.field}`, `${path}.before is not a valid ${type}: ${violation.message}`);
  if (record['id'] !== target) throw invalid(`${path}.before.id`, `${path}.before.id must be the target.`);
}

/**
 * Throws for changes that files cannot express, and that break the project. The error is a `conflict`, since a
 * concurrent change here may be the reason: a document that was added to a folder that is removed.
 */
function requireWhole(tx: PlanTransaction, changes: readonly Checked[]): void {
  const ofKind = (kind: string): readonly Checked[] => changes.filter(({ collection: { name } }) => name === kind);
  const project = projectOf(tx);
  if (tx.get('goal', project.default_goal_id) === undefined)
    throw broken(
      `The default goal ${project.default_goal_id} must be one of the goals.`,
      'goal',
      project.default_goal_id,
    );
  if (ofKind('project').length > 0) requireOwnDirectory(tx, project);
  for (const { id, to } of ofKind('document')) {
    const folder = to === undefined ? null : (membersOf(to)['folder_id'] as string | null);
    if (folder !== null && tx.get('folder', folder) === undefined)
      throw broken(`The folder ${folder} of the document ${id} does not exist.`, 'document', id);
  }
  const folders = ofKind('folder');
  for (const { id, to } of folders)
    if (to === undefined && tx.countBy('document', 'folder', id) + tx.countBy('folder', 'parent', id) > 0)
      throw broken(`The folder ${id} is not empty.`, 'folder', id);
  if (folders.length > 0) requireDirectories(tx, folders[0]!.id);
}

/** `changed`: one of the folders that were changed. */
function requireDirectories(tx: PlanTransaction, changed: string): void {
  try {
    placeFolders([...tx.list('folder')] as unknown as readonly Fields[]);
  } catch (thrown) {
    if (thrown instanceof PlannerError) throw broken(thrown.message, 'folder', changed);
    throw thrown;
  }
}

function broken(reason: string, collection: string, id: string): Error {
  return conflict(`${reason} ${remedy}`, { records: [{ collection, id }] });
}
