import type { DocumentDetail, DocumentTree } from '../../api/documents.ts';
import type { DocumentFields } from '../../drafts/sources.ts';
import type { UsedDraft } from '../../drafts/use-draft.ts';

/** The open document, with its tree and its draft. */
export interface OpenDocumentProps {
  readonly document: DocumentDetail;
  readonly tree: DocumentTree;
  readonly draft: UsedDraft<DocumentFields>;
}
