import { useState } from 'react';
import type { ReactElement } from 'react';
import type { VerificationSurface } from '../../api/goals.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import styles from './goals.module.css';
import { useTicks } from './ticks.ts';
import { redEffect } from './evidence-props.ts';
import type { EvidenceProps } from './evidence-props.ts';

type Checklist = Extract<VerificationSurface, { readonly kind: 'acceptance_checklist' }>;

/** The acceptance checklist: ticked item by item, submitted as evidence to complete the goal. */
export function ChecklistEvidence({
  surface,
  goal,
  may,
  busy,
  handIn,
}: EvidenceProps & { readonly surface: Checklist }): ReactElement {
  const { ticked, tick, clear } = useTicks(goal.id);
  const [isConfirming, setConfirming] = useState(false);
  const items = surface.items.map(({ id, criterion }) => ({ id: id ?? criterion, criterion }));
  const checked = items.filter(({ id }) => ticked.has(id));
  const complete = goal.status === 'complete';
  const submit = async (): Promise<void> => {
    const taken = await handIn({ kind: 'acceptance_checklist', checked: checked.map(({ id }) => id) });
    if (taken && checked.length === items.length) clear();
  };
  return (
    <>
      <div role="group" aria-label="Acceptance checklist">
        {items.map(({ id, criterion }) => (
          <label key={id} className={styles['check']}>
            <input
              type="checkbox"
              checked={complete || ticked.has(id)}
              disabled={!may || busy}
              onChange={({ target }) => tick(id, target.checked)}
            />
            <span>{criterion}</span>
          </label>
        ))}
      </div>
      {may ? (
        <>
          <div className={styles['row']}>
            <Button look="primary" disabled={busy || checked.length < items.length} onClick={() => void submit()}>
              Complete goal
            </Button>
            {checked.length < items.length ? (
              <Button disabled={busy} onClick={() => setConfirming(true)}>
                Report as not met…
              </Button>
            ) : null}
          </div>
          <p className={styles['facts']}>
            {checked.length} of {items.length} ticked. Ticks stay in this browser until you submit them.
          </p>
        </>
      ) : null}
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title="Report the goal as not met?"
        about={`${items.length - checked.length} of ${items.length} items are not ticked. ${redEffect}`}
        action="Block the goal"
        onConfirm={() => void submit()}
      />
    </>
  );
}
