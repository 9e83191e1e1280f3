import { conflict, PlannerError } from '../../base/errors.ts';
import { isoTime } from '../../base/clock.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { equal, keptFileCollection, keptFileId, membersOf } from '../../store/index.ts';
import type { Incoming, KeptFile, Link, StoredRecord } from '../../store/index.ts';
import { edgeRow, type EndType, endOf, putLinks } from '../links/edges.ts';
import { putBackFolder, updateFolder } from '../content/folders.ts';
import { requireTarget } from '../links/comments.ts';
import type {
  CommentRecord,
  DocumentRecord,
  FolderRecord,
  LeftOut,
  PlanTransaction,
  PrototypeRecord,
  RestoredFromTrash,
  TagRecord,
  TaskRecord,
  ViewRecord,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { restoreRevision } from './restore.ts';
import { deletionOf, severedLinks, takenComments } from './revisions.ts';
import { putBackTag, takeTags } from '../plan/tags.ts';
import {
  addEdit,
  type Edit,
  hasRevisions,
  isRestorable,
  listTrash,
  trashById,
  trashCollection,
} from '../records/trash.ts';
import type { Taken, TrashRecord } from '../records/trash.ts';

/**
 * Restores a deletion, in steps: the records with their ids, their comments, the edges whose other end exists, and the
 * values that the deletion took from remaining records, unless these changed since. Parts that cannot be restored are
 * listed. The entry leaves the trash.
 */
export function* restoreFromTrash(tx: PlanTransaction, id: string): Steps<RestoredFromTrash> {
  const entry = trashById(tx, id);
  requireGone(tx, entry);
  requireRestorable(entry);
  const left: LeftOut[] = [];
  if (hasRevisions(entry.target_type)) yield* restoreWithHistory(tx, entry, left);
  else restoreAlone(tx, entry);
  yield* eachInSteps(entry.changed, (edit) => {
    for (const [field, taken] of Object.entries(edit.fields)) {
      const reason = giveBack(tx, edit, field, taken, left);
      if (reason !== undefined) left.push({ type: edit.collection, id: edit.id, reason });
    }
  });
  keepFile(tx, entry);
  tx.service.remove(trashCollection.name, entry.id);
  const { target_type: type, target, label } = entry;
  return { trash_id: entry.id, project_id: tx.project, target_type: type, target_id: target, label, left_out: left };
}

const dayMs = 86_400_000;

/** The file is written a moment later, as a person had written and named it. */
function keepFile(tx: PlanTransaction, { target, file }: TrashRecord): void {
  if (file === undefined) return;
  tx.service.put<KeptFile>(keptFileCollection.name, {
    ...file,
    id: keptFileId(tx.project, target),
    created_at: tx.now,
    updated_at: tx.now,
    drop_at: isoTime(Date.parse(tx.now) + dayMs),
  });
}

function requireGone(tx: PlanTransaction, { target_type: type, target }: TrashRecord): void {
  const there = type === 'edge' ? tx.edge(target) !== undefined : tx.find(target) !== undefined;
  if (there) throw conflict(`${target} exists again: there is nothing to restore.`, { id: target });
}

function requireRestorable(entry: TrashRecord): void {
  if (isRestorable(entry)) return;
  throw conflict('The content of this entry was removed, because the trash was too large: it cannot be restored.', {
    id: entry.id,
  });
}

/** A record whose deletion is a revision: with its comments and edges. */
function* restoreWithHistory(tx: PlanTransaction, { target }: TrashRecord, left: LeftOut[]): Steps<void> {
  const deletion = deletionOf(tx, target);
  for (const { id } of takenComments(deletion)) requireWritable(tx, id);
  yield* restoreRevision(tx, deletion.id);
  const { links = [] } = deletion.before as { readonly links?: readonly Link[] };
  const own = links.map((link) => ({ from: target, fromType: deletion.target_type, link }));
  yield* eachInSteps([...own, ...severedLinks(deletion)], (edge) => {
    if (!isBack(tx, edge)) left.push(leftOutEdge(tx, edge));
  });
}

/** Throws `conflict` if the file of a record cannot be written now: restored without it, the record would be lost. */
function requireWritable(tx: PlanTransaction, id: string): void {
  const problem = tx.problemOf(id);
  if (problem === undefined || tx.find(id) !== undefined) return;
  const { path, reason } = problem;
  throw conflict(`${id} cannot be restored while its file cannot be written (${path}): ${reason}`, { id, path });
}

/** Returns whether an edge exists, under its id or another. Its name for its end may not resolve yet. */
function isBack(tx: PlanTransaction, { from, link }: Incoming): boolean {
  const { to, label } = tx.meant(from, link);
  const present = tx
    .outgoing(from)
    .find(({ link: one }) => one.id === link.id || (one.to === to && one.label === label))?.link;
  return present !== undefined && endOf(tx, present.type, present.to) !== undefined;
}

/** An edge whose other end is in the trash too returns with that entry. */
function leftOutEdge(tx: PlanTransaction, edge: Incoming): LeftOut {
  const { from_type, from_id, to_type, to_id } = edgeRow(edge);
  const [type, id] = endOf(tx, from_type, from_id) === undefined ? [from_type, from_id] : [to_type, to_id];
  const [entry] = listTrash(tx, id);
  if (entry === undefined)
    return { type: 'edge', id: edge.link.id, reason: `The ${type} ${id} at its other end does not exist.` };
  addEdit(tx, entry, { collection: from_type, id: from_id, fields: { links: { members: [edge.link] } } });
  const reason = `The ${type} ${JSON.stringify(entry.label)} at its other end is in the trash: the edge returns with it.`;
  return { type: 'edge', id: edge.link.id, reason };
}

/** Records without a history. */
function restoreAlone(tx: PlanTransaction, { target_type: type, removed, changed }: TrashRecord): void {
  if (type === 'edge')
    for (const { collection, id, fields } of changed) requireEnds(tx, collection, id, fields['links']);
  for (const { collection, record } of removed) putBack(tx, collection, record);
}

function putBack(tx: PlanTransaction, collection: string, record: StoredRecord): void {
  switch (collection) {
    case 'folder':
      return putBackFolder(tx, record as FolderRecord);
    case 'tag':
      return putBackTag(tx, newRecord('tag', record as TagRecord) as TagRecord);
    case 'comment':
      return putBackComment(tx, record as CommentRecord);
    case 'prototype':
      return putBackPrototype(tx, record as PrototypeRecord);
    case 'view':
      tx.importRecord('view', { ...newRecord('view', record as ViewRecord), updated_at: record.updated_at });
  }
}

function putBackComment(tx: PlanTransaction, comment: CommentRecord): void {
  try {
    requireTarget(tx, comment);
  } catch (thrown) {
    throw firstRestore(tx, comment.target_type, comment.target_id, thrown);
  }
  tx.importRecord('comment', { ...newRecord('comment', comment), updated_at: comment.updated_at });
}

/** With its edges: those from other records are changes of these. */
function putBackPrototype(tx: PlanTransaction, prototype: PrototypeRecord): void {
  const { updated_at, links } = prototype;
  const present = links.filter((link) => hasEnd(tx, prototype.id, link));
  tx.importRecord('prototype', { ...newRecord('prototype', prototype), links: present, updated_at });
}

function hasEnd(tx: PlanTransaction, from: string, link: Link): boolean {
  const { type, to } = tx.meant(from, link);
  return endOf(tx, type, to) !== undefined;
}

function requireEnds(tx: PlanTransaction, type: string, id: string, taken: Taken | undefined): void {
  const links = taken !== undefined && 'members' in taken ? (taken.members as readonly Link[]) : [];
  const meant = links.map((link) => tx.meant(id, link));
  const ends = [{ type, id }, ...meant.map((link) => ({ type: link.type, id: link.to }))];
  const missing = ends.find((end) => endOf(tx, end.type, end.id) === undefined);
  if (missing !== undefined) throw firstRestore(tx, missing.type, missing.id);
}

/** The error for a record that needs another record. */
export function firstRestore(tx: PlanTransaction, type: string, id: string, otherwise?: unknown): unknown {
  const [entry] = listTrash(tx, id);
  if (entry !== undefined) {
    const message = `The ${type} ${JSON.stringify(entry.label)} is in the trash too: restore it first (${entry.id}).`;
    return conflict(message, { id, trash_id: entry.id });
  }
  if (otherwise !== undefined && !(otherwise instanceof PlannerError)) return otherwise;
  return conflict(`The ${type} ${id} does not exist any more, and is not in the trash: this cannot be restored.`, {
    id,
  });
}

/** Gives back the values that the deletion took from a record. Returns the reason if that is impossible. */
function giveBack(
  tx: PlanTransaction,
  { collection, id }: Edit,
  field: string,
  taken: Taken,
  left: LeftOut[],
): string | undefined {
  const found = tx.find(id);
  if (found?.collection !== collection) return field === 'links' ? undefined : 'It does not exist any more.';
  if (field === 'links') return void relink(tx, collection as EndType, id, taken, left);
  if ('members' in taken) return collection === 'task' ? retag(tx, id, taken.members as string[]) : undefined;
  const { from, to } = taken;
  if (!equal(membersOf(found.record)[field], to)) return `Its ${field} was changed since.`;
  return field === 'parent_folder_id'
    ? moveBack(tx, id, from as string | null)
    : void tx.put(collection as 'document', { ...(found.record as DocumentRecord), [field]: from });
}

function relink(tx: PlanTransaction, type: EndType, id: string, taken: Taken, left: LeftOut[]): void {
  for (const link of 'members' in taken ? (taken.members as readonly Link[]) : []) {
    const source = endOf(tx, type, id)!;
    if (isBack(tx, { from: id, fromType: type, link })) continue;
    if (!hasEnd(tx, id, link)) left.push(leftOutEdge(tx, { from: id, fromType: type, link }));
    else putLinks(tx, type, source, [...source.links, link]);
  }
}

function retag(tx: PlanTransaction, id: string, names: readonly string[]): undefined {
  const task = tx.get('task', id) as TaskRecord;
  tx.put('task', { ...task, tags: takeTags(tx, [...task.tags, ...names]) });
}

function moveBack(tx: PlanTransaction, id: string, parent: string | null): string | undefined {
  try {
    updateFolder(tx, { folder_id: id, parent_folder_id: parent });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof PlannerError) return thrown.message;
    throw thrown;
  }
}
