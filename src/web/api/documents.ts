import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseQueryResult } from '@tanstack/react-query';
import { keyOf, useResponse } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, Loaded, Input, OperationName, ServiceError } from '../rest/client.ts';

export type DocumentTree = Answer<'list_documents'>;
export type DocumentFolder = NonNullable<DocumentTree['folders']>[number];
export type DocumentRow = DocumentTree['documents'][number];
export type DocumentDetail = Answer<'get_document'>;

/** Every folder with the documents in it, without their texts. */
export function useDocumentTree(projectId: string): UseQueryResult<DocumentTree, ServiceError> {
  return useResponse('list_documents', { project_id: projectId, verbose: false });
}

/** A polled result with the tag for a change of it. */
export function useTagged<N extends OperationName>(
  name: N,
  input: Input<N>,
): { readonly answer: UseQueryResult<Answer<N>, ServiceError>; readonly tag: string } {
  const client = useQueryClient();
  const answer = useResponse(name, input);
  const tag = client.getQueryData<Loaded<Answer<N>>>(keyOf(name, input))?.tag ?? '';
  return { answer, tag };
}

/** Caches the response of a change. A poll in flight was sent before it and is cancelled. */
export async function takeAnswer<N extends OperationName>(
  client: QueryClient,
  name: N,
  input: Input<N>,
  answered: Loaded<Answer<N>>,
): Promise<void> {
  const queryKey = keyOf(name, input);
  await client.cancelQueries({ queryKey });
  client.setQueryData<Loaded<Answer<N>>>(queryKey, answered);
}

/** A folder with the names along its path. */
export interface FolderPath {
  readonly id: string;
  readonly path: string;
  readonly ids: readonly string[];
}

/** Every folder of a tree by its whole path, in the order of the tree. */
export function folderPaths(folders: readonly DocumentFolder[] = [], around: FolderPath | null = null): FolderPath[] {
  return folders.flatMap(({ id, name, folders: inner }) => {
    const self = {
      id,
      path: around === null ? name : `${around.path} / ${name}`,
      ids: [...(around?.ids ?? []), id],
    };
    return [self, ...folderPaths(inner, self)];
  });
}

const shownBy = ['list_documents', 'get_document', 'get_project', 'list_revisions'] as const;

export function useCreateDocument(): Change<'create_document'> {
  return useChange('create_document', { shownBy, failed: 'The document could not be created' });
}
export function useDeleteDocument(): Change<'delete_document'> {
  return useChange('delete_document', {
    shownBy: ['list_documents', 'get_project', 'list_revisions', 'get_canvas'],
    failed: 'The document could not be deleted',
  });
}
/** Moves documents, and shows the result before the response. */
export function useMoveDocuments(): Change<'move_documents'> {
  return useChange('move_documents', {
    show: (client, { document_ids, folder_id }) =>
      patchTrees(client, (tree) => movedIn(tree, new Set(document_ids), folder_id)),
    shownBy,
    failed: 'The document could not be moved',
  });
}
export function useCreateFolder(): Change<'create_folder'> {
  return useChange('create_folder', { shownBy, failed: 'The folder could not be created' });
}
export function useUpdateFolder(): Change<'update_folder'> {
  return useChange('update_folder', { shownBy, failed: 'The folder could not be changed' });
}
export function useDeleteFolder(): Change<'delete_folder'> {
  return useChange('delete_folder', { shownBy, failed: 'The folder could not be deleted' });
}

/** Changes every cached tree; returns a function that restores them. */
function patchTrees(client: QueryClient, change: (tree: DocumentTree) => DocumentTree): () => void {
  const former = client.getQueriesData<Loaded<DocumentTree>>({ queryKey: ['list_documents'] });
  for (const [key, known] of former)
    if (known !== undefined) client.setQueryData(key, { ...known, value: change(known.value) });
  return () => {
    for (const [key, known] of former) client.setQueryData(key, known);
  };
}

function movedIn(tree: DocumentTree, ids: ReadonlySet<string>, target: string | null): DocumentTree {
  const moved: DocumentRow[] = [];
  const without = (documents: readonly DocumentRow[]): readonly DocumentRow[] =>
    documents.filter((one) => {
      if (ids.has(one.id)) moved.push({ ...one, folder_id: target } as DocumentRow);
      return !ids.has(one.id);
    });
  const strip = (folder: DocumentFolder): DocumentFolder => ({
    ...folder,
    documents: without(folder.documents),
    folders: folder.folders.map(strip),
  });
  const fill = (folder: DocumentFolder): DocumentFolder => ({
    ...folder,
    documents: folder.id === target ? [...folder.documents, ...moved] : folder.documents,
    folders: folder.folders.map(fill),
  });
  const unfiled = without(tree.documents);
  const folders = (tree.folders ?? []).map(strip).map(fill);
  return { ...tree, folders, documents: target === null ? [...unfiled, ...moved] : unfiled };
}
