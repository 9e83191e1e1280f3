import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api/cache.ts';
import type { Answer, Loaded } from '../../rest/client.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { ConflictView } from '../../drafts/conflict-view.tsx';
import { DraftBadge } from '../../drafts/draft-badge.tsx';
import { recordKey } from '../../drafts/draft-store.ts';
import { taskFields } from '../../drafts/sources.ts';
import type { TaskFields } from '../../drafts/sources.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import type { UsedDraft } from '../../drafts/use-draft.ts';
import { Button } from '../../ui/button.tsx';
import { LazyMarkdownEditor, LazyMarkdownView } from '../../ui/markdown/lazy.tsx';
import styles from './task.module.css';
import { None } from '../../ui/states.tsx';

/** The typed and unsaved text. */
export function draftOf({ project_id, id }: TaskDetail): string | undefined {
  const stored = localStorage.getItem(recordKey('task', project_id, id));
  if (stored === null) return undefined;
  return (JSON.parse(stored) as { readonly fields?: Partial<TaskFields> }).fields?.description;
}

/** The description, rendered or in an editor. Typed text is kept until it is saved or cancelled. */
export function Description({ task }: { readonly task: TaskDetail }): ReactElement {
  const [editing, setEditing] = useState(
    () => localStorage.getItem(recordKey('task', task.project_id, task.id)) !== null,
  );
  const text = task.description ?? '';
  if (editing) return <DescriptionEditor task={task} onDone={() => setEditing(false)} />;
  return (
    <>
      {text === '' ? <None>None yet.</None> : <DescriptionText task={task} onUnsaved={() => setEditing(true)} />}
      <div>
        <Button small onClick={() => setEditing(true)}>
          {text === '' ? 'Write one' : 'Edit'}
        </Button>
      </div>
    </>
  );
}

function useDescription(task: TaskDetail): UsedDraft<TaskFields> {
  const { id, project_id: projectId } = task;
  const client = useQueryClient();
  const key = keyOf('get_task', { task_id: id, project_id: projectId });
  const tag = client.getQueryData<Loaded<Answer<'get_task'>>>(key)?.tag ?? '';
  const known = useMemo(() => ({ fields: taskFields(task), tag }), [task, tag]);
  return useDraft<TaskFields>({ type: 'task', projectId, id, manual: true }, known);
}

interface DescriptionTextProps {
  readonly task: TaskDetail;
  readonly onUnsaved: () => void;
}

/** The rendered description. A ticked box is saved at once; if that is not possible, the editor says why. */
function DescriptionText({ task, onUnsaved }: DescriptionTextProps): ReactElement {
  const { fields, state, change, save } = useDescription(task);
  const unsaved = useEffectEvent(onUnsaved);
  const isUnsaved = state.kind === 'conflict' || state.kind === 'refused' || state.kind === 'offline';
  useEffect(() => {
    if (isUnsaved) unsaved();
  }, [isUnsaved]);
  return (
    <LazyMarkdownView
      text={fields.description}
      projectId={task.project_id}
      onText={(description) => {
        change({ description });
        save();
      }}
    />
  );
}

function DescriptionEditor({ task, onDone }: { readonly task: TaskDetail; readonly onDone: () => void }): ReactElement {
  const { project_id: projectId } = task;
  const draft = useDescription(task);
  const { fields, state } = draft;
  const [saving, setSaving] = useState(false);
  const isDone = saving && state.kind === 'saved';
  const done = useEffectEvent(onDone);
  useEffect(() => {
    if (isDone) done();
  }, [isDone]);
  const save = (): void => {
    draft.save();
    setSaving(true);
  };
  return (
    <>
      {state.kind === 'conflict' ? (
        <ConflictView
          pieces={state.pieces}
          names={{ description: 'Description' }}
          onResolve={(chosen) => {
            draft.resolve(chosen);
            setSaving(true);
          }}
        />
      ) : null}
      <div className={styles['editor']}>
        <LazyMarkdownEditor
          value={fields.description}
          onChange={(description) => {
            setSaving(false);
            draft.change({ description });
          }}
          label="Description"
          projectId={projectId}
          onSave={save}
        />
      </div>
      <div className={styles['actions']}>
        <Button small look="primary" disabled={state.kind === 'saving' || state.kind === 'conflict'} onClick={save}>
          Save
        </Button>
        <Button
          small
          onClick={() => {
            draft.discard();
            onDone();
          }}
        >
          Cancel
        </Button>
        {state.kind === 'offline' || state.kind === 'refused' ? (
          <DraftBadge state={state} onRetry={draft.save} />
        ) : null}
      </div>
    </>
  );
}
