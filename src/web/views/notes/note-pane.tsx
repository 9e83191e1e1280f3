import { Ellipsis, History, SquarePen, Trash2 } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { useChange } from '../../api/change.ts';
import type { Answer } from '../../rest/client.ts';
import { useTagged } from '../../api/documents.ts';
import { ConflictView } from '../../drafts/conflict-view.tsx';
import { DraftBadge } from '../../drafts/draft-badge.tsx';
import { noteFields } from '../../drafts/sources.ts';
import type { NoteFields } from '../../drafts/sources.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { useQuery } from '../../shell/query-state.ts';
import { useOpened } from '../../shell/recent.ts';
import { useTitle } from '../../shell/title.ts';
import { IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { LazyMarkdownEditor } from '../../ui/markdown/lazy.tsx';
import type { EditorMode } from '../../ui/markdown/markdown-editor.tsx';
import { FilePathDialog } from '../../ui/file-path-dialog.tsx';
import { Menu } from '../../ui/menu.tsx';
import { OpenHead } from '../../ui/open-head.tsx';
import { DeletedNotice } from '../../ui/deleted-notice.tsx';
import { isDeleted } from '../../ui/is-deleted.ts';
import { Loaded } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { LazyCommentThread } from '../comments/lazy.tsx';
import styles from './notes.module.css';

type Note = Answer<'get_note'>;
/** One note in an editor. */
export function NotePane({ projectId, noteId }: { readonly projectId: string; readonly noteId: string }): ReactElement {
  const { answer, tag } = useTagged('get_note', { project_id: projectId, note_id: noteId });
  return <Loaded of={answer}>{(note) => <OpenNote note={note} tag={tag} deleted={isDeleted(answer)} />}</Loaded>;
}

function OpenNote({
  note,
  tag,
  deleted,
}: {
  readonly note: Note;
  readonly tag: string;
  readonly deleted: boolean;
}): ReactElement {
  const { id, project_id: projectId, updated_at } = note;
  const known = useMemo(() => ({ fields: noteFields(note), tag }), [note, tag]);
  const draft = useDraft<NoteFields>({ type: 'note', projectId, id }, known);
  const { fields, state } = draft;
  const [params, changeQuery] = useQuery();
  const requested = params.get('mode');
  const mode: EditorMode =
    requested === 'write' || requested === 'preview' || requested === 'beside'
      ? requested
      : fields.body === ''
        ? 'write'
        : 'preview';
  useTitle(fields.title, 'Notes');
  useOpened(projectId, 'note', id, fields.title);
  if (deleted) {
    const texts = [
      { name: 'Your unsaved text', text: fields.body === note.body ? '' : fields.body },
      { name: 'Text', text: note.body ?? '' },
    ];
    return <DeletedNotice projectId={projectId} kind="note" id={id} title={note.title} texts={texts} />;
  }
  return (
    <div className={styles['pane']}>
      <OpenHead
        title={fields.title}
        isNew={params.has('new')}
        onTitle={(title) => draft.change({ title })}
        onBlur={draft.save}
        about={
          <>
            <DraftBadge state={state} onRetry={draft.save} />
            <span>
              Changed <Ago time={updated_at} />
            </span>
          </>
        }
        actions={<NoteMenu note={note} />}
      />
      {state.kind === 'conflict' ? (
        <ConflictView pieces={state.pieces} names={{ title: 'Title', body: 'Text' }} onResolve={draft.resolve} />
      ) : null}
      <LazyMarkdownEditor
        wide
        mode={mode}
        onMode={(next) => changeQuery((now) => now.set('mode', next))}
        value={fields.body}
        onChange={(body) => draft.change({ body })}
        onSave={draft.save}
        onBlur={draft.save}
        label="Text of the note"
        placeholder="Write Markdown. [[ links to a document or task."
        projectId={projectId}
      />
      <section className={styles['comments']}>
        <h2>Comments</h2>
        <LazyCommentThread projectId={projectId} targetType="note" targetId={id} />
      </section>
    </div>
  );
}

function NoteMenu({ note: { id, project_id: projectId, title } }: { readonly note: Note }): ReactElement {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'file' | 'delete' | undefined>(undefined);
  const remove = useChange('delete_note', {
    shownBy: ['list_notes', 'get_project', 'list_revisions'],
    failed: 'The note could not be deleted',
  });
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton small label="More about this note" icon={<Ellipsis size={16} />} />}
        items={[
          {
            label: 'History',
            icon: <History size={14} />,
            onSelect: () => void navigate(`/projects/${projectId}/history?type=note&target=${id}`),
          },
          {
            label: 'Open in your editor',
            icon: <SquarePen size={14} />,
            onSelect: () => setDialog('file'),
          },
          { label: 'Delete…', icon: <Trash2 size={14} />, danger: true, onSelect: () => setDialog('delete') },
        ]}
      />
      {dialog === 'file' ? (
        <FilePathDialog projectId={projectId} recordId={id} onClose={() => setDialog(undefined)} />
      ) : null}
      <Confirm
        open={dialog === 'delete'}
        onClose={() => setDialog(undefined)}
        title={`Delete “${title}”?`}
        about="Its comments are deleted with it. It can be restored from the trash."
        action="Delete"
        onConfirm={() =>
          remove.mutate(
            { project_id: projectId, note_id: id },
            { onSuccess: () => void navigate(`/projects/${projectId}/notes`) },
          )
        }
      />
    </>
  );
}
