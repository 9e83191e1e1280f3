import type {
  CreateDocumentInput,
  DeletedAnswer,
  DocumentAnswer,
  DocumentInput,
  DocumentRecord,
  DocumentTreeAnswer,
  ListDocumentsInput,
  MoveDocumentsAnswer,
  MoveDocumentsInput,
  PlanReadTransaction,
  UpdateDocumentInput,
} from '../domain/records/collections.ts';
import {
  createDocument,
  deleteDocument,
  documentById,
  documentSnapshot,
  documentRow,
  moveDocuments,
  showDocument,
  showDocumentDetail,
  showDocumentSnapshot,
  shownFolder,
  updateDocument,
} from '../domain/content/documents.ts';
import type { DocumentSnapshot } from '../domain/content/documents.ts';
import { documentsIn, foldersAround, foldersIn, treeOf } from '../domain/content/document-tree.ts';
import type { Tree, TreeFolder } from '../domain/content/document-tree.ts';
import { backlinksOf, linksOf } from '../domain/links/edges.ts';
import { limits } from '../base/limits.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { deferred } from './pipeline/deferred.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, delta, listTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { alwaysSliced } from './declaration/sliced.ts';

const locate = { member: 'document_id', resource: 'document' } as const;
/** Over REST, a document's status line is named `status`. */
const names = { status: 'status_line' };

function documentTag(view: PlanReadTransaction, { document_id: id }: { readonly document_id: string }): Tag {
  const document = documentById(view, id);
  return resourceTag(document, [linksOf(view, id), backlinksOf(view, id), shownFolder(view, document.folder_id)]);
}

const create: Write<CreateDocumentInput, DocumentAnswer> = {
  name: 'create_document',
  summary: 'Create a document',
  group: groups.documents,
  input: 'CreateDocumentInput',
  output: 'DocumentAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/documents',
    bare: 'document',
    names,
    example: { title: 'Payments', body: '# Payments\n\nCards first, invoices later.' },
  },
  mcp: {
    title: 'Create document',
    texts: true,
    description:
      'Creates a Markdown document, for instance a design, a decision or findings. link_to links it to its tasks. Returns {document} with its links.',
  },
  run: (tx, { project_id: _, ...input }) => ({ document: showDocumentDetail(tx, createDocument(tx, input)) }),
};

const update: Write<UpdateDocumentInput, DocumentAnswer> = {
  name: 'update_document',
  summary: 'Change a document',
  group: groups.documents,
  input: 'UpdateDocumentInput',
  output: 'DocumentAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/documents/:document_id', bare: 'document', names },
  mcp: {
    title: 'Update document',
    texts: true,
    description:
      'Changes the given fields of a document; body replaces the whole body. link_to adds links; delete_edge removes one.',
    idempotent: true,
  },
  tag: documentTag,
  run: (tx, input) => ({ document: showDocumentDetail(tx, updateDocument(tx, input)) }),
};

const get: Read<DocumentInput, DocumentAnswer> = {
  name: 'get_document',
  summary: 'One document with its links both ways',
  group: groups.documents,
  input: 'DocumentInput',
  output: 'DocumentAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/documents/:document_id', bare: 'document' },
  mcp: {
    title: 'Get document',
    texts: true,
    description: 'One document with its body, links and backlinks; each entry has the edge_id that delete_edge takes.',
  },
  tag: documentTag,
  run: (view, { document_id: id }) => ({ document: showDocumentDetail(view, documentById(view, id)) }),
};

const treeTag = (view: PlanReadTransaction): Tag => listTag(view, 'document', 'folder');

const list: Read<ListDocumentsInput, DocumentTreeAnswer> = {
  name: 'list_documents',
  summary: 'Documents of a project in their folders',
  group: groups.documents,
  input: 'ListDocumentsInput',
  output: 'DocumentTreeAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/documents' },
  mcp: {
    title: 'List documents',
    description:
      'The tree of folders and documents without bodies, 100 documents at most, then next_cursor. Read one with get_document.',
  },
  tag: treeTag,
  run: listResponse,
};

type Shown = DocumentTreeAnswer['documents'][number];

function listResponse(view: PlanReadTransaction, input: ListDocumentsInput, context: Context): DocumentTreeAnswer {
  const { folder_id: part, verbose } = input;
  const row = (document: DocumentRecord): Shown => documentRow(view, document);
  const whole = (document: DocumentRecord): Shown => showDocument(view, document, { verbose: verbose ?? true });
  const show = context.transport === 'mcp' && verbose !== true ? row : whole;
  const changed = changedSince(view, 'document', input, treeTag(view));
  if (changed !== undefined) {
    const inside = part === undefined ? undefined : new Set([...documentsIn(view, part)].map(({ id }) => id));
    const find = (id: string): DocumentRecord | undefined =>
      inside === undefined || inside.has(id) ? view.get('document', id) : undefined;
    const { changed: documents, removed } = delta(changed, find, show);
    return { documents, removed };
  }
  return context.transport === 'mcp'
    ? agentTree(view, input, context, { show, row })
    : wholeTree(view, input, context, verbose ?? true);
}

