import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTagged } from '../../api/documents.ts';
import type { DocumentDetail, DocumentTree } from '../../api/documents.ts';
import { documentFields } from '../../drafts/sources.ts';
import type { DocumentFields } from '../../drafts/sources.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { useOpened } from '../../shell/recent.ts';
import { useTitle } from '../../shell/title.ts';
import { DeletedNotice } from '../../ui/deleted-notice.tsx';
import { isDeleted } from '../../ui/is-deleted.ts';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import { later } from '../../loading/later.tsx';
import type { OpenDocumentProps } from './open-document.ts';

// The editors are the largest part of the page: the tree is shown before they load.
const DocumentEditor = later<OpenDocumentProps>(
  async () => (await import('./document-editor.tsx')).DocumentEditor,
  () => <Skeleton view="panel" />,
);

export interface DocumentPaneProps {
  readonly projectId: string;
  readonly documentId: string;
  readonly tree: DocumentTree;
}

/** One document, polled while it is open. */
export function DocumentPane({ projectId, documentId, tree }: DocumentPaneProps): ReactElement {
  const { answer, tag } = useTagged('get_document', { project_id: projectId, document_id: documentId });
  return (
    <Loaded of={answer}>
      {(document) => <OpenDocument document={document} tag={tag} tree={tree} deleted={isDeleted(answer)} />}
    </Loaded>
  );
}

function OpenDocument({
  document,
  tag,
  tree,
  deleted,
}: {
  readonly document: DocumentDetail;
  readonly tag: string;
  readonly tree: DocumentTree;
  readonly deleted: boolean;
}): ReactElement {
  const { id, project_id: projectId } = document;
  const known = useMemo(() => ({ fields: documentFields(document), tag }), [document, tag]);
  const draft = useDraft<DocumentFields>({ type: 'document', projectId, id }, known);
  useTitle(draft.fields.title, 'Documents');
  useOpened(projectId, 'document', id, draft.fields.title);
  if (deleted) {
    const { title, body = '' } = document;
    const typed = draft.fields.body === body ? '' : draft.fields.body;
    const texts = [
      { name: 'Your unsaved text', text: typed },
      { name: 'Text', text: body },
    ];
    return <DeletedNotice projectId={projectId} kind="document" id={id} title={title} texts={texts} />;
  }
  return <DocumentEditor document={document} tree={tree} draft={draft} />;
}
