import type { ReactElement } from 'react';
import { useCodeState } from '../loading/code.ts';
import { Button } from '../ui/button.tsx';
import styles from './shell.module.css';

const texts = {
  new: 'A new version of Planner is ready.',
  missing: 'A part of the page does not load. It is retried.',
} as const;

/** Says that this page is older than the service, or incomplete. The page stays as it is until the person reloads it. */
export function CodeBar(): ReactElement {
  const state = useCodeState();
  const shown = state === 'new' || state === 'missing';
  return (
    <div role="status" className={styles['notices']}>
      {shown ? (
        <div className={styles['notice']}>
          <span>{texts[state]}</span>
          <Button small look="primary" onClick={() => window.location.reload()}>
            Reload
          </Button>
        </div>
      ) : null}
    </div>
  );
}
