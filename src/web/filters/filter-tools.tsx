import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../api/cache.ts';
import { choosableGoals, useGoals } from '../api/goals.ts';
import { useTags } from '../api/tags.ts';
import { dimensions, keyOfFilter, operatorsOf } from '../api/task-filter.ts';
import type { Dimension, Filters, Operator } from '../api/task-filter.ts';
import { assigneesOf, kinds, lanes, priorities, severities, statuses, statusNames } from '../api/tasks.ts';
import type { TaskRow } from '../api/tasks.ts';
import { capitalised } from '../rest/field-names.ts';
import { Button } from '../ui/button.tsx';
import type { Choice } from '../ui/field.tsx';
import { FilterMenu } from '../ui/filter-menu.tsx';
import { ChevronDown, X } from '../ui/icons.ts';
import { Menu } from '../ui/menu.tsx';
import { DescriptionsToggle, SearchField } from '../ui/search-field.tsx';
import { goalName } from '../ui/target.tsx';
import { isFiltered, noFilters } from './filter-state.ts';
import type { FilterState } from './filter-state.ts';
import { RangeDialog, rangeName, ranges } from './ranges.tsx';

export interface FilterToolsProps {
  readonly projectId: string;
  readonly tasks: readonly TaskRow[];
  readonly state: FilterState;
  /** The source of the text: a new one resets the field. */
  readonly origin?: string;
  readonly onChange: (part: Partial<FilterState>) => void;
  /** Offered in any case; the others by a menu. */
  readonly common: readonly Dimension[];
  /** Not offered. */
  readonly without?: Dimension;
}

/** The filters of a view: words, and a chip for each field that is filtered, with its operator. */
export function FilterTools({
  projectId,
  tasks,
  state,
  origin = '',
  onChange,
  common,
  without,
}: FilterToolsProps): ReactElement {
  const { filters } = state;
  const choices = useChoices(projectId, tasks, filters);
  const [clears, setClears] = useState(0);
  const [added, setAdded] = useState<readonly Dimension[]>([]);
  const [between, setBetween] = useState<Dimension | undefined>(undefined);
  const operatorNow = (dimension: Dimension): Operator =>
    operatorsOf(dimension).find((operator) => filters[keyOfFilter(dimension, operator)] !== undefined) ?? 'any';
  const valuesNow = (dimension: Dimension): readonly string[] =>
    filters[keyOfFilter(dimension, operatorNow(dimension))] ?? [];
  const set = (dimension: Dimension, operator: Operator, values: readonly string[]): void => {
    const { [keyOfFilter(dimension, operatorNow(dimension))]: _, ...others } = filters;
    onChange({ filters: values.length === 0 ? others : { ...others, [keyOfFilter(dimension, operator)]: values } });
  };
  const offered = dimensions.filter((dimension) => dimension !== without);
  const isShown = (dimension: Dimension): boolean =>
    common.includes(dimension) || added.includes(dimension) || valuesNow(dimension).length > 0;
  const more = offered.filter((dimension) => !isShown(dimension));
  return (
    <>
      <SearchField key={`${origin} ${clears}`} from={state.text} onChange={(text) => onChange({ text })} />
      <DescriptionsToggle on={state.inDescriptions} onChange={(inDescriptions) => onChange({ inDescriptions })} />
      {offered.filter(isShown).map((dimension) => {
        const operator = operatorNow(dimension);
        const operators = operatorsOf(dimension);
        const next = operators[(operators.indexOf(operator) + 1) % operators.length]!;
        return (
          <FilterMenu
            key={dimension}
            name={capitalised(dimension)}
            choices={choices[dimension]}
            chosen={valuesNow(dimension)}
            onChange={(values) => set(dimension, operator, values)}
            startsOpen={added.includes(dimension)}
            operator={operator}
            {...(next === operator ? {} : { onOperator: () => set(dimension, next, valuesNow(dimension)) })}
            {...(dimension in ranges ? { onRange: () => setBetween(dimension) } : {})}
          />
        );
      })}
      {more.length === 0 ? null : (
        <Menu
          trigger={
            <Button small look="ghost">
              More <ChevronDown size={13} aria-hidden />
            </Button>
          }
          items={more.map((dimension) => ({
            label: capitalised(dimension),
            onSelect: () => setAdded([...added, dimension]),
          }))}
        />
      )}
      {isFiltered(state) ? (
        <Button
          small
          look="ghost"
          onClick={() => {
            setClears(clears + 1);
            setAdded([]);
            onChange(noFilters);
          }}
        >
          <X size={13} aria-hidden /> Clear
        </Button>
      ) : null}
      {between === undefined ? null : (
        <RangeDialog
          name={capitalised(between)}
          onClose={() => setBetween(undefined)}
          onChoose={(range) => set(between, operatorNow(between), [...valuesNow(between), range])}
        />
      )}
    </>
  );
}

const named = (values: readonly string[], ...also: readonly Choice<string>[]): readonly Choice<string>[] => [
  ...values.map((value) => ({ value, label: capitalised(value) })),
  ...also,
];
const none = { value: 'none', label: 'None' };

function useChoices(
  projectId: string,
  tasks: readonly TaskRow[],
  filters: Filters,
): Readonly<Record<Dimension, readonly Choice<string>[]>> {
  const { data: goals } = useGoals(projectId);
  const { data: tags } = useTags(projectId);
  return useMemo(() => {
    const of = (dimension: Dimension): readonly string[] => [
      ...(filters[dimension] ?? []),
      ...(filters[`${dimension}.not`] ?? []),
    ];
    const days = (dimension: 'due' | 'updated'): readonly Choice<string>[] => [
      ...ranges[dimension],
      ...of(dimension)
        .filter((value) => !ranges[dimension].some((range) => range.value === value))
        .map((value) => ({ value, label: rangeName(value) })),
    ];
    return {
      status: statuses.map((value) => ({ value, label: statusNames[value] })),
      priority: named(priorities, none),
      goal: choosableGoals(soFar(goals), ...of('goal')).map((goal) => ({ value: goal.id, label: goalName(goal) })),
      assignee: [
        ...assigneesOf(tasks).map((name) => ({ value: name, label: name })),
        { value: 'none', label: 'Nobody' },
      ],
      tag: [...soFar(tags).map(({ name }) => ({ value: name, label: name })), none],
      due: days('due'),
      updated: days('updated'),
      blocked: [
        { value: 'yes', label: 'Waits for others' },
        { value: 'no', label: 'Waits for nothing' },
      ],
      kind: named(kinds),
      lane: named(lanes, none),
      severity: named(severities, none),
    };
  }, [tasks, goals, tags, filters]);
}
