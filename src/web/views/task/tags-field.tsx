import { X } from '../../ui/icons.ts';
import { useId, useState } from 'react';
import type { ReactElement } from 'react';
import { useTags } from '../../api/tags.ts';
import type { TaskDetail } from '../../api/tasks.ts';
import { TagBadge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import styles from './task.module.css';

export interface TagsFieldProps {
  readonly projectId: string;
  readonly tags: TaskDetail['tags'];
  /** Names; unknown ones are created. */
  readonly onChange: (names: readonly string[]) => void;
}

export function TagsField({ projectId, tags, onChange }: TagsFieldProps): ReactElement {
  const { data: known = [] } = useTags(projectId);
  const [typed, setTyped] = useState('');
  const id = useId();
  const names = tags.map(({ name }) => name);
  const add = (): void => {
    const name = typed.trim();
    setTyped('');
    if (name !== '' && !names.includes(name)) onChange([...names, name]);
  };
  return (
    <div className={styles['tags']}>
      <label htmlFor={id}>Tags</label>
      <div className={styles['tagLine']}>
        {tags.map((tag) => (
          <span key={tag.id} className={styles['tag']}>
            <TagBadge name={tag.name} color={tag.color} />
            <IconButton
              small
              label={`Remove ${tag.name}`}
              icon={<X size={12} />}
              onClick={() => onChange(names.filter((name) => name !== tag.name))}
            />
          </span>
        ))}
        <input
          id={id}
          list={`${id}-known`}
          value={typed}
          placeholder="Add a tag"
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
          onBlur={add}
        />
        <datalist id={`${id}-known`}>
          {known.map(({ id: tag, name }) => (
            <option key={tag} value={name} />
          ))}
        </datalist>
      </div>
    </div>
  );
}
