import type {
  CreateFolderInput,
  DeleteFolderInput,
  FolderAnswer,
  FolderDeletedAnswer,
  FolderInput,
  FolderListAnswer,
  FolderRecord,
  ListFoldersInput,
  PlanReadTransaction,
  UpdateFolderInput,
} from '../domain/records/collections.ts';
import { createFolder, deleteFolder, folderById, showFolder, updateFolder } from '../domain/content/folders.ts';
import { groups } from './groups.ts';
import { trashHeader } from './trash-header.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { alwaysSliced } from './declaration/sliced.ts';

const locate = { member: 'folder_id', resource: 'folder' } as const;

const folderTag = (view: PlanReadTransaction, { folder_id: id }: { readonly folder_id: string }): Tag =>
  resourceTag(folderById(view, id), []);

const create: Write<CreateFolderInput, FolderAnswer> = {
  name: 'create_folder',
  summary: 'Create a folder for documents',
  group: groups.folders,
  input: 'CreateFolderInput',
  output: 'FolderAnswer',
  scope: 'project',
  effect: 'write',
  rest: { method: 'POST', path: '/projects/:project_id/folders', bare: 'folder' },
  mcp: {
    title: 'Create folder',
    description:
      'Creates a document folder, inside parent_folder_id if given. Fill it with move_documents or create_document.',
  },
  run: (tx, input) => ({ folder: showFolder(tx, createFolder(tx, input)) }),
};

const update: Write<UpdateFolderInput, FolderAnswer> = {
  name: 'update_folder',
  summary: 'Rename or move a folder',
  group: groups.folders,
  input: 'UpdateFolderInput',
  output: 'FolderAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/folders/:folder_id', bare: 'folder' },
  mcp: {
    title: 'Update folder',
    description: 'Renames a folder or moves it, with its contents. Cycles and a sibling of the same name are rejected.',
    idempotent: true,
  },
  tag: folderTag,
  run: (tx, input) => ({ folder: showFolder(tx, updateFolder(tx, input)) }),
};

const remove: Write<DeleteFolderInput, FolderDeletedAnswer> = {
  name: 'delete_folder',
  summary: 'Delete a folder and keep its contents',
  group: groups.folders,
  input: 'DeleteFolderInput',
  output: 'FolderDeletedAnswer',
  scope: 'project',
  // Agents may delete folders, which are structure only.
  effect: 'write',
  locate,
  rest: { method: 'DELETE', path: '/folders/:folder_id', headers: trashHeader },
  mcp: {
    title: 'Delete folder',
    description: 'Deletes a folder; its documents and sub-folders move to its parent or to reparent_to.',
    destructive: true,
  },
  ...alwaysSliced((tx, { folder_id: id, reparent_to: target }) => deleteFolder(tx, id, target)),
};

const get: Read<FolderInput, FolderAnswer> = {
  name: 'get_folder',
  summary: 'One folder',
  group: groups.folders,
  input: 'FolderInput',
  output: 'FolderAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/folders/:folder_id', bare: 'folder' },
  tag: folderTag,
  run: (view, { folder_id: id }) => ({ folder: showFolder(view, folderById(view, id)) }),
};

const foldersTag = (view: PlanReadTransaction): Tag => listTag(view, 'folder');

const list: Read<ListFoldersInput, FolderListAnswer> = {
  name: 'list_folders',
  summary: 'Folders of a project',
  group: groups.folders,
  input: 'ListFoldersInput',
  output: 'FolderListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/folders' },
  tag: foldersTag,
  run: (view, input, context) => {
    const show = (folder: FolderRecord): FolderListAnswer['folders'][number] => showFolder(view, folder);
    const changed = changedSince(view, 'folder', input, foldersTag(view));
    if (changed !== undefined) {
      const { changed: folders, removed } = delta(changed, (id) => view.get('folder', id), show);
      return { folders, removed };
    }
    const page = pageOf(view.list('folder', positionAfter(input)), input, context, { show, position: positionOf });
    return { folders: page.rows, ...nextCursor(page) };
  },
};

export const folderOperations: readonly PlannerOperation[] = [create, update, remove, get, list];
