import type { DocumentDetail, DocumentTree } from '../../api/documents.ts';
import type { UsedDraft } from '../../drafts/use-draft.ts';

/** What of a document is written by hand. */
export type DocumentFields = { readonly title: string; readonly body: string; readonly status: string };

/** A document that is open, with the tree that it lies in and what is typed of it. */
export interface OpenDocumentProps {
  readonly document: DocumentDetail;
  readonly tree: DocumentTree;
  readonly draft: UsedDraft<DocumentFields>;
}
