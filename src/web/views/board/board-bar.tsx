import { X } from '../../ui/icons.ts';
import { useCallback, useDeferredValue, useMemo } from 'react';
import type { ReactElement } from 'react';
import type { Dimension } from '../../api/task-filter.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { filterFromQuery, filterToQuery } from '../../filters/filter-state.ts';
import type { FilterState } from '../../filters/filter-state.ts';
import { FilterTools } from '../../filters/filter-tools.tsx';
import { useQuery, useQueryValue } from '../../shell/query-state.ts';
import { Button } from '../../ui/button.tsx';
import { Toolbar } from '../../ui/page.tsx';
import ui from '../../ui/ui.module.css';
import styles from './board.module.css';
import { groupings } from './groups.ts';
import type { Grouping } from './groups.ts';
import type { CardSelection } from './selection.ts';

export const orders = { hand: 'By hand', urgency: 'By priority and date' } as const;
export type Order = keyof typeof orders;

export interface BoardQuery {
  readonly state: FilterState;
  /** The state that the cards are filtered by. */
  readonly filter: FilterState;
  readonly setFilter: (part: Partial<FilterState>) => void;
  readonly group: Grouping;
  readonly setGroup: (group: Grouping) => void;
  readonly order: Order;
  readonly setOrder: (order: Order) => void;
}

const stateOf = (search: string): FilterState => filterFromQuery(new URLSearchParams(search));

/** The board's filters and grouping in the address. */
export function useBoardQuery(): BoardQuery {
  const [query, change] = useQuery();
  const [group, setGroup] = useQueryValue<Grouping>('group', 'none');
  const [order, setOrder] = useQueryValue<Order>('order', 'hand');
  const search = filterToQuery(new URLSearchParams(), filterFromQuery(query)).toString();
  // Typing has precedence: filtering thousands of cards has lower priority.
  const typed = useDeferredValue(search);
  const setFilter = useCallback(
    (part: Partial<FilterState>) => change((now) => void filterToQuery(now, { ...filterFromQuery(now), ...part })),
    [change],
  );
  return {
    state: useMemo(() => stateOf(search), [search]),
    filter: useMemo(() => stateOf(typed), [typed]),
    setFilter,
    group: group in groupings ? group : 'none',
    setGroup,
    order: order in orders ? order : 'hand',
    setOrder,
  };
}

const common: readonly Dimension[] = ['priority', 'goal', 'assignee', 'tag'];

export function BoardBar({
  projectId,
  query,
  tasks,
  selection,
}: {
  readonly projectId: string;
  readonly query: BoardQuery;
  readonly tasks: readonly TaskRow[];
  readonly selection: CardSelection;
}): ReactElement {
  return (
    <Toolbar>
      <h1 className="visually-hidden">Board</h1>
      <FilterTools {...{ projectId, tasks, common }} state={query.state} onChange={query.setFilter} without="status" />
      <span className={ui['space']} />
      {selection.ids.size === 0 ? null : (
        <Button small look="plain" onClick={selection.clear}>
          {selection.ids.size} selected <X size={13} aria-hidden />
        </Button>
      )}
      <Select name="Order" value={query.order} choices={orders} onChange={query.setOrder} />
      <Select name="Group" value={query.group} choices={groupings} onChange={query.setGroup} />
    </Toolbar>
  );
}

function Select<V extends string>({
  name,
  value,
  choices,
  onChange,
}: {
  readonly name: string;
  readonly value: V;
  readonly choices: Readonly<Record<V, string>>;
  readonly onChange: (value: V) => void;
}): ReactElement {
  return (
    <label className={styles['group']}>
      <span className="visually-hidden">{name}</span>
      <select value={value} onChange={({ target }) => onChange(target.value as V)}>
        {Object.entries<string>(choices).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
