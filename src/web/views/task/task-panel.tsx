import * as Dialog from '@radix-ui/react-dialog';
import { useRef } from 'react';
import type { ReactElement } from 'react';
import { useTask } from '../../api/tasks.ts';
import { useShownRecord } from '../../live/use-presence.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { useOpened } from '../../shell/recent.ts';
import { isDeleted } from '../../ui/is-deleted.ts';
import { Loaded } from '../../ui/states.tsx';
import { DeletedTask } from './deleted-task.tsx';
import { TaskBody } from './task-body.tsx';
import { TaskHead } from './task-head.tsx';
import styles from './task.module.css';

export interface TaskPanelProps {
  readonly projectId: string;
}

/** The task in the address, next to the open view, which stays usable; Escape closes the panel. */
export function TaskPanel({ projectId }: TaskPanelProps): ReactElement {
  const { taskId, close } = useOpenTask();
  return (
    <Dialog.Root open={taskId !== undefined} onOpenChange={(open) => !open && close()} modal={false}>
      {taskId === undefined ? null : <Panel key={taskId} projectId={projectId} taskId={taskId} onClose={close} />}
    </Dialog.Root>
  );
}

function Panel({
  projectId,
  taskId,
  onClose,
}: {
  readonly projectId: string;
  readonly taskId: string;
  readonly onClose: () => void;
}): ReactElement {
  const task = useTask(projectId, taskId);
  const onInput = useShownRecord(projectId, taskId);
  useOpened(projectId, 'task', taskId, task.data?.label);
  const formerFocus = useRef(document.activeElement);
  return (
    <Dialog.Portal>
      <Dialog.Content
        className={styles['panel']}
        data-printed
        data-task={taskId}
        onInput={onInput}
        aria-describedby={undefined}
        onInteractOutside={(event) => event.preventDefault()}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          if (formerFocus.current instanceof HTMLElement) formerFocus.current.focus();
        }}
      >
        <Dialog.Title className="visually-hidden">{task.data?.label ?? 'Task'}</Dialog.Title>
        <Loaded of={task}>
          {(shown) =>
            isDeleted(task) ? (
              <DeletedTask task={shown} onClose={onClose} />
            ) : (
              <>
                <TaskHead task={shown} onClose={onClose} />
                <TaskBody task={shown} />
              </>
            )
          }
        </Loaded>
      </Dialog.Content>
    </Dialog.Portal>
  );
}
