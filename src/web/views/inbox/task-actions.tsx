import { Archive, Check, Link2, PencilLine, Trash2 } from '../../ui/icons.ts';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { useDeleteTask, useTasks, useUpdateTask } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { ChooserDialog } from '../../ui/chooser.tsx';
import type { Actions } from '../../shell/queue.tsx';
import type { ActionsOptions, Entry } from './entries.ts';

type TaskEntry = Extract<Entry, { readonly kind: 'task' }>;

/** A task that is not released yet: it is released, postponed or deleted; each can be undone. */
export function useTaskActions({ projectId, tab, entry, goOn }: ActionsOptions<TaskEntry>): Actions {
  const update = useUpdateTask();
  const relate = useChange('create_edge', {
    shownBy: ['list_edges', 'get_task', 'list_task_backlinks', 'get_canvas'],
    failed: 'The tasks could not be linked',
  });
  const remove = useDeleteTask();
  const { open } = useOpenTask();
  const { data: tasks } = useTasks(projectId);
  const [linking, setLinking] = useState(false);
  if (entry === undefined) return { actions: [], windows: null };
  const { task } = entry;
  const move = (status: TaskRow['status']): void => {
    goOn();
    update.mutate({ task_id: task.id, project_id: projectId, status });
  };
  const link = (to: string): void => {
    const edge = { from_type: 'task', from_id: task.id, to_type: 'task', to_id: to, label: 'relates' } as const;
    relate.mutate({ project_id: projectId, ...edge });
  };
  const icon = { size: 14, 'aria-hidden': true } as const;
  return {
    actions: [
      { keys: 'a', name: 'Accept', icon: <Check {...icon} />, look: 'primary', run: () => move('todo') },
      { keys: 'e', name: 'Edit', icon: <PencilLine {...icon} />, run: () => open(task.id) },
      { keys: 'l', name: 'Link', icon: <Link2 {...icon} />, run: () => setLinking(true) },
      tab === 'proposals'
        ? { keys: 'x', name: 'Move to backlog', icon: <Archive {...icon} />, run: () => move('backlog') }
        : {
            keys: 'x',
            name: 'Delete',
            icon: <Trash2 {...icon} />,
            run: () => {
              goOn();
              remove.mutate({ project_id: projectId, task_id: task.id });
            },
          },
    ],
    windows:
      linking && tasks !== undefined ? (
        <ChooserDialog
          title="Which task does it relate to?"
          items={tasks.filter(({ id }) => id !== task.id)}
          onPick={link}
          onClose={() => setLinking(false)}
        />
      ) : null,
  };
}
