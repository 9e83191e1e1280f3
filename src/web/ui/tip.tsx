import * as Tooltip from '@radix-ui/react-tooltip';
import type { ReactElement } from 'react';
import styles from './ui.module.css';

export interface TipProps {
  readonly text: string;
  readonly keys?: string;
  readonly children: ReactElement;
}

/** True if the latest action of the user moved the focus. */
let isFocusMoved = false;
document.addEventListener('keydown', ({ key }) => (isFocusMoved = key === 'Tab' || key.startsWith('Arrow')), true);
document.addEventListener('pointerdown', () => (isFocusMoved = false), true);

/** A tooltip. A dialog that closes returns the focus: that opens no tooltip, because nothing would close it. */
export function Tip({ text, keys, children }: TipProps): ReactElement {
  return (
    <Tooltip.Root delayDuration={400}>
      <Tooltip.Trigger
        asChild
        onFocus={(event) => {
          if (!isFocusMoved) event.preventDefault();
        }}
      >
        {children}
      </Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className={styles['tooltip']} sideOffset={6} collisionPadding={8}>
          {text}
          {keys === undefined ? null : <> · {keys}</>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
