import type { ReactElement } from 'react';
import { authorOf } from '../rest/author.ts';
import { useOthersAt } from '../live/use-presence.ts';
import { PencilLine, Users } from './icons.ts';
import styles from './ui.module.css';

/** Names the other sessions that look at a record or edit it now. It keeps its place while there are no sessions. */
export function Others({ recordId }: { readonly recordId: string }): ReactElement {
  const others = useOthersAt(recordId);
  const editing = namesOf(others.filter((each) => each.editing));
  const looking = namesOf(others.filter((each) => !each.editing)).filter((name) => !editing.includes(name));
  const text = [
    editing.length === 0 ? '' : `${listed(editing)} ${editing.length === 1 ? 'edits' : 'edit'} this`,
    looking.length === 0 ? '' : `${listed(looking)} ${looking.length === 1 ? 'looks' : 'look'} at this`,
  ]
    .filter((part) => part !== '')
    .join(', ');
  const Icon = editing.length > 0 ? PencilLine : Users;
  return (
    <span role="status" className={styles['others']} title={text}>
      {text === '' ? null : (
        <>
          <Icon size={13} aria-hidden />
          <span>{text}</span>
        </>
      )}
    </span>
  );
}

function namesOf(others: readonly { readonly author: string }[]): readonly string[] {
  return [...new Set(others.map(({ author }) => authorOf(author).name))];
}

const namesShown = 2;

function listed(names: readonly string[]): string {
  if (names.length <= namesShown) return names.join(' and ');
  return `${names.slice(0, namesShown).join(', ')} and ${names.length - namesShown} more`;
}
