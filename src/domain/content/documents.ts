import { invalid, notFound, PlannerError } from '../../base/errors.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { explainNotFound } from '../../store/index.ts';
import type {
  CreateDocumentInput,
  Document,
  DocumentRecord,
  DocumentRow,
  MoveDocumentsAnswer,
  MoveDocumentsInput,
  PlanReadTransaction,
  PlanTransaction,
  UpdateDocumentInput,
} from '../records/collections.ts';
import { newRecord } from '../records/collections.ts';
import { shown } from '../records/shown.ts';
import { removeWithComments } from '../links/comments.ts';
import { EdgeSheets } from '../links/edge-sheets.ts';
import { backlinksOf, endOf, linksOf } from '../links/edges.ts';
import { requireFolder } from './folders.ts';
import { revokeSharesOf } from '../sharing/shares.ts';
import { discard } from '../records/trash.ts';

/** Throws `not_found`. */
export function documentById(view: PlanReadTransaction, id: string): DocumentRecord {
  const document = view.get('document', id);
  if (document === undefined) throw notFound('document', id);
  return document;
}

/** Creates a document, with edges to the records in `link_to`. */
export function createDocument(tx: PlanTransaction, input: Omit<CreateDocumentInput, 'project_id'>): DocumentRecord {
  const { title, body, status_line: status = null, folder_id: folder = null, position = null, link_to: linkTo } = input;
  requireFolder(tx, folder, 'folder_id');
  const fields = { title, body, status, folder_id: folder, position };
  const { id } = tx.put('document', newRecord('document', { id: tx.newId('document'), created_at: tx.now, ...fields }));
  linkDocument(tx, id, linkTo);
  return documentById(tx, id);
}

/** Updates a document. `link_to` adds edges and never removes an edge. */
export function updateDocument(tx: PlanTransaction, input: UpdateDocumentInput): DocumentRecord {
  const { document_id: id, project_id: _, status_line: status, link_to: linkTo, ...fields } = input;
  const former = documentById(tx, id);
  if (fields.folder_id !== undefined) requireFolder(tx, fields.folder_id, 'folder_id');
  tx.put('document', { ...former, ...fields, ...(status === undefined ? undefined : { status }) });
  linkDocument(tx, id, linkTo);
  return documentById(tx, id);
}

/** The labels of edges from a document: it documents a task and references another document. */
const linkLabels = { task: 'documents', document: 'references' } as const;

function linkDocument(tx: PlanTransaction, id: string, linkTo: string | readonly string[] | undefined): void {
  if (linkTo === undefined) return;
  const several = typeof linkTo !== 'string';
  const sheets = new EdgeSheets(tx);
  for (const [at, target] of (several ? linkTo : [linkTo]).entries()) {
    const member = several ? `link_to[${at}]` : 'link_to';
    const type = (['task', 'document'] as const).find((one) => endOf(tx, one, target) !== undefined);
    if (type === undefined) {
      throw invalid(
        member,
        `${member} must be the id of a task or document of this project: ${JSON.stringify(target)}.`,
      );
    }
    if (target === id) throw invalid(member, `${member} is the document itself: an edge needs two different ends.`);
    sheets.create({ from_type: 'document', from_id: id, to_type: type, to_id: target, label: linkLabels[type] });
  }
  sheets.write();
}

/** Deletes a document with its edges and comments. Returns the id of its entry in the trash. */
export function* deleteDocument(tx: PlanTransaction, id: string): Steps<string> {
  const document = documentById(tx, id);
  return yield* discard(tx, { type: 'document', id: document.id, label: document.title }, function* () {
    revokeSharesOf(tx, document.id);
    yield* removeWithComments(tx, 'document', document.id);
  });
}

/** Moves documents into a folder, in steps, independently: one that cannot be moved does not prevent the others. */
export function* moveDocuments(
  tx: PlanTransaction,
  { document_ids: ids, folder_id: folder }: MoveDocumentsInput,
): Steps<MoveDocumentsAnswer> {
  requireFolder(tx, folder, 'folder_id');
  const moved: string[] = [];
  const failed: { document_id: string; error: PlannerError['code']; message: string }[] = [];
  yield* eachInSteps(new Set(ids), (id) => {
    try {
      tx.put('document', { ...documentById(tx, id), folder_id: folder });
      moved.push(id);
    } catch (thrown) {
      const failure = explainNotFound(tx, thrown);
      if (!(failure instanceof PlannerError)) throw failure;
      failed.push({ document_id: id, error: failure.code, message: failure.message });
    }
  });
  return { moved, failed };
}

/** A snapshot of a document and of the values of other records in its view. */
export interface DocumentSnapshot {
  readonly document: DocumentRecord;
  readonly project_id: string;
  readonly folder_id: string | null;
}

export function documentSnapshot(view: PlanReadTransaction, document: DocumentRecord): DocumentSnapshot {
  return { document, project_id: view.project, folder_id: shownFolder(view, document.folder_id) };
}

/** A document in a list; with its body if `verbose`. */
export function showDocument(
  view: PlanReadTransaction,
  document: DocumentRecord,
  options?: { readonly verbose?: boolean },
): Document {
  return showDocumentSnapshot(documentSnapshot(view, document), options);
}

/** Shows a snapshot of a document. A large body is read from its file only now. */
export function showDocumentSnapshot(
  { document, project_id, folder_id }: DocumentSnapshot,
  { verbose = true } = {},
): Document {
  const added = { project_id, folder_id };
  return verbose ? shown.document.details(document, added) : shown.document.head(document, added);
}

/** A document with its edges in both directions. */
export function showDocumentDetail(view: PlanReadTransaction, document: DocumentRecord): Document {
  const { id } = document;
  return { ...showDocument(view, document), links: linksOf(view, id), backlinks: backlinksOf(view, id) };
}

/** A document in an agent's list, without null members. */
export function documentRow(view: PlanReadTransaction, document: DocumentRecord): DocumentRow {
  return shown.document.row(document, { folder_id: shownFolder(view, document.folder_id) ?? undefined });
}

/** Null if the folder does not exist. */
export function shownFolder(view: PlanReadTransaction, id: string | null): string | null {
  return id !== null && view.get('folder', id) === undefined ? null : id;
}
