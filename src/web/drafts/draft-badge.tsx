import { Check, CircleAlert, CloudOff, LoaderCircle, Pencil, Split } from '../ui/icons.ts';
import type { ReactElement } from 'react';
import { Button } from '../ui/button.tsx';
import type { DraftState } from './draft-keeper.ts';
import styles from './drafts.module.css';

const signs = {
  saved: [Check, 'Saved'],
  unsaved: [Pencil, 'Unsaved'],
  saving: [LoaderCircle, 'Saving…'],
  offline: [CloudOff, 'Kept in this browser: the service does not respond'],
  refused: [CircleAlert, 'Not saved'],
  conflict: [Split, 'Changed by another user: choose below'],
} as const;

/** The state of a draft. */
export function DraftBadge({
  state,
  onRetry,
}: {
  readonly state: DraftState;
  readonly onRetry: () => void;
}): ReactElement {
  const [Icon, text] = signs[state.kind];
  return (
    <span className={styles['badge']} data-state={state.kind}>
      <span role="status" className={styles['state']}>
        <Icon size={13} aria-hidden />
        {text}
        {state.kind === 'refused' ? `: ${state.message}` : ''}
      </span>
      {state.kind === 'refused' || state.kind === 'offline' ? (
        <Button small onClick={onRetry}>
          Try again
        </Button>
      ) : null}
    </span>
  );
}
