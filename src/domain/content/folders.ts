import { invalid, notFound } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { foldName, idOfFolder } from '../../store/index.ts';
import {
  type CreateFolderInput,
  type Folder,
  type FolderRecord,
  type PlanReadTransaction,
  type PlanTransaction,
  unfiled,
  type UpdateFolderInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { discard } from '../records/trash.ts';

/** Throws `not_found`. */
export function folderById(view: PlanReadTransaction, id: string): FolderRecord {
  const folder = view.get('folder', id);
  if (folder === undefined) throw notFound('folder', id);
  return folder;
}

/** A folder referenced in a caller's input, null for Unfiled. Throws `invalid_argument` for the member. */
export function requireFolder(view: PlanReadTransaction, id: string | null, member: string): FolderRecord | null {
  if (id === null) return null;
  const folder = view.get('folder', id);
  if (folder === undefined) {
    throw invalid(
      member,
      `${member} must be the id of a folder of this project, or null for Unfiled: ${JSON.stringify(id)}.`,
    );
  }
  return folder;
}

/** The folders directly in a folder, or at the top, by name. */
export function subfolders(view: PlanReadTransaction, id: string | null): FolderRecord[] {
  return view.by('folder', 'parent', id ?? unfiled).sort(byName);
}

export function byName(a: FolderRecord, b: FolderRecord): number {
  const [left, right] = [foldName(a.name), foldName(b.name)];
  return left < right ? -1 : left > right ? 1 : a.id < b.id ? -1 : 1;
}

/** Creates a folder. Its name must be unique among its siblings. */
export function createFolder(
  tx: PlanTransaction,
  { name, parent_folder_id: parent = null }: CreateFolderInput,
): FolderRecord {
  requireFolder(tx, parent, 'parent_folder_id');
  requireFreeName(tx, name, parent, undefined, 'name');
  requireDepth(depthOf(tx, parent) + 1, 'parent_folder_id');
  const id = newFolderId(tx, name.trim(), parent);
  return tx.put('folder', newRecord('folder', { id, created_at: tx.now, name: name.trim(), parent_folder_id: parent }));
}

/** Derived from the path, so that two branches that create the same folder create one; random if that folder has moved since. */
function newFolderId(tx: PlanTransaction, name: string, parent: string | null): string {
  const names = [name];
  for (let id = parent; id !== null;) {
    const folder = folderById(tx, id);
    names.unshift(folder.name);
    id = folder.parent_folder_id;
  }
  const derived = idOfFolder(tx.code, 'documents', names);
  return tx.find(derived) === undefined ? derived : tx.newId('folder');
}

/** Renames or moves a folder with its contents. */
export function updateFolder(tx: PlanTransaction, input: UpdateFolderInput): FolderRecord {
  const former = folderById(tx, input.folder_id);
  const { name = former.name, parent_folder_id: parent = former.parent_folder_id } = input;
  requireFolder(tx, parent, 'parent_folder_id');
  if (isWithin(tx, parent, former.id)) {
    const message = 'parent_folder_id must not be the folder itself or one inside it.';
    throw invalid('parent_folder_id', message);
  }
  requireFreeName(tx, name, parent, former.id, input.name === undefined ? 'parent_folder_id' : 'name');
  if (parent !== former.parent_folder_id)
    requireDepth(depthOf(tx, parent) + heightOf(tx, former.id), 'parent_folder_id');
  return tx.put('folder', { ...former, name: name.trim(), parent_folder_id: parent });
}

/** Restores a deleted folder, empty; at the top if its parent does not exist. */
export function putBackFolder(
  tx: PlanTransaction,
  { id, created_at, name, parent_folder_id: former }: FolderRecord,
): void {
  const parent = former !== null && tx.get('folder', former) === undefined ? null : former;
  requireFreeName(tx, name, parent, undefined, 'name');
  requireDepth(depthOf(tx, parent) + 1, 'parent_folder_id');
  tx.put('folder', newRecord('folder', { id, created_at, name, parent_folder_id: parent }));
}

/** The depth of a folder, itself included; 0 for Unfiled. */
function depthOf(view: PlanReadTransaction, id: string | null): number {
  const seen = new Set<string>();
  for (let at = id; at !== null && !seen.has(at); at = view.get('folder', at)?.parent_folder_id ?? null) seen.add(at);
  return seen.size;
}

/** The number of levels of a folder and its contents. */
function heightOf(view: PlanReadTransaction, id: string): number {
  let level = [id];
  let height = 0;
  // Only edited files can contain a cycle; the limit ends the loop.
  for (; level.length > 0 && height <= limits.folderDepthMax; height++)
    level = level.flatMap((one) => view.by('folder', 'parent', one).map((folder) => folder.id));
  return height;
}

function requireDepth(depth: number, member: string): void {
  if (depth <= limits.folderDepthMax) return;
  throw invalid(member, `Folders are nested at most ${limits.folderDepthMax} deep. Choose a folder further up.`);
}

/** Returns whether a folder is another folder or inside it. */
function isWithin(view: PlanReadTransaction, id: string | null, other: string): boolean {
  const seen = new Set<string>();
  for (let at = id; at !== null && !seen.has(at); at = view.get('folder', at)?.parent_folder_id ?? null) {
    if (at === other) return true;
    seen.add(at);
  }
  return false;
}

function requireFreeName(
  view: PlanReadTransaction,
  name: string,
  parent: string | null,
  self: string | undefined,
  member: string,
): void {
  const key = foldName(name.trim());
  const clash = view
    .by('folder', 'parent', parent ?? unfiled)
    .find((one) => one.id !== self && foldName(one.name) === key);
  if (clash === undefined) return;
  const message = `A folder named ${JSON.stringify(clash.name)} (${clash.id}) already exists there. Choose another name.`;
  throw invalid(member, message, { id: clash.id });
}

/** Where a deleted folder's contents were moved. */
export interface FolderDeleted {
  readonly deleted: string;
  /** Its entry in the trash. */
  readonly trash_id: string;
  readonly reparented_to: string | null;
  /** The number of moved documents. */
  readonly documents: number;
  readonly folders: number;
}

/** Deletes a folder and moves its contents to `reparentTo`, null for Unfiled, undefined for the folder's own parent. */
export function* deleteFolder(
  tx: PlanTransaction,
  id: string,
  reparentTo: string | null | undefined,
): Steps<FolderDeleted> {
  const folder = folderById(tx, id);
  const target = reparentTo === undefined ? folder.parent_folder_id : reparentTo;
  if (reparentTo !== undefined) requireFolder(tx, target, 'reparent_to');
  if (isWithin(tx, target, id)) {
    throw invalid(
      'reparent_to',
      'reparent_to must not be the folder itself or one inside it: use another folder, or null for Unfiled.',
    );
  }
  const inside = subfolders(tx, id);
  for (const sub of inside) requireFreeNameBeside(tx, sub, target, id);
  const documents = tx.by('document', 'folder', id);
  const trash = yield* discard(tx, { type: 'folder', id, label: folder.name }, function* () {
    yield* eachInSteps(documents, (document) => tx.put('document', { ...document, folder_id: target }));
    yield* eachInSteps(inside, (sub) => tx.put('folder', { ...sub, parent_folder_id: target }));
    yield* tx.removeInSteps('folder', id);
  });
  return { deleted: id, trash_id: trash, reparented_to: target, documents: documents.length, folders: inside.length };
}

/** The name of the folder that is being deleted is free. */
function requireFreeNameBeside(
  view: PlanReadTransaction,
  sub: FolderRecord,
  target: string | null,
  going: string,
): void {
  const key = foldName(sub.name);
  const siblings = view.by('folder', 'parent', target ?? unfiled);
  const clash = siblings.find((one) => one.id !== going && one.id !== sub.id && foldName(one.name) === key);
  if (clash === undefined) return;
  const message = `The folder ${JSON.stringify(sub.name)} (${sub.id}) would be beside a folder of the same name (${clash.id}). Rename one of them first.`;
  throw invalid('reparent_to', message, { id: clash.id });
}

/** A folder in the form for callers. */
export function showFolder(view: PlanReadTransaction, folder: FolderRecord): Folder {
  return shown.folder.details(folder, { project_id: view.project });
}
