import type { ReactElement, ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import styles from './settings.module.css';

/** A section of the settings: title, description and controls. */
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
  return (
    <Card title={title} beside={action}>
      <div className={styles['section']}>
        {about === undefined ? null : <p className={styles['about']}>{about}</p>}
        {children}
      </div>
    </Card>
  );
}
