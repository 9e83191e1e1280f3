import { X } from '../../ui/icons.ts';
import { useDeferredValue, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { choosableGoals, useGoals } from '../../api/goals.ts';
import { useTags } from '../../api/tags.ts';
import type { TaskFilter } from '../../api/task-filter.ts';
import { priorities } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useClearQuery, useQueryList, useQueryValue } from '../../shell/query-state.ts';
import { Button } from '../../ui/button.tsx';
import { FilterMenu } from '../../ui/filter-menu.tsx';
import { DescriptionsToggle, SearchField } from '../../ui/search-field.tsx';
import { goalName } from '../../ui/target.tsx';
import styles from './board.module.css';
import { groupings } from './groups.ts';
import type { Grouping } from './groups.ts';
import type { CardSelection } from './selection.ts';
import { capitalised } from '../../rest/field-names.ts';

export const orders = { hand: 'By hand', urgency: 'By priority and date' } as const;
export type Order = keyof typeof orders;

type ListState = ReturnType<typeof useQueryList>;

export interface BoardQuery {
  readonly filter: TaskFilter & { readonly text: string };
  readonly group: Grouping;
  readonly text: readonly [string, (value: string) => void];
  /** True if the text may be in descriptions, too. */
  readonly inDescriptions: readonly [boolean, (on: boolean) => void];
  readonly lists: Readonly<Record<'tag' | 'priority' | 'goal' | 'assignee', ListState>>;
  readonly setGroup: (group: Grouping) => void;
  readonly order: Order;
  readonly setOrder: (order: Order) => void;
}

/** The board's filters and grouping in the address. */
export function useBoardQuery(): BoardQuery {
  const text = useQueryValue<string>('q', '');
  const [textIn, setTextIn] = useQueryValue<'labels' | 'descriptions'>('in', 'labels');
  const tag = useQueryList('tag');
  const priority = useQueryList('priority');
  const goal = useQueryList('goal');
  const assignee = useQueryList('assignee');
  const [group, setGroup] = useQueryValue<Grouping>('group', 'none');
  const [order, setOrder] = useQueryValue<Order>('order', 'hand');
  // Typing has precedence: filtering thousands of cards has lower priority.
  const typed = useDeferredValue(text[0]);
  const key = JSON.stringify([typed, tag[0], priority[0], goal[0], assignee[0]]);
  const filter = useMemo(() => {
    const [words, tags, of, goals, people] = JSON.parse(key) as [string, string[], string[], string[], string[]];
    return { text: words, tags, priority: of, goal: goals, assignee: people };
  }, [key]);
  return {
    filter,
    group: group in groupings ? group : 'none',
    text,
    inDescriptions: [textIn === 'descriptions', (on) => setTextIn(on ? 'descriptions' : 'labels')],
    lists: { tag, priority, goal, assignee },
    setGroup,
    order: order in orders ? order : 'hand',
    setOrder,
  };
}

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
  const { data: goals = [] } = useGoals(projectId);
  const { data: tags = [] } = useTags(projectId);
  const people = useMemo(
    () => [...new Set(tasks.map(({ assignee }) => assignee).filter((name) => name !== null))].sort(),
    [tasks],
  );
  const [text, setText] = query.text;
  const { tag, priority, goal, assignee } = query.lists;
  const active = text !== '' || [tag, priority, goal, assignee].some(([chosen]) => chosen.length > 0);
  const clearQuery = useClearQuery('q', 'in', 'tag', 'priority', 'goal', 'assignee');
  const [clears, setClears] = useState(0);
  const clear = (): void => {
    clearQuery();
    setClears(clears + 1);
  };
  return (
    <div className={styles['bar']} role="toolbar" aria-label="Filters">
      <h1 className="visually-hidden">Board</h1>
      <SearchField key={clears} from={text} onChange={setText} />
      <DescriptionsToggle on={query.inDescriptions[0]} onChange={query.inDescriptions[1]} />
      <FilterMenu
        name="Goal"
        choices={choosableGoals(goals, ...goal[0]).map((each) => ({ value: each.id, label: goalName(each) }))}
        chosen={goal[0]}
        onChange={goal[1]}
      />
      <FilterMenu
        name="Tag"
        choices={tags.map(({ name }) => ({ value: name, label: name }))}
        chosen={tag[0]}
        onChange={tag[1]}
      />
      <FilterMenu
        name="Priority"
        choices={[
          ...priorities.map((each) => ({ value: each, label: capitalised(each) })),
          { value: 'none', label: 'None' },
        ]}
        chosen={priority[0]}
        onChange={priority[1]}
      />
      <FilterMenu
        name="Assignee"
        choices={[...people.map((name) => ({ value: name, label: name })), { value: 'none', label: 'Nobody' }]}
        chosen={assignee[0]}
        onChange={assignee[1]}
      />
      {active ? (
        <Button small look="ghost" onClick={clear}>
          <X size={13} aria-hidden /> Clear
        </Button>
      ) : null}
      <span className={styles['space']} />
      {selection.ids.size === 0 ? null : (
        <Button small look="plain" onClick={selection.clear}>
          {selection.ids.size} selected <X size={13} aria-hidden />
        </Button>
      )}
      <Select name="Order" value={query.order} choices={orders} onChange={query.setOrder} />
      <Select name="Group" value={query.group} choices={groupings} onChange={query.setGroup} />
    </div>
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
