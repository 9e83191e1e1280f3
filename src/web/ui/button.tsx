import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { classes } from './class-names.ts';
import { Tip } from './tip.tsx';
import styles from './ui.module.css';

export interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'danger' | 'ghost';
  readonly small?: boolean;
}

export function Button({
  look = 'plain',
  small = false,
  className,
  type = 'button',
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button
      type={type}
      className={classes(styles['button'], look !== 'plain' && styles[look], small && styles['small'], className)}
      {...rest}
    />
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'aria-label'> {
  /** The label for screen readers and the tooltip. */
  readonly label: string;
  readonly icon: ReactNode;
  /** The keyboard shortcut. */
  readonly keys?: string;
}

/** An icon button with a tooltip. */
export function IconButton({ label, icon, keys, look = 'ghost', className, ...rest }: IconButtonProps): ReactElement {
  return (
    <Tip text={label} {...(keys === undefined ? {} : { keys })}>
      <Button look={look} aria-label={label} className={classes(styles['icon'], className)} {...rest}>
        {icon}
      </Button>
    </Tip>
  );
}
