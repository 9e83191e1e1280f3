import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import styles from './canvas.module.css';

export interface UnplacedProps {
  readonly count: number;
  readonly onKeep: () => void;
  readonly onArrange: () => void;
}

/** A notice about tasks without a saved position, with actions. */
export function Unplaced({ count, onKeep, onArrange }: UnplacedProps): ReactElement {
  return (
    <div className={styles['notice']} role="status">
      <span>{count === 1 ? '1 task has' : `${count} tasks have`} no saved position yet.</span>
      <Button small onClick={onKeep}>
        Keep them as shown
      </Button>
      <Button small onClick={onArrange}>
        Arrange…
      </Button>
    </div>
  );
}
