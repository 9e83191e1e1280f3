import type { DocumentDetail, DocumentTree } from '../../api/documents.ts';
import type { UsedDraft } from '../../drafts/use-draft.ts';

/** The editable fields of a document. */
export type DocumentFields = { readonly title: string; readonly body: string; readonly status: string };

/** The open document, with its tree and its draft. */
export interface OpenDocumentProps {
  readonly document: DocumentDetail;
  readonly tree: DocumentTree;
  readonly draft: UsedDraft<DocumentFields>;
}
