import * as Tooltip from '@radix-ui/react-tooltip';
import type { ReactElement } from 'react';
import styles from './ui.module.css';

export interface TipProps {
  readonly text: string;
  readonly keys?: string;
  readonly children: ReactElement;
}

/** A tooltip. */
export function Tip({ text, keys, children }: TipProps): ReactElement {
  return (
    <Tooltip.Root delayDuration={400}>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className={styles['tooltip']} sideOffset={6} collisionPadding={8}>
          {text}
          {keys === undefined ? null : <> · {keys}</>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
