import type { ReactElement } from 'react';
import type { Dimension } from '../../api/task-filter.ts';
import { FilterTools } from '../../filters/filter-tools.tsx';
import type { FilterToolsProps } from '../../filters/filter-tools.tsx';
import { Toolbar } from '../../ui/page.tsx';
import ui from '../../ui/ui.module.css';
import styles from './list.module.css';

const common: readonly Dimension[] = ['status', 'priority', 'goal', 'assignee', 'tag', 'due'];

/** The filters of the list. */
export function ListBar({
  shown,
  ...props
}: Omit<FilterToolsProps, 'common'> & { readonly shown: number }): ReactElement {
  const { tasks } = props;
  return (
    <Toolbar>
      <FilterTools {...props} common={common} />
      <span className={ui['space']} />
      <span className={styles['shown']} role="status">
        {shown === tasks.length ? counted(shown) : `${shown.toLocaleString()} of ${counted(tasks.length)}`}
      </span>
    </Toolbar>
  );
}

const counted = (count: number): string => (count === 1 ? '1 task' : `${count.toLocaleString()} tasks`);
