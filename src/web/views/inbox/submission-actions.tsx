import { Check, Link2, PencilLine, Plus, X } from '../../ui/icons.ts';
import { useState } from 'react';
import { toast } from 'sonner';
import { useTriage } from '../../api/submissions.ts';
import { useCreateTask, useTasks } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { ChooserDialog } from '../../ui/chooser.tsx';
import { AcceptForm } from './accept-form.tsx';
import type { Actions } from '../../shell/queue.tsx';
import type { ActionsOptions, Entry } from './entries.ts';

type SubmissionEntry = Extract<Entry, { readonly kind: 'submission' }>;

interface AsTask {
  readonly label: string;
  readonly description: string;
}

/** A submission is triaged: accepted into a new or an existing task, or rejected. It stays under Decided; the decision can be undone. */
export function useSubmissionActions({ projectId, entry, goOn }: ActionsOptions<SubmissionEntry>): Actions {
  const triage = useTriage();
  const create = useCreateTask();
  const { open } = useOpenTask();
  const { data: tasks } = useTasks(projectId);
  const [dialog, setDialog] = useState<'edit' | 'link' | undefined>(undefined);
  if (entry === undefined) return { actions: [], windows: null };
  const { submission } = entry;
  const at = { project_id: projectId, submission_id: submission.id };
  const notify = (text: string, taskId: string | null | undefined): void =>
    void toast.success(text, taskId == null ? {} : { action: { label: 'Open task', onClick: () => open(taskId) } });
  const accept = async (more: { as_task?: AsTask; link_task_id?: string } = {}): Promise<boolean> => {
    // The next entry is selected only after success, so that an error keeps the typed text.
    const typed = more.as_task !== undefined;
    if (!typed) goOn();
    const answer = await triage.mutateAsync({ ...at, action: 'accept', ...more }).catch(() => undefined);
    if (answer === undefined) return false;
    if (typed) goOn();
    if (more.link_task_id === undefined) notify('A task waits in Scope.', answer.linked_task_id);
    return true;
  };
  const reject = async (): Promise<void> => {
    goOn();
    await triage.mutateAsync({ ...at, action: 'reject' }).catch(() => undefined);
  };
  const fileAnyway = async (): Promise<void> => {
    const description = `${submission.body ?? ''}\n\nSubmitted by ${submission.participant_name}.`.trim();
    const task = { project_id: projectId, label: submission.title, description, status: 'scope' } as const;
    const made = await create.mutateAsync(task).catch(() => undefined);
    if (made !== undefined) notify('A task waits in Scope.', made.id);
  };
  const icon = { size: 14, 'aria-hidden': true } as const;
  if (submission.status === 'rejected')
    return {
      actions: [{ keys: 'a', name: 'Create a task after all', icon: <Plus {...icon} />, run: () => void fileAnyway() }],
      windows: null,
    };
  if (submission.status === 'accepted') return { actions: [], windows: null };
  return {
    actions: [
      { keys: 'a', name: 'Accept', icon: <Check {...icon} />, look: 'primary', run: () => void accept() },
      { keys: 'e', name: 'Edit', icon: <PencilLine {...icon} />, run: () => setDialog('edit') },
      { keys: 'l', name: 'Link', icon: <Link2 {...icon} />, run: () => setDialog('link') },
      { keys: 'x', name: 'Reject', icon: <X {...icon} />, run: () => void reject() },
    ],
    windows:
      dialog === 'edit' ? (
        <AcceptForm
          submission={submission}
          onAccept={(task) => accept({ as_task: task })}
          onClose={() => setDialog(undefined)}
        />
      ) : dialog === 'link' && tasks !== undefined ? (
        <ChooserDialog
          title="Which task is it about?"
          items={tasks}
          onPick={(id) => void accept({ link_task_id: id })}
          onClose={() => setDialog(undefined)}
        />
      ) : null,
  };
}
