import type { ReactElement, ReactNode } from 'react';
import { useState } from 'react';
import styles from './open-head.module.css';

export interface OpenHeadProps {
  readonly title: string;
  readonly onTitle: (title: string) => void;
  readonly onBlur?: () => void;
  /** Details below the title. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** True if the record is new and needs a name. */
  readonly isNew?: boolean;
}

/** The editable title of the open record, with its actions. */
export function OpenHead({ title, onTitle, onBlur, about, actions, isNew = false }: OpenHeadProps): ReactElement {
  // A title is never blank: while the field is blank, the last title is kept.
  const [blank, setBlank] = useState<string | undefined>(undefined);
  return (
    <header className={styles['head']}>
      <div className={styles['line']}>
        <div className={styles['about']}>{about}</div>
        {actions}
      </div>
      <h1 className={styles['titleLine']}>
        <input
          className={styles['title']}
          dir="auto"
          aria-label="Title"
          maxLength={500}
          value={blank ?? title}
          autoFocus={isNew}
          onFocus={(event) => isNew && event.target.select()}
          onChange={({ target: { value } }) => {
            if (value.trim() === '') return setBlank(value);
            setBlank(undefined);
            onTitle(value);
          }}
          onBlur={() => {
            setBlank(undefined);
            onBlur?.();
          }}
        />
      </h1>
    </header>
  );
}
