import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';
import ui from './ui.module.css';

/** A part of a view with a heading and actions. */
export function Card({
  title,
  beside,
  flush = false,
  children,
}: {
  readonly title: string;
  readonly beside?: ReactNode;
  /** True if its rows reach its borders. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const id = useId();
  return (
    <section className={ui['card']} aria-labelledby={id}>
      <div className={ui['cardHead']}>
        <h2 id={id}>{title}</h2>
        {beside}
      </div>
      {flush ? children : <div className={ui['cardBody']}>{children}</div>}
    </section>
  );
}
