import { conflict } from '../../base/errors.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import type { Link, Revision as StoredRevision } from '../../store/index.ts';
import type {
  ArtifactRecord,
  DocumentRecord,
  GoalRecord,
  PlannerCollections,
  PlanTransaction,
  VersionedName,
} from '../records/collections.ts';
import { newRecord } from '../records/declared.ts';
import { endOf, type EndType, putLinks } from '../links/edges.ts';
import { deletionOf, revisionById, severedLinks, stateBefore, takenComments } from './revisions.ts';
import { revokeSharesOf } from '../sharing/shares.ts';
type Restored = {
  [N in VersionedName]: { readonly type: N; readonly record: PlannerCollections[N] };
}[VersionedName];

/**
 * Restores a record, in steps, as it was before the change of a revision: every versioned field; if the record was
 * deleted, the record itself with its comments and its edges to existing ends. Restoring is a change like any other,
 * with its own revision. `changedOnly`: later changes of fields that the revision did not change are kept.
 */
export function* restoreRevision(tx: PlanTransaction, id: string, { changedOnly = false } = {}): Steps<Restored> {
  const revision = revisionById(tx, id);
  const { target, target_type: type } = revision;
  const fields = stateBefore(tx, revision);
  const present = tx.find(target);
  if (present !== undefined && present.collection !== type) {
    throw conflict(`The id ${target} now belongs to a ${present.collection}: the ${type} cannot be restored with it.`, {
      id: target,
    });
  }
  const deletion = present === undefined ? deletionOf(tx, target) : undefined;
  // If the file was removed by hand, its share links were not revoked.
  if (present === undefined) revokeSharesOf(tx, target);
  // Fields that were added since the deletion get their defaults.
  const base = present?.record ?? newRecord(type as VersionedName, recordOf(deletion!) as never);
  const restoredFields = changedOnly && present !== undefined ? only(revision.fields, fields) : fields;
  const restored = putBack(tx, type, { ...base, ...restoredFields } as never);
  if (deletion !== undefined) {
    yield* reconnect(tx, deletion);
    yield* bringBackComments(tx, deletion);
  }
  return restored;
}

function only(names: readonly string[], fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

/** The record that was deleted, without its links. */
function recordOf({ before }: StoredRevision): object {
  const { $incoming: _, $belongings: __, updated_at: ___, ...record } = before as Record<string, unknown>;
  return 'links' in record ? { ...record, links: [] } : record;
}

/** Clears references of a restored record to records that no longer exist, and names that another record has now. */
const fitting: {
  readonly [N in VersionedName]: (tx: PlanTransaction, record: PlannerCollections[N]) => PlannerCollections[N];
} = {
  task: (_, task) => task,
  document: inItsFolder,
  note: (_, note) => note,
  artifact: inItsPrototype,
  goal: withFreeName,
};

function putBack(tx: PlanTransaction, type: string, record: never): Restored {
  if (!hasHistory(type)) throw conflict(`A ${type} has no history and cannot be restored.`);
  return { type, record: tx.put(type, fitting[type](tx, record)) } as Restored;
}

function hasHistory(type: string): type is VersionedName {
  return Object.hasOwn(fitting, type);
}

/** If the folder no longer exists, the document becomes unfiled. */
function inItsFolder(tx: PlanTransaction, document: DocumentRecord): DocumentRecord {
  const { folder_id: folder } = document;
  return folder === null || tx.get('folder', folder) !== undefined ? document : { ...document, folder_id: null };
}

/** If the prototype no longer exists, the screen becomes an artifact without one. */
function inItsPrototype(tx: PlanTransaction, artifact: ArtifactRecord): ArtifactRecord {
  const { prototype_id: prototype } = artifact;
  return prototype === null || tx.get('prototype', prototype) !== undefined
    ? artifact
    : { ...artifact, prototype_id: null };
}

export function withFreeName(tx: PlanTransaction, goal: GoalRecord): GoalRecord {
  const { name } = goal;
  if (name === null) return goal;
  const holder = tx.by('goal', 'name', name).find((one) => one.id !== goal.id && one.name === name);
  if (holder !== undefined) {
    throw conflict(
      `The goal was named ${JSON.stringify(name)}, which ${holder.id} is called now. Rename that one first.`,
      { id: holder.id },
    );
  }
  return { ...goal, aliases: goal.aliases.filter((alias) => alias !== name) };
}

/** Restores the comments on a deleted record; a comment that exists again, because its file was restored, is kept. */
function* bringBackComments(tx: PlanTransaction, deletion: StoredRevision): Steps<void> {
  yield* eachInSteps(takenComments(deletion), (comment) => {
    if (tx.find(comment.id) === undefined && tx.problemOf(comment.id) === undefined)
      tx.importRecord('comment', comment);
  });
}

function isEnd(tx: PlanTransaction, { type, to }: Link): boolean {
  return endOf(tx, type, to) !== undefined;
}

/** Restores the edges of a deleted record whose ends exist. */
function* reconnect(tx: PlanTransaction, deletion: StoredRevision): Steps<void> {
  const { target, target_type: type, before } = deletion;
  const { links = [] } = before as { readonly links?: readonly Link[] };
  const own = links.filter((link) => isEnd(tx, tx.meant(target, link)));
  const end = endOf(tx, type, target);
  if (end !== undefined && own.length > 0) putLinks(tx, type as EndType, end, own);
  yield* eachInSteps(severedLinks(deletion), ({ from, fromType, link }) => {
    const source = endOf(tx, fromType, from);
    if (source === undefined || end === undefined || source.links.some(({ id }) => id === link.id)) return;
    putLinks(tx, fromType as EndType, source, [...source.links, link]);
  });
}
