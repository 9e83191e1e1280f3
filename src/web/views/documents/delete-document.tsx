import type { ReactElement } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useDeleteDocument } from '../../api/documents.ts';
import { Confirm } from '../../ui/dialog.tsx';

export interface DeleteDocumentProps {
  readonly projectId: string;
  readonly documentId: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** Confirms the deletion of a document, and navigates away if it is open. */
export function DeleteDocument({ projectId, documentId, title, onClose }: DeleteDocumentProps): ReactElement {
  const remove = useDeleteDocument();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const all = `/projects/${projectId}/documents`;
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Delete “${title}”?`}
      about="Its comments and links are deleted with it. It can be restored from the trash."
      action="Delete"
      onConfirm={() =>
        void remove.mutateAsync({ project_id: projectId, document_id: documentId }).then(
          () => {
            if (pathname.startsWith(`${all}/${documentId}`)) void navigate(all);
          },
          // The change shows its own error.
          () => undefined,
        )
      }
    />
  );
}
