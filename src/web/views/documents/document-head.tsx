import { ArrowLeft, Ellipsis, FolderInput, History, Share2, SquarePen, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { folderPaths, useMoveDocuments } from '../../api/documents.ts';
import { DraftBadge } from '../../drafts/draft-badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { FilePathDialog } from '../../ui/file-path-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { OpenHead } from '../../ui/open-head.tsx';
import { Others } from '../../ui/others.tsx';
import { ShareDialog } from '../../ui/share-dialog.tsx';
import { DeleteDocument } from './delete-document.tsx';
import styles from './documents.module.css';
import { MoveDialog } from './move-dialog.tsx';
import type { OpenDocumentProps } from './open-document.ts';

/** A document's title and status line, the state of its draft, and its actions. */
export function DocumentHead({ document, tree, draft }: OpenDocumentProps): ReactElement {
  const { id, project_id: projectId, folder_id: folder } = document;
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'share' | 'file' | 'move' | 'delete' | undefined>(undefined);
  const move = useMoveDocuments();
  const done = (): void => setDialog(undefined);
  const { title, status } = draft.fields;
  const paths = folderPaths(tree.folders);
  const path = paths.find((one) => one.id === folder)?.path;
  return (
    <div className={styles['head']}>
      <OpenHead
        key={id}
        title={title}
        isNew={params.has('new')}
        onTitle={(next) => draft.change({ title: next })}
        onBlur={draft.save}
        about={
          <>
            <Link to={`/projects/${projectId}/documents`} className={styles['back']}>
              <ArrowLeft size={15} aria-hidden /> Documents
            </Link>
            <span className={styles['folder']}>{path ?? 'Unfiled'}</span>
            <DraftBadge state={draft.state} onRetry={draft.save} />
            <Others recordId={id} />
          </>
        }
        actions={
          <>
            <IconButton small label="Share" icon={<Share2 size={15} />} onClick={() => setDialog('share')} />
            <Menu
              align="end"
              trigger={<IconButton small label="More about this document" icon={<Ellipsis size={16} />} />}
              items={[
                {
                  label: 'History',
                  icon: <History size={14} />,
                  onSelect: () => void navigate(`/projects/${projectId}/history?type=document&target=${id}`),
                },
                { label: 'Open in your editor', icon: <SquarePen size={14} />, onSelect: () => setDialog('file') },
                { label: 'Move to…', icon: <FolderInput size={14} />, onSelect: () => setDialog('move') },
                {
                  label: 'Delete…',
                  icon: <Trash2 size={14} />,
                  danger: true,
                  separated: true,
                  onSelect: () => setDialog('delete'),
                },
              ]}
            />
          </>
        }
      />
      <input
        className={styles['status']}
        aria-label="Status line"
        placeholder="Status: draft, agreed, superseded by…"
        maxLength={500}
        value={status}
        onChange={(event) => draft.change({ status: event.target.value })}
        onBlur={draft.save}
      />
      {dialog === 'share' ? (
        <ShareDialog
          operation="share_document"
          input={{ project_id: projectId, document_id: id }}
          name={title}
          onClose={done}
        />
      ) : null}
      {dialog === 'file' ? <FilePathDialog projectId={projectId} recordId={id} onClose={done} /> : null}
      {dialog === 'move' ? (
        <MoveDialog
          what={{ kind: 'document', id, title, from: folder }}
          actions={{
            paths,
            move: ({ id: moved }, target) =>
              move.mutate({ project_id: projectId, document_ids: [moved], folder_id: target }),
          }}
          onClose={done}
        />
      ) : null}
      {dialog === 'delete' ? (
        <DeleteDocument projectId={projectId} documentId={id} title={title} onClose={done} />
      ) : null}
    </div>
  );
}
