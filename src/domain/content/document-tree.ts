import { byCreation } from '../../store/index.ts';
import { type DocumentRecord, type FolderRecord, type PlanReadTransaction, unfiled } from '../records/collections.ts';
import { byName, folderById, subfolders } from './folders.ts';

/** A folder with its contents, in the form for callers. */
export interface TreeFolder<D> {
  readonly id: string;
  readonly name: string;
  readonly parent_folder_id: string | null;
  readonly documents: D[];
  readonly folders: TreeFolder<D>[];
}

export interface Tree<D> {
  readonly folders: readonly TreeFolder<D>[];
  readonly documents: readonly D[];
}

/** A part of the tree: undefined for all, null for documents without a folder, an id for that folder and everything below it. */
export type Part = string | null | undefined;

/** The documents of a part of the tree, in creation order, after `after`. */
export function* documentsIn(
  view: PlanReadTransaction,
  part: Part,
  after?: { readonly created_at: string; readonly id: string },
): IterableIterator<DocumentRecord> {
  if (part === undefined) {
    yield* view.list('document', after);
    return;
  }
  const folders = part === null ? [unfiled] : [part, ...foldersIn(view, part).map(({ id }) => id)];
  const inside = folders.flatMap((folder) => view.by('document', 'folder', folder)).sort(byCreation);
  for (const document of inside) if (after === undefined || byCreation(document, after) > 0) yield document;
}

/** Every folder of a part of the tree, without that folder itself. Throws `not_found` for an unknown folder. */
export function foldersIn(view: PlanReadTransaction, part: Part): FolderRecord[] {
  if (part === undefined) return [...view.list('folder')];
  if (part === null) return [];
  const found = new Map<string, FolderRecord>();
  const open = [folderById(view, part)];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    found.set(folder.id, folder);
    for (const inner of subfolders(view, folder.id)) if (!found.has(inner.id)) open.push(inner);
  }
  found.delete(part);
  return [...found.values()];
}

/** The folders that contain the documents, with their ancestors. */
export function foldersAround(view: PlanReadTransaction, documents: readonly DocumentRecord[]): FolderRecord[] {
  const found = new Map<string, FolderRecord>();
  for (const { folder_id: id } of documents) {
    let folder = id === null ? undefined : view.get('folder', id);
    while (folder !== undefined && !found.has(folder.id)) {
      found.set(folder.id, folder);
      folder = folder.parent_folder_id === null ? undefined : view.get('folder', folder.parent_folder_id);
    }
  }
  return [...found.values()];
}

/**
 * The tree of the given folders and documents: folders by name, documents in the given order. Documents outside these
 * folders are at the top, and so are folders whose parent is not given.
 */
export function treeOf<D>(
  folders: readonly FolderRecord[],
  documents: readonly DocumentRecord[],
  show: (document: DocumentRecord) => D,
): Tree<D> {
  const shown = new Map<string, TreeFolder<D>>();
  for (const { id, name, parent_folder_id } of folders) {
    shown.set(id, { id, name, parent_folder_id, documents: [], folders: [] });
  }
  const top: { folders: TreeFolder<D>[]; documents: D[] } = { folders: [], documents: [] };
  for (const { id, parent_folder_id: parent } of [...folders].sort(byName)) {
    ((parent === null ? undefined : shown.get(parent)) ?? top).folders.push(shown.get(id)!);
  }
  for (const document of documents) {
    ((document.folder_id === null ? undefined : shown.get(document.folder_id)) ?? top).documents.push(show(document));
  }
  return top;
}
