import { useState } from 'react';
import type { ReactElement } from 'react';
import type { TaskDetail } from '../../api/tasks.ts';
import { DeletedNotice } from '../../ui/deleted-notice.tsx';
import { draftOf } from './description.tsx';

/** A task that was deleted while it was open. */
export function DeletedTask({
  task,
  onClose,
}: {
  readonly task: TaskDetail;
  readonly onClose: () => void;
}): ReactElement {
  const [draft] = useState(() => draftOf(task));
  return (
    <DeletedNotice
      projectId={task.project_id}
      kind="task"
      id={task.id}
      title={task.label}
      texts={[
        { name: 'Your unsaved description', text: draft === task.description ? '' : (draft ?? '') },
        { name: 'Description', text: task.description ?? '' },
      ]}
      onClose={onClose}
    />
  );
}
