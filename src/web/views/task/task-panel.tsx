import * as Dialog from '@radix-ui/react-dialog';
import { useEffect, useRef } from 'react';
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
  const { taskId, isPeeked, close } = useOpenTask();
  const content = useRef<HTMLDivElement>(null);
  const formerFocus = useRef<Element>(null);
  useEffect(() => {
    // The focused control may have gone with the task that was open before.
    if (document.activeElement === document.body) content.current?.focus();
  }, [taskId]);
  return (
    <Dialog.Root open={taskId !== undefined} onOpenChange={(open) => !open && close()} modal={false}>
      {taskId === undefined ? null : (
        <Dialog.Portal>
          <Dialog.Content
            ref={content}
            className={styles['panel']}
            data-printed
            data-task={taskId}
            aria-describedby={undefined}
            onInteractOutside={(event) => event.preventDefault()}
            onOpenAutoFocus={(event) => {
              formerFocus.current = document.activeElement;
              if (isPeeked) event.preventDefault();
            }}
            onCloseAutoFocus={(event) => {
              event.preventDefault();
              if (formerFocus.current instanceof HTMLElement) formerFocus.current.focus();
            }}
          >
            <Shown key={taskId} {...{ projectId, taskId }} onClose={close} />
          </Dialog.Content>
        </Dialog.Portal>
      )}
    </Dialog.Root>
  );
}

function Shown({
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
  return (
    <div className={styles['shown']} onInput={onInput}>
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
    </div>
  );
}
