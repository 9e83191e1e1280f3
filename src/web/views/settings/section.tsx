import type { ReactElement, ReactNode } from 'react';
import { useId } from 'react';
import ui from '../../ui/ui.module.css';
import styles from './settings.module.css';

/** A part of the settings: what it is, what to know about it, and what can be done. */
export function Section({
  title,
  about,
  action,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const id = useId();
  return (
    <section className={ui['card']} aria-labelledby={id}>
      <div className={ui['cardHead']}>
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      <div className={`${ui['cardBody']} ${styles['section']}`}>
        {about === undefined ? null : <p className={styles['about']}>{about}</p>}
        {children}
      </div>
    </section>
  );
}
