import { NotebookPen, Plus } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useRows } from '../../api/cache.ts';
import { useChange } from '../../api/change.ts';
import { useProjectId } from '../../shell/project-id.ts';
import { useTitle } from '../../shell/title.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Shelf } from '../../ui/shelf.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { NotePane } from './note-pane.tsx';

/** Notes. */
export function Notes(): ReactElement {
  const projectId = useProjectId();
  const { '*': rest = '' } = useParams();
  const openId = rest.split('/', 1)[0]!;
  const notes = useRows('list_notes', 'notes', { project_id: projectId, verbose: false });
  const navigate = useNavigate();
  const create = useChange('create_note', {
    shownBy: ['list_notes', 'get_project'],
    failed: 'The note could not be created',
  });
  const make = (): void =>
    create.mutate(
      { project_id: projectId, title: 'Untitled' },
      { onSuccess: ({ id }) => void navigate(`/projects/${projectId}/notes/${id}?new=1`) },
    );
  useTitle(openId === '' ? 'Notes' : undefined);
  return (
    <Loaded of={notes}>
      {(rows) => (
        <Shelf
          name="Notes"
          address={`/projects/${projectId}/notes`}
          openId={openId}
          // The newest first: recent notes are used most.
          items={rows.toReversed().map(({ id, title }) => ({ id, title, icon: <NotebookPen size={15} aria-hidden /> }))}
          actions={
            <IconButton small label="New note" icon={<Plus size={16} />} disabled={create.isPending} onClick={make} />
          }
        >
          {openId === '' ? (
            <Empty
              icon={NotebookPen}
              title={rows.length === 0 ? 'No notes yet' : 'Select a note'}
              actions={
                <Button look="primary" disabled={create.isPending} onClick={make}>
                  <Plus size={15} aria-hidden /> New note
                </Button>
              }
            >
              {rows.length === 0
                ? 'A place for what is not a task or a document yet: what was said, what was found, what to come back to.'
                : undefined}
            </Empty>
          ) : (
            <NotePane key={openId} projectId={projectId} noteId={openId} />
          )}
        </Shelf>
      )}
    </Loaded>
  );
}
