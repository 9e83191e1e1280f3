import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { soFar } from '../../api/cache.ts';
import { choosableGoals, useGoals } from '../../api/goals.ts';
import { matcher } from '../../api/task-filter.ts';
import { assigneesOf, priorities, statuses, statusNames } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useClearQuery, useQueryList, useQueryValue } from '../../shell/query-state.ts';
import { Button } from '../../ui/button.tsx';
import { FilterMenu } from '../../ui/filter-menu.tsx';
import { goalName } from '../../ui/target.tsx';
import styles from './canvas.module.css';
import { colourings, tonesOf } from './model/tones.ts';
import type { Colouring, Tones } from './model/tones.ts';
import { capitalised } from '../../rest/field-names.ts';

export interface CanvasFilter {
  /** The tasks that match; undefined if nothing is filtered. */
  readonly shown: ReadonlySet<string> | undefined;
  readonly tones: Tones;
  readonly hasFrames: boolean;
  /** The names of goals, by id. */
  readonly goals: ReadonlyMap<string, string>;
  readonly bar: ReactElement;
}

/** The filter of the canvas and the meaning of its colours, in the address. */
export function useCanvasFilter(projectId: string, tasks: readonly TaskRow[]): CanvasFilter {
  const rows = soFar(useGoals(projectId).data);
  const [goal, setGoal] = useQueryList('goal');
  const [assignee, setAssignee] = useQueryList('assignee');
  const [priority, setPriority] = useQueryList('priority');
  const [status, setStatus] = useQueryList('status');
  const [colour, setColour] = useQueryValue<Colouring>('colour', 'status');
  const [frames, setFrames] = useQueryValue<'none' | 'goal'>('frames', 'none');
  const clear = useClearQuery('goal', 'assignee', 'priority', 'status');
  const isActive = goal.length + assignee.length + priority.length + status.length > 0;
  const key = JSON.stringify({ filters: { goal, assignee, priority, status } });
  const shown = useMemo(
    () =>
      isActive
        ? new Set(tasks.filter(matcher(JSON.parse(key) as Parameters<typeof matcher>[0])).map(({ id }) => id))
        : undefined,
    [isActive, key, tasks],
  );
  const goals = useMemo(() => new Map(rows.map((each) => [each.id, goalName(each)])), [rows]);
  const tones = useMemo(() => tonesOf(colour, tasks, goals), [colour, tasks, goals]);
  const people = assigneesOf(tasks);
  const none = { value: 'none', label: 'None' };
  const bar = (
    <div role="toolbar" aria-label="Filters and colours" className={styles['tools']}>
      <FilterMenu
        name="Goal"
        choices={choosableGoals(rows, ...goal).map((each) => ({ value: each.id, label: goalName(each) }))}
        chosen={goal}
        onChange={setGoal}
      />
      <FilterMenu
        name="Assignee"
        choices={[...people.map((name) => ({ value: name, label: name })), none]}
        chosen={assignee}
        onChange={setAssignee}
      />
      <FilterMenu
        name="Priority"
        choices={[...priorities.map((each) => ({ value: each, label: capitalised(each) })), none]}
        chosen={priority}
        onChange={setPriority}
      />
      <FilterMenu
        name="Status"
        choices={statuses.map((each) => ({ value: each, label: statusNames[each] }))}
        chosen={status}
        onChange={setStatus}
      />
      {isActive ? (
        <Button small look="ghost" onClick={clear}>
          Clear
        </Button>
      ) : null}
      <span className={styles['divide']} />
      <label className={styles['choice']}>
        Colour
        <select value={tones.by} onChange={({ target }) => setColour(target.value as Colouring)}>
          {Object.entries(colourings).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Button
        small
        look="ghost"
        className={styles['toggle']}
        aria-pressed={frames === 'goal'}
        title="Frames around the tasks of each goal; automatic arrangement then keeps goals together"
        onClick={() => setFrames(frames === 'goal' ? 'none' : 'goal')}
      >
        Frames by goal
      </Button>
    </div>
  );
  return { shown, tones, hasFrames: frames === 'goal', goals, bar };
}
