import { X } from '../ui/icons.ts';
import type { ReactElement, ReactNode } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { Empty, Skeleton } from '../ui/states.tsx';
import styles from './shell.module.css';
import { useOpenTask } from '../shell/open-task.ts';

/** The place of the task panel until its code is there. */
export function PanelPlaceholder(): ReactElement {
  const { close } = useOpenTask();
  return (
    <Panel onClose={close}>
      <Skeleton view="panel" />
    </Panel>
  );
}

/** The task panel after an error: the view next to it continues to work. */
export function FailedPanel({
  error,
  onClose,
}: {
  readonly error: unknown;
  readonly onClose: () => void;
}): ReactElement {
  return (
    <Panel onClose={onClose}>
      <div role="alert">
        <Empty
          title="This task could not be drawn"
          actions={<Button onClick={() => window.location.reload()}>Load the page again</Button>}
        >
          {error instanceof Error ? error.message : 'No reason was given.'}
        </Empty>
      </div>
    </Panel>
  );
}

function Panel({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }): ReactElement {
  return (
    <aside className={styles['panel']} aria-label="Task">
      <div className={styles['panelHead']}>
        <IconButton label="Close" icon={<X size={16} />} onClick={onClose} />
      </div>
      {children}
    </aside>
  );
}
