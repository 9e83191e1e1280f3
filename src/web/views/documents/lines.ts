import type { DocumentFolder, DocumentRow, DocumentTree } from '../../api/documents.ts';

/** One rendered line of the tree. `folderId` is the target folder of a drop on it, null for the top level. */
export type Line = { readonly key: string; readonly depth: number; readonly folderId: string | null } & (
  | { readonly kind: 'folder'; readonly folder: DocumentFolder; readonly isClosed: boolean }
  | { readonly kind: 'document'; readonly document: DocumentRow }
  /** An empty folder. */
  | { readonly kind: 'empty' }
  /** The heading of documents without a folder. */
  | { readonly kind: 'unfiled' }
);

/** The lines of a tree from top to bottom, without the contents of closed folders. */
export function linesOf({ folders = [], documents }: DocumentTree, isClosed: (folderId: string) => boolean): Line[] {
  const filed = folders.flatMap((folder) => linesOfFolder(folder, 0, isClosed));
  const head: Line[] = filed.length === 0 ? [] : [{ kind: 'unfiled', key: 'unfiled', depth: 0, folderId: null }];
  return [...filed, ...head, ...documents.map((document) => lineOf(document, 0, null))];
}

function linesOfFolder(folder: DocumentFolder, depth: number, isClosed: (folderId: string) => boolean): Line[] {
  const { id } = folder;
  const closed = isClosed(id);
  const head: Line = { kind: 'folder', key: id, depth, folderId: id, folder, isClosed: closed };
  if (closed) return [head];
  const inside = [
    ...folder.folders.flatMap((one) => linesOfFolder(one, depth + 1, isClosed)),
    ...folder.documents.map((document) => lineOf(document, depth + 1, id)),
  ];
  const empty: Line = { kind: 'empty', key: `${id} empty`, depth: depth + 1, folderId: id };
  return [head, ...(inside.length === 0 ? [empty] : inside)];
}

function lineOf(document: DocumentRow, depth: number, folderId: string | null): Line {
  return { kind: 'document', key: document.id, depth, folderId, document };
}
