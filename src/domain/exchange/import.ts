import { normalTime } from '../../base/clock.ts';
import { invalid } from '../../base/errors.ts';
import type { IdKind } from '../../base/ids.ts';
import { idOfFolder, idOfKey, pathFields } from '../../store/index.ts';
import type { Collection, StoredRecord, Violation } from '../../store/index.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { canvasId } from '../content/canvas.ts';
import type { PlanTransaction, ProjectRecord } from '../records/collections.ts';
import type { Draft, Fields } from './draft.ts';
import { collectionOf, revisionsName, sections } from './export-format.ts';
import { ReferenceRewriter, harmless } from './reference-rewriter.ts';
import { createDefaultGoal } from '../plan/goals.ts';
import { IdMap, KeptIds } from './id-map.ts';
import { placeFolders } from './import-folders.ts';
import { importRevisions, nameTargets, newestRevisions } from './import-revisions.ts';

/** A record of the draft that is being imported. */
export interface Arriving {
  readonly collection: Collection;
  readonly references: readonly string[];
  readonly fields: Fields;
  /** Its path in the draft: `tasks[3]`. */
  readonly path: string;
  readonly old: string | undefined;
  readonly id: string;
}

/**
 * Imports a draft, in slices, into the transaction's new, empty project, under new ids. References are rewritten, also in texts, views and
 * layouts. `keepsIds`: under the draft's own ids, which the project's must be, too. Throws `invalid_argument` with the path of the invalid member (`tasks[3].label`).
 */
export function* importProject(tx: PlanTransaction, draft: Draft, keepsIds = false): Steps<ProjectRecord> {
  const ids = keepsIds ? new KeptIds() : new IdMap((kind) => tx.newId(kind));
  const { id: formerId } = draft.project;
  if (typeof formerId === 'string') ids.add(formerId, tx.project);
  const formerCode = typeof formerId === 'string' ? formerId.slice(4, 10) : '';
  const rewriter = new ReferenceRewriter(ids, formerCode, tx.code, () => tx.newId('edge'));
  const arriving = [...arrivingFolders(tx, draft, ids), ...(yield* arrivingRecords(tx, draft, ids))];
  const revisions = draft.lists.get(revisionsName) ?? [];
  nameTargets(revisions, ids);
  const newest = newestRevisions(revisions);
  const importedRecord = (one: Arriving): StoredRecord => recordOf(tx, one, rewriter, newest);
  const adoptAll = (chosen: readonly Arriving[]): Steps<void> =>
    eachInSteps(chosen, (one) => adopt(tx, one.collection, importedRecord(one), one.path), weightOf);
  yield* adoptAll(arriving.filter(isGoal));
  // Before the tasks: each is then added to its goal only once.
  const project = putProject(tx, draft, ids, rewriter);
  yield* adoptAll(arriving.filter((one) => !isGoal(one)));
  if (draft.canvas !== null) {
    const fields = rewriter.fields(draft.canvas, { references: [], old: undefined, id: canvasId });
    adopt(tx, collectionOf('canvas'), stamped(tx, { ...fields, id: canvasId }, 'canvas', undefined), 'canvas');
  }
  yield* importRevisions(tx, revisions, ids, rewriter);
  return project;
}

/** Links take as long as records. */
export function weightOf({ fields }: Pick<Arriving, 'fields'>): number {
  const { links } = fields;
  return 1 + (Array.isArray(links) ? links.length : 0);
}

function isGoal({ collection }: Arriving): boolean {
  return collection.name === 'goal';
}

function arrivingFolders(tx: PlanTransaction, { lists }: Draft, ids: IdMap): Arriving[] {
  const collection = collectionOf('folder');
  return placeFolders(lists.get('folders') ?? []).map(({ fields, path, names }) => {
    const id = ids.kept(fields, path) ?? idOfFolder(tx.code, 'documents', names);
    return { collection, references: ['parent_folder_id'], fields, path, id, old: register(fields, path, id, ids) };
  });
}

function* arrivingRecords(tx: PlanTransaction, { lists }: Draft, ids: IdMap): Steps<Arriving[]> {
  const found: Arriving[] = [];
  const made = new Set<string>();
  for (const { name, collection: kind, references } of sections) {
    if (kind === 'folder') continue;
    const collection = collectionOf(kind);
    for (const [at, fields] of (lists.get(name) ?? []).entries()) {
      const path = `${name}[${at}]`;
      const id = ids.kept(fields, path) ?? newId(tx, kind, fields);
      if (made.has(id))
        throw invalid(`${path}.name`, `${path}.name must be unique among the tags: ${JSON.stringify(fields['name'])}.`);
      made.add(id);
      found.push({ collection, references, fields, path, id, old: register(fields, path, id, ids) });
      for (const event of eventsOf(kind, fields)) ids.add(event, tx.newId('event'));
      yield;
    }
  }
  return found;
}

