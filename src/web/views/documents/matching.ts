import type { DocumentFolder, DocumentTree } from '../../api/documents.ts';

/** The part of a tree whose titles contain a text, with the ancestor folders; a folder whose name contains it, with all of its contents. */
export function matching(tree: DocumentTree, text: string): DocumentTree {
  const searched = text.trim().toLocaleLowerCase();
  const has = (name: string): boolean => name.toLocaleLowerCase().includes(searched);
  const inside = (folders: readonly DocumentFolder[]): DocumentFolder[] =>
    folders.flatMap((folder) => {
      if (has(folder.name)) return [folder];
      const documents = folder.documents.filter(({ title }) => has(title));
      const inner = inside(folder.folders);
      return documents.length === 0 && inner.length === 0 ? [] : [{ ...folder, documents, folders: inner }];
    });
  return { ...tree, documents: tree.documents.filter(({ title }) => has(title)), folders: inside(tree.folders ?? []) };
}
