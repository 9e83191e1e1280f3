import { useQueryClient } from '@tanstack/react-query';
import { Ellipsis, History, SquarePen, Trash2 } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { refresh } from '../../api/cache.ts';
import { useChange } from '../../api/change.ts';
import { callWithTag } from '../../api/client.ts';
import type { Answer, Loaded as AnsweredTag } from '../../api/client.ts';
import { takeAnswer, useTagged } from '../../api/documents.ts';
import { ConflictView } from '../../drafts/conflict-view.tsx';
import { DraftBadge } from '../../drafts/draft-badge.tsx';
import type { DraftSource, Known } from '../../drafts/draft-keeper.ts';
import { editingSession } from '../../drafts/editing-session.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import type { UsedDraft } from '../../drafts/use-draft.ts';
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
type NoteFields = { readonly title: string; readonly body: string };

/** One note in an editor. */
export function NotePane({ projectId, noteId }: { readonly projectId: string; readonly noteId: string }): ReactElement {
  const { answer, tag } = useTagged('get_note', { project_id: projectId, note_id: noteId });
  return <Loaded of={answer}>{(note) => <OpenNote note={note} tag={tag} deleted={isDeleted(answer)} />}</Loaded>;
}

function fieldsOf({ title, body = '' }: Note): NoteFields {
  return { title, body };
}

function useNoteDraft(note: Note, tag: string): UsedDraft<NoteFields> {
  const client = useQueryClient();
  const { id, project_id } = note;
  const named = useMemo(() => ({ project_id, note_id: id }), [project_id, id]);
  const known = useMemo(() => ({ fields: fieldsOf(note), tag }), [note, tag]);
  const source = useMemo((): DraftSource<NoteFields> => {
    const taken = async (answered: AnsweredTag<Note> | 'unchanged'): Promise<Known<NoteFields>> => {
      if (answered === 'unchanged') throw new Error('Unchanged without a cached result.');
      await takeAnswer(client, 'get_note', named, answered);
      return { fields: fieldsOf(answered.value), tag: answered.tag ?? '' };
    };
    return {
      load: async () => taken(await callWithTag('get_note', named)),
      save: async (changed, ifMatch) =>
        taken(await callWithTag('update_note', { ...named, ...changed }, { ifMatch, session: editingSession(id) })),
    };
  }, [client, named, id]);
  return useDraft(`${project_id}.${id}`, known, source, () => void refresh(client, 'list_notes', 'list_revisions'));
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
  const draft = useNoteDraft(note, tag);
  const { fields, state } = draft;
  const [params, setParams] = useSearchParams();
  const requested = params.get('mode');
  const mode: EditorMode =
    requested === 'write' || requested === 'preview' || requested === 'beside'
      ? requested
      : fields.body === ''
        ? 'write'
        : 'preview';
  useTitle(fields.title, 'Notes');
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
        onMode={(next) =>
          setParams(
            (former) => {
              former.set('mode', next);
              return former;
            },
            { replace: true },
          )
        }
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
          { label: 'Delete', icon: <Trash2 size={14} />, danger: true, onSelect: () => setDialog('delete') },
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