/** A new id; a tag's is derived from its name, as elsewhere. */
export function newId(tx: PlanTransaction, kind: string, { name }: Fields): string {
  return kind === 'tag' && typeof name === 'string' ? idOfKey('tag', tx.code, name.trim()) : tx.newId(kind as IdKind);
}

/** Registers the new id of a draft's record. Returns the old one; undefined if the draft has none. */
export function register({ id: old }: Fields, path: string, id: string, ids: IdMap): string | undefined {
  if (old === undefined) return undefined;
  if (typeof old !== 'string' || old === '') throw invalid(`${path}.id`, `${path}.id must be a non-empty string.`);
  if (ids.add(old, id)) return old;
  throw invalid(`${path}.id`, `${path}.id ${JSON.stringify(old)} is used by another record: ids must be unique.`);
}

/** The ids of a run's progress. */
function eventsOf(kind: string, { events }: Fields): string[] {
  if (kind !== 'run' || !Array.isArray(events)) return [];
  return events.map((event) => (event as { readonly id?: unknown } | null)?.id).filter((id) => typeof id === 'string');
}

/** The record of a draft's fields, with defaults for missing ones. */
export function recordOf(
  tx: PlanTransaction,
  { collection, references, fields, path, old, id }: Arriving,
  rewriter: ReferenceRewriter,
  newest: ReadonlyMap<string, string>,
): StoredRecord {
  const { shape } = collection;
  const record: Record<string, unknown> = Object.fromEntries(shape.fields.map(({ name, absent }) => [name, absent]));
  for (const name of pathFields(collection)) record[name] = null;
  if (shape.body !== undefined) record[shape.body] = '';
  Object.assign(record, harmless(collection.name, rewriter.fields(fields, { references, old, id })), { id });
  const revised = collection.versioned.length > 0 && old !== undefined ? newest.get(old) : undefined;
  return stamped(tx, record, path, revised);
}

/** Normalises times to the form that sorts as text, and adds missing ones. */
function stamped(
  tx: PlanTransaction,
  record: Record<string, unknown>,
  path: string,
  revised: string | undefined,
): StoredRecord {
  for (const [name, value] of Object.entries(record)) {
    if (!name.endsWith('_at') || typeof value !== 'string') continue;
    const time = normalTime(value);
    if (time === undefined)
      throw invalid(`${path}.${name}`, `${path}.${name} is not a time: ${JSON.stringify(value)}. Use ISO 8601 in UTC.`);
    record[name] = time;
  }
  const { created_at: created } = record;
  record['created_at'] = typeof created === 'string' ? created : tx.now;
  const { updated_at: updated } = record;
  record['updated_at'] = revised ?? (typeof updated === 'string' ? updated : record['created_at']);
  return record as unknown as StoredRecord;
}

/** Adds a record of a draft. Throws `invalid_argument` with its path for an invalid one. */
export function adopt(tx: PlanTransaction, collection: Collection, record: StoredRecord, path: string): void {
  requireRight(collection.validate(record), path);
  tx.importRecord(collection.name as 'task', record as never);
}

function requireRight(violations: readonly Violation[], path: string): void {
  const [first] = violations;
  if (first === undefined) return;
  const details = violations.map(({ field, message }) => ({
    field: `${path}.${field}`,
    message: `${path}: ${message}`,
  }));
  throw invalid(`${path}.${first.field}`, `${path}: ${first.message}`, { details });
}

/** The project's record. A draft without a default goal gets the one that every project is created with. */
function putProject(tx: PlanTransaction, draft: Draft, ids: IdMap, rewriter: ReferenceRewriter): ProjectRecord {
  const { default_goal_id: formerGoal, ...fields } = draft.project;
  const goal = typeof formerGoal === 'string' ? ids.of(formerGoal) : (generalOf(tx) ?? createDefaultGoal(tx).id);
  if (goal === undefined || tx.get('goal', goal) === undefined) {
    throw invalid(
      'project.default_goal_id',
      `project.default_goal_id must be the id of one of the goals: ${JSON.stringify(formerGoal)}.`,
    );
  }
  const one: Arriving = {
    ...{ collection: collectionOf('project'), references: [], path: 'project' },
    ...{ fields: { ...fields, default_goal_id: goal }, old: undefined, id: tx.project },
  };
  adopt(tx, one.collection, recordOf(tx, one, rewriter, new Map()), one.path);
  const project = tx.get('project', tx.project)!;
  requireOwnDirectory(tx, project);
  return project;
}

/** Throws `invalid_argument` for a directory of the project that is reached through a symbolic link here. */
export function requireOwnDirectory(tx: PlanTransaction, { folder_path: path }: ProjectRecord): void {
  const linked = path === null ? undefined : tx.linkedPart(path);
  if (linked === undefined) return;
  throw invalid(
    'project.folder_path',
    `project.folder_path leads through the symbolic link ${linked} here: remove it from the file.`,
  );
}

function generalOf(tx: PlanTransaction): string | undefined {
  return tx.by('goal', 'name', 'General').find(({ name }) => name === 'General')?.id;
}
