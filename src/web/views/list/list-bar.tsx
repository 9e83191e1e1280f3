import { X } from '../../ui/icons.ts';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTags } from '../../api/tags.ts';
import { choosableGoals } from '../../api/goals.ts';
import type { GoalRow } from '../../api/goals.ts';
import { priorities, statuses, statusNames } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { Button } from '../../ui/button.tsx';
import { FilterMenu } from '../../ui/filter-menu.tsx';
import type { Choice } from '../../ui/field.tsx';
import { goalName } from '../../ui/target.tsx';
import { kindNames, laneNames, priorityNames, severityNames } from './columns.ts';
import { DescriptionsToggle, SearchField } from '../../ui/search-field.tsx';
import styles from './list.module.css';
import { filterCount } from './list-state.ts';
import type { Dimension, ListState } from './list-state.ts';

export interface ListBarProps {
  readonly projectId: string;
  readonly tasks: readonly TaskRow[];
  readonly goals: readonly GoalRow[];
  readonly state: ListState;
  /** The source of the filter's text: a new source resets the field. */
  readonly origin: string;
  readonly onChange: (part: Partial<ListState>) => void;
  readonly shown: number;
}

/** The filters of the list. */
export function ListBar(props: ListBarProps): ReactElement {
  const { state, origin, onChange, tasks, shown } = props;
  const [clears, setClears] = useState(0);
  const filters = useFilters(props);
  const set = (name: Dimension, values: readonly string[]): void => {
    const { [name]: _, ...others } = state.filters;
    onChange({ filters: values.length === 0 ? others : { ...others, [name]: values } });
  };
  return (
    <div className={styles['bar']} role="toolbar" aria-label="Filters">
      <SearchField key={`${origin} ${clears}`} from={state.text} onChange={(text) => onChange({ text })} />
      <DescriptionsToggle on={state.inDescriptions} onChange={(inDescriptions) => onChange({ inDescriptions })} />
      {filters.map(({ dimension, name, choices }) => (
        <FilterMenu
          key={dimension}
          name={name}
          choices={choices}
          chosen={state.filters[dimension] ?? []}
          onChange={(values) => set(dimension, values)}
        />
      ))}
      {filterCount(state) === 0 ? null : (
        <Button
          small
          look="ghost"
          onClick={() => {
            setClears(clears + 1);
            onChange({ text: '', inDescriptions: false, filters: {} });
          }}
        >
          <X size={13} aria-hidden /> Clear
        </Button>
      )}
      <span className={styles['space']} />
      <span className={styles['shown']} role="status">
        {shown === tasks.length ? counted(shown) : `${shown.toLocaleString('en')} of ${counted(tasks.length)}`}
      </span>
    </div>
  );
}

const counted = (count: number): string => (count === 1 ? '1 task' : `${count.toLocaleString('en')} tasks`);

interface Filter {
  readonly dimension: Dimension;
  readonly name: string;
  readonly choices: readonly Choice<string>[];
}

const named = (names: Readonly<Record<string, string>>, order = Object.keys(names)): readonly Choice<string>[] =>
  order.map((value) => ({ value, label: names[value] ?? value }));
const none = { value: 'none', label: 'None' };

const noGoals: readonly string[] = [];

function useFilters({ projectId, tasks, goals: all, state }: ListBarProps): readonly Filter[] {
  const { data: tags } = useTags(projectId);
  const { goal: chosen = noGoals } = state.filters;
  const goals = useMemo(() => choosableGoals(all, ...chosen), [all, chosen]);
  return useMemo(() => {
    const people = [...new Set(tasks.map(({ assignee }) => assignee).filter((name) => name !== null))].sort();
    const tagNames = (tags ?? []).map(({ name }) => name).sort();
    return [
      { dimension: 'status', name: 'Status', choices: named(statusNames, [...statuses]) },
      { dimension: 'priority', name: 'Priority', choices: [...named(priorityNames, [...priorities]), none] },
      { dimension: 'goal', name: 'Goal', choices: goals.map((goal) => ({ value: goal.id, label: goalName(goal) })) },
      {
        dimension: 'assignee',
        name: 'Assignee',
        choices: [...people.map((name) => ({ value: name, label: name })), { value: 'none', label: 'Nobody' }],
      },
      { dimension: 'tag', name: 'Tag', choices: tagNames.map((name) => ({ value: name, label: name })) },
      {
        dimension: 'blocked',
        name: 'Blocked',
        choices: [
          { value: 'yes', label: 'Waits for others' },
          { value: 'no', label: 'Waits for nothing' },
        ],
      },
      { dimension: 'kind', name: 'Kind', choices: named(kindNames) },
      { dimension: 'lane', name: 'Lane', choices: [...named(laneNames), none] },
      { dimension: 'severity', name: 'Severity', choices: [...named(severityNames), none] },
    ];
  }, [tasks, goals, tags]);
}