function wholeTree(
  view: PlanReadTransaction,
  input: ListDocumentsInput,
  { transport, streams = false }: Context,
  verbose: boolean,
): DocumentTreeAnswer {
  const query = documentsIn(view, input.folder_id, positionAfter(input));
  const page = pageOf(query, input, { transport }, { show: (document) => document, position: positionOf });
  const snapshot = (document: DocumentRecord): DocumentSnapshot => documentSnapshot(view, document);
  const tree = treeOf(foldersIn(view, input.folder_id), page.rows, snapshot);
  return { ...shownTree(tree, { verbose, streams }), ...nextCursor(page) };
}

interface TreeOptions {
  readonly verbose: boolean;
  readonly streams: boolean;
}

/** The tree in the form of the response, with deferred rows as lists if the response is sent in slices. */
function shownTree<T extends Tree<DocumentSnapshot>>(
  { documents, folders, ...folder }: T,
  options: TreeOptions,
): Tree<Shown> {
  const show = (document: DocumentSnapshot): Shown => showDocumentSnapshot(document, options);
  const showFolder = (inner: TreeFolder<DocumentSnapshot>): TreeFolder<Shown> =>
    shownTree(inner, options) as TreeFolder<Shown>;
  return {
    ...folder,
    folders: options.streams ? deferred(folders, showFolder) : folders.map(showFolder),
    documents: options.streams ? deferred(documents, show) : documents.map(show),
  };
}

/** Bytes of JSON around a folder's name and ids. */
const folderBytes = 140;

/** The tree limited for an agent: if there are many folders, only the folders of the listed documents. */
function agentTree(
  view: PlanReadTransaction,
  input: ListDocumentsInput,
  context: Context,
  {
    show,
    row,
  }: { readonly show: (document: DocumentRecord) => Shown; readonly row: (document: DocumentRecord) => Shown },
): DocumentTreeAnswer {
  const { folder_id: part } = input;
  const all = foldersIn(view, part);
  const everyFolder = all.length <= limits.agentListRows;
  const namesBytes = all.reduce((bytes, { name }) => bytes + folderBytes + Buffer.byteLength(name), 0);
  const spent = everyFolder ? Math.min(namesBytes, limits.agentAnswerBytesMax / 2) : limits.agentAnswerBytesMax / 2;
  const showing = new Map<DocumentRecord, Shown>();
  const keep = (shown: (document: DocumentRecord) => Shown) => (document: DocumentRecord) => {
    const made = shown(document);
    showing.set(document, made);
    return made;
  };
  const taken: DocumentRecord[] = [];
  const page = pageOf(watched(documentsIn(view, part, positionAfter(input)), taken), input, context, {
    show: keep(show),
    lighter: keep(row),
    position: positionOf,
    bytesMax: limits.agentAnswerBytesMax - spent - folderBytes,
  });
  const documents = taken.slice(0, page.rows.length);
  const folders = everyFolder && namesBytes <= spent ? all : foldersAround(view, documents);
  return {
    ...treeOf(folders, documents, (document) => showing.get(document)!),
    documents_total: part === undefined ? view.count('document') : [...documentsIn(view, part)].length,
    folders_total: all.length,
    ...nextCursor(page),
  };
}

/** Records the items that were taken from a sequence. */
function* watched<T>(items: Iterable<T>, taken: T[]): IterableIterator<T> {
  for (const item of items) {
    taken.push(item);
    yield item;
  }
}

const remove: Write<DocumentInput, DeletedAnswer> = {
  name: 'delete_document',
  summary: 'Delete a document with its edges and comments',
  group: groups.documents,
  input: 'DocumentInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/documents/:document_id', headers: trashHeader },
  ...deletion(({ document_id: id }) => id, deleteDocument),
};

const move: Write<MoveDocumentsInput, MoveDocumentsAnswer> = {
  name: 'move_documents',
  summary: 'Move documents into a folder, independently of each other',
  group: groups.documents,
  input: 'MoveDocumentsInput',
  output: 'MoveDocumentsAnswer',
  scope: 'project',
  effect: 'write',
  rest: { method: 'POST', path: '/projects/:project_id/documents/move', status: 200 },
  mcp: {
    title: 'Move documents',
    description:
      'Moves many documents into a folder, null for Unfiled. Not atomic: returns {moved, failed}, with the reason for each that failed.',
    idempotent: true,
  },
  ...alwaysSliced(moveDocuments),
};

export const documentOperations: readonly PlannerOperation[] = [create, update, get, list, remove];

/** The operations that put documents into folders. */
export const filingOperations: readonly PlannerOperation[] = [move];
