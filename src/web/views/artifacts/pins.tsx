import type { ReactElement } from 'react';
import type { Pin } from '../../anchors/pins.ts';
import { classes } from '../../ui/class-names.ts';
import styles from './artifacts.module.css';

export interface PinsProps {
  readonly pins: readonly (Pin & { readonly id: string })[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  /** Called with the position while a pin is being placed. */
  readonly onPlace: ((pin: Pin) => void) | undefined;
}

/** Numbered pins over a page. */
export function Pins({ pins, chosen, onChoose, onPlace }: PinsProps): ReactElement {
  return (
    <>
      {onPlace === undefined ? null : (
        <button
          type="button"
          autoFocus
          className={styles['sheet']}
          aria-label="Place a pin here"
          onClick={({ clientX, clientY, currentTarget, detail }) => {
            const box = currentTarget.getBoundingClientRect();
            // A key press has no position: use the visible centre.
            if (detail === 0) onPlace({ x: 50, y: 50 });
            else onPlace({ x: ((clientX - box.left) / box.width) * 100, y: ((clientY - box.top) / box.height) * 100 });
          }}
        />
      )}
      {pins.map(({ id, x, y }, at) => (
        <button
          key={id}
          type="button"
          className={classes(styles['pin'], id === chosen && styles['pinChosen'])}
          style={{ left: `${x}%`, top: `${y}%` }}
          aria-label={`Annotation ${at + 1}`}
          aria-pressed={id === chosen}
          onClick={() => onChoose(id)}
        >
          {at + 1}
        </button>
      ))}
    </>
  );
}
