import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import type { ReactElement } from 'react';
import { callWithTag } from '../../api/client.ts';
import type { Loaded as AnsweredTag } from '../../api/client.ts';
import { refresh } from '../../api/cache.ts';
import { takeAnswer, useTagged } from '../../api/documents.ts';
import type { DocumentDetail, DocumentTree } from '../../api/documents.ts';
import type { DraftSource, Known } from '../../drafts/draft-keeper.ts';
import { editingSession } from '../../drafts/editing-session.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { useTitle } from '../../shell/title.ts';
import { DeletedNotice } from '../../ui/deleted-notice.tsx';
import { isDeleted } from '../../ui/is-deleted.ts';
import { Loaded, Loading } from '../../ui/states.tsx';
import type { DocumentFields } from './open-document.ts';

// The editors are the largest part of the page: the tree is shown before they load.
const DocumentEditor = lazy(async () => ({ default: (await import('./document-editor.tsx')).DocumentEditor }));

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

function fieldsOf({ title, body = '', status }: DocumentDetail): DocumentFields {
  return { title, body, status: status ?? '' };
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
  const client = useQueryClient();
  const { id, project_id } = document;
  const named = useMemo(() => ({ project_id, document_id: id }), [project_id, id]);
  const known = useMemo(() => ({ fields: fieldsOf(document), tag }), [document, tag]);
  const source = useMemo((): DraftSource<DocumentFields> => {
    const taken = async (answered: AnsweredTag<DocumentDetail> | 'unchanged'): Promise<Known<DocumentFields>> => {
      if (answered === 'unchanged') throw new Error('Unchanged without a cached result.');
      await takeAnswer(client, 'get_document', named, answered);
      return { fields: fieldsOf(answered.value), tag: answered.tag ?? '' };
    };
    return {
      load: async () => taken(await callWithTag('get_document', named)),
      save: async ({ status, ...changed }, ifMatch) => {
        const line = status === undefined ? {} : { status: status === '' ? null : status };
        return taken(
          await callWithTag(
            'update_document',
            { ...named, ...changed, ...line },
            { ifMatch, session: editingSession(id) },
          ),
        );
      },
    };
  }, [client, named, id]);
  const draft = useDraft(`${project_id}.${id}`, known, source, () => {
    void refresh(client, 'list_documents', 'list_revisions', 'get_project');
  });
  useTitle(draft.fields.title, 'Documents');
  if (deleted) {
    const { title, body = '' } = document;
    const typed = draft.fields.body === body ? '' : draft.fields.body;
    const texts = [
      { name: 'Your unsaved text', text: typed },
      { name: 'Text', text: body },
    ];
    return <DeletedNotice projectId={project_id} kind="document" id={id} title={title} texts={texts} />;
  }
  return (
    <Suspense fallback={<Loading lines={8} />}>
      <DocumentEditor document={document} tree={tree} draft={draft} />
    </Suspense>
  );
}
