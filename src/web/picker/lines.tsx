import { Command } from 'cmdk';
import { useEffect, useState } from 'react';
import type { ComponentType, ReactElement, ReactNode } from 'react';
import { dayOf } from '../../base/day-words.ts';
import { soFar } from '../api/cache.ts';
import { useBulkChange, useChangeTasks } from '../api/bulk.ts';
import type { TaskFields } from '../api/bulk.ts';
import { useCreateEdge, useDeleteEdge, useEdges, useTaskGraph } from '../api/canvas.ts';
import { choosableGoals, useGoals } from '../api/goals.ts';
import { newestRun, useAnswerRun, useRuns } from '../api/runs.ts';
import type { RunRow } from '../api/runs.ts';
import { useTags } from '../api/tags.ts';
import { kinds, lanes, priorities, severities, statuses, statusNames, useDeleteTask } from '../api/tasks.ts';
import type { TaskRow } from '../api/tasks.ts';
import { hasWordsOf } from '../api/words.ts';
import { capitalised } from '../rest/field-names.ts';
import { Keys } from '../shell/keys.tsx';
import { useOpenTask } from '../shell/open-task.ts';
import { TagBadge } from '../ui/badge.tsx';
import { classes } from '../ui/class-names.ts';
import { Check, ExternalLink, Minus, Trash2 } from '../ui/icons.ts';
import { Initials } from '../ui/initials.tsx';
import { LazyMarkdownView } from '../ui/markdown/lazy.tsx';
import { PriorityIcon } from '../ui/priority-icon.tsx';
import { Skeleton } from '../ui/states.tsx';
import { StatusIcon } from '../ui/status-icon.tsx';
import { goalName } from '../ui/target.tsx';
import { today } from '../ui/time.tsx';
import { fieldIcons } from './field-icons.tsx';
import { fieldNames, pickedFields } from './fields.ts';
import type { PickedField } from './fields.ts';
import { closePicker, openPicker } from './picking.ts';
import type { Picking } from './picking.ts';
import styles from './picker.module.css';

export interface LinesProps {
  readonly projectId: string;
  readonly picking: Picking;
  readonly tasks: readonly TaskRow[];
  readonly typed: string;
  /** Called when a line was chosen and the picker stays open. */
  readonly onStay: () => void;
  /** Marks a line: Enter chooses it. */
  readonly onMark: (line: string) => void;
}

interface Line {
  readonly id: string;
  readonly name: string;
  readonly icon?: ReactNode;
  /** The label in place of the name. */
  readonly shown?: ReactNode;
  readonly beside?: ReactNode;
  /** Whether all the tasks have the value, or some. */
  readonly on?: boolean | 'some';
  readonly isDanger?: boolean;
  readonly choose: () => void;
}

interface FieldLines extends LinesProps {
  /** The tasks to change. */
  readonly meant: readonly TaskRow[];
  readonly change: (fieldsOf: (task: TaskRow) => TaskFields) => void;
}

/** The lines of the picker: the values of a field, or the fields. */
export function Lines(props: LinesProps): ReactElement {
  const { projectId, picking, tasks } = props;
  const update = useChangeTasks(projectId);
  const ids = new Set(picking.ids);
  const meant = tasks.filter(({ id }) => ids.has(id));
  if (meant.length === 0) return <p className={styles['hint']}>The task is not there any more.</p>;
  const change = (fieldsOf: (task: TaskRow) => TaskFields): void => void update(meant, fieldsOf);
  const Values = picking.field === undefined ? All : values[picking.field];
  return <Values {...props} {...{ meant, change }} />;
}

interface ListedProps extends Pick<LinesProps, 'typed' | 'onMark'>, Partial<Pick<LinesProps, 'onStay'>> {
  readonly lines: readonly Line[];
  /** The line of a value that is typed, if no line has its name. */
  readonly made?: Line | undefined;
  readonly hint?: string;
}

/** The most lines that are drawn. */
const shownMax = 50;

/** With `onStay` several may be chosen: by the pointer or with Shift the picker stays open. */
function Listed({ lines, typed, made, onMark, onStay, hint }: ListedProps): ReactElement {
  const several = onStay !== undefined;
  const found = matching(lines, typed).slice(0, shownMax);
  const all = made === undefined ? found : [...found, made];
  const first = all[0]?.id ?? '';
  useEffect(() => onMark(first), [first, typed, onMark]);
  const [stays, setStays] = useState(false);
  return (
    <div
      onPointerDown={() => setStays(several)}
      ref={(list) => {
        // Keys are the input's, beside this list.
        const root = list?.closest('[cmdk-root]');
        const onKey = (event: Event): void => setStays(several && (event as KeyboardEvent).shiftKey);
        root?.addEventListener('keydown', onKey, true);
        return () => root?.removeEventListener('keydown', onKey, true);
      }}
    >
      {all.map((line) => (
        <Command.Item
          key={line.id}
          value={line.id}
          onSelect={() => {
            if (stays) onStay?.();
            else closePicker();
            line.choose();
          }}
        >
          {line.icon === undefined ? null : <span className={styles['icon']}>{line.icon}</span>}
          <span dir="auto" className={classes(styles['name'], line.isDanger === true && styles['danger'])}>
            {line.shown ?? line.name}
          </span>
          {line.beside === undefined ? null : <small>{line.beside}</small>}
          <Mark on={line.on} />
        </Command.Item>
      ))}
      {all.length === 0 ? <p className={styles['hint']}>{hint ?? 'No results.'}</p> : null}
      {several && all.length > 0 ? (
        <p className={classes(styles['hint'], styles['keys'])}>Shift ↵ chooses several.</p>
      ) : null}
    </div>
  );
}

function Mark({ on = false }: Pick<Line, 'on'>): ReactElement | null {
  if (on === 'some') return <Minus size={14} className={styles['some']} role="img" aria-label="Some have it" />;
  return on ? <Check size={14} className={styles['check']} role="img" aria-label="Chosen" /> : null;
}

/** The lines with every typed word. Names that begin with the text are first. */
function matching(lines: readonly Line[], typed: string): readonly Line[] {
  const text = typed.trim().toLowerCase();
  if (text === '') return lines;
  const hasWords = hasWordsOf(text);
  const found = lines.filter(({ name }) => hasWords(name));
  const begins = ({ name }: Line): boolean => name.toLowerCase().startsWith(text);
  return [...found.filter(begins), ...found.filter((line) => !begins(line))];
}

/** Whether all of the tasks are so, or some. */
function shareOf(tasks: readonly TaskRow[], isSo: (task: TaskRow) => boolean): boolean | 'some' {
  const count = tasks.filter(isSo).length;
  return count === tasks.length ? true : count > 0 && 'some';
}

/** The lines of a field with a few values. */
function choices<F extends 'status' | 'priority' | 'lane' | 'kind' | 'severity'>(
  field: F,
  options: readonly NonNullable<TaskRow[F]>[],
  { icon, nameOf = capitalised, none }: Choices<NonNullable<TaskRow[F]>>,
): ComponentType<FieldLines> {
  return function Choose({ meant, change, typed, onMark }) {
    const line = (value: TaskRow[F], name: string): Line => ({
      id: value ?? 'none',
      name,
      ...(icon === undefined || value === null ? {} : { icon: icon(value) }),
      on: shareOf(meant, (task) => task[field] === value),
      choose: () => change(() => ({ [field]: value })),
    });
    const lines = options.map((value) => line(value, nameOf(value)));
    return (
      <Listed {...{ typed, onMark }} lines={none === undefined ? lines : [...lines, line(null as TaskRow[F], none)]} />
    );
  };
}

interface Choices<V> {
  readonly icon?: (value: V) => ReactNode;
  readonly nameOf?: (value: V & string) => string;
  /** The name of no value, if the field can be empty. */
  readonly none?: string;
}

function Goals({ projectId, meant, change, typed, onMark }: FieldLines): ReactElement {
  const { data: goals } = useGoals(projectId);
  if (goals === undefined) return <Skeleton />;
  const lines = choosableGoals(goals, ...meant.map((task) => task.goal_id)).map((goal) => ({
    id: goal.id,
    name: goalName(goal),
    on: shareOf(meant, (task) => task.goal_id === goal.id),
    choose: () => change(() => ({ goal_id: goal.id })),
  }));
  return <Listed {...{ lines, typed, onMark }} />;
}

/** Everyone who has a task or a run, and new names. */
function Assignees({ projectId, tasks, meant, change, typed, onMark }: FieldLines): ReactElement {
  const { data: runs } = useRuns(projectId);
  const agents = new Set(runs?.map(({ agent_ref: name }) => name));
  const names = new Set([...tasks.map(({ assignee }) => assignee), ...agents].filter((name) => name !== null).sort());
  const line = (name: string, shown = name): Line => ({
    id: `name ${name}`,
    name: shown,
    icon: <Initials name={name} isAgent={agents.has(name)} />,
    ...(agents.has(name) ? { beside: 'Agent' } : {}),
    on: shareOf(meant, (task) => task.assignee === name),
    choose: () => change(() => ({ assignee: name })),
  });
  const none: Line = {
    id: 'none',
    name: 'Nobody',
    on: shareOf(meant, (task) => task.assignee === null),
    choose: () => change(() => ({ assignee: null })),
  };
  const name = typed.trim();
  const made = name === '' || names.has(name) ? undefined : line(name, `Assign to “${name}”`);
  return (
    <Listed
      {...{ typed, onMark, made }}
      lines={[...[...names].map((each) => line(each)), none]}
      hint="Write the name of a person or an agent."
    />
  );
}

const presets = ['today', 'tomorrow', 'fri', 'next week', 'in 2 weeks', 'end of month'] as const;

function DueDates({ meant, change, typed, onMark }: FieldLines): ReactElement {
  const line = (day: string | null, name: string): Line => ({
    id: name,
    name,
    ...(day === null ? {} : { beside: weekdayOf(day) }),
    on: shareOf(meant, (task) => task.due_date === day),
    choose: () => change(() => ({ due_date: day })),
  });
  const day = dayOf(typed, today());
  if (day !== undefined) return <Listed {...{ onMark }} typed="" lines={[line(day, capitalised(typed.trim()))]} />;
  const lines = presets.map((words) => line(dayOf(words, today())!, words === 'fri' ? 'Friday' : capitalised(words)));
  return (
    <Listed
      {...{ typed, onMark }}
      lines={[...lines, line(null, 'No due date')]}
      hint="Write fri, in 2 weeks, 4 mar or 2027-03-04."
    />
  );
}

const weekday = new Intl.DateTimeFormat(undefined, {
  ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  timeZone: 'UTC',
});

function weekdayOf(day: string): string {
  return weekday.format(new Date(`${day}T00:00:00Z`));
}

function Tags({ projectId, meant, change, typed, onMark, onStay }: FieldLines): ReactElement {
  const { data: tags } = useTags(projectId);
  const toggle = (name: string, on: boolean | 'some'): void =>
    change(() => (on === true ? { remove_tags: [name] } : { add_tags: [name] }));
  const lines = soFar(tags).map(({ id, name, color }): Line => {
    const on = shareOf(meant, (task) => task.tags.some((tag) => tag.id === id));
    return { id, name, shown: <TagBadge {...{ name, color }} />, on, choose: () => toggle(name, on) };
  });
  const name = typed.trim();
  const isKnown = name === '' || tags?.some((tag) => tag.name === name);
  const made = isKnown
    ? undefined
    : { id: 'new', name: `${tags === undefined ? 'Tag' : 'New tag'} “${name}”`, choose: () => toggle(name, false) };
  return <Listed {...{ lines, typed, onMark, onStay, made }} hint="Write the name of a tag." />;
}

function Commits({ meant, change, typed, onMark, onStay }: FieldLines): ReactElement {
  const known = [...new Set(meant.flatMap(({ commit_refs: refs }) => refs))];
  const toggle = (ref: string, isOn: boolean): void =>
    change(({ commit_refs: refs }) => ({
      commit_refs: isOn ? refs.filter((each) => each !== ref) : [...new Set([...refs, ref])],
    }));
  const lines = known.map((ref): Line => {
    const on = shareOf(meant, ({ commit_refs: refs }) => refs.includes(ref));
    return { id: ref, name: ref, on, choose: () => toggle(ref, on === true) };
  });
  const ref = typed.trim();
  const made =
    ref === '' || known.includes(ref) ? undefined : { id: 'new', name: `Add ${ref}`, choose: () => toggle(ref, false) };
  return <Listed {...{ lines, typed, onMark, onStay, made }} hint="Write the hash of a commit." />;
}

/** The other tasks, the newest first: what was planned just before is one key away. */
function Prerequisites({ projectId, tasks, meant, typed, onMark, onStay }: FieldLines): ReactElement {
  const { data: graph } = useTaskGraph(projectId);
  const one = meant.length === 1 ? meant[0]!.id : '';
  const { data: arriving } = useEdges(projectId, { to_id: one });
  const { data: leaving } = useEdges(projectId, { from_id: one });
  const add = useCreateEdge();
  const remove = useDeleteEdge();
  const ids = new Set(meant.map(({ id }) => id));
  const before = new Map(graph?.nodes.map(({ id, prerequisites }) => [id, prerequisites]));
  const choose = (other: string, on: boolean | 'some'): void => {
    const edges = [...soFar(arriving), ...soFar(leaving)].filter(
      ({ from_id, to_id }) => from_id === other || to_id === other,
    );
    if (on === true && one !== '') for (const { edge_id } of edges) remove.mutate({ edge_id, project_id: projectId });
    else
      for (const { id } of meant)
        if (before.get(id)?.includes(other) !== true)
          add.mutate({ project_id: projectId, from_type: 'task', from_id: other, to_type: 'task', to_id: id });
  };
  const others = tasks.filter(({ id }) => !ids.has(id)).toReversed();
  const isDone = ({ status }: TaskRow): boolean => status === 'done';
  const lines = [...others.filter((task) => !isDone(task)), ...others.filter(isDone)].map((task): Line => {
    const on = shareOf(meant, ({ id }) => before.get(id)?.includes(task.id) === true);
    return {
      id: task.id,
      name: task.label,
      icon: <StatusIcon status={task.status} size={14} named />,
      on,
      choose: () => choose(task.id, on),
    };
  });
  return <Listed {...{ lines, typed, onMark, onStay }} hint="No other task has these words." />;
}

/** The first run of the tasks that asks; null if none does. */
function useAsking(projectId: string, tasks: readonly TaskRow[]): RunRow | null | undefined {
  const { data: runs } = useRuns(projectId);
  return runs && (tasks.map((task) => newestRun(runs, task)).find((run) => run?.awaiting != null) ?? null);
}

/** The question of the agent, its choices, and any other answer. */
function Answer({ projectId, meant, typed, onMark }: FieldLines): ReactElement {
  const run = useAsking(projectId, meant);
  const { mutate } = useAnswerRun();
  if (run === undefined) return <Skeleton />;
  if (run?.awaiting == null) return <p className={styles['hint']}>No agent asks.</p>;
  const { id: run_id, awaiting } = run;
  const line = (answer: string, name = answer): Line => ({
    id: `answer ${answer}`,
    name,
    choose: () => mutate({ project_id: projectId, run_id, answer, asked_at: awaiting.asked_at }),
  });
  const { choices: given = [] } = awaiting;
  const text = typed.trim();
  return (
    <>
      <div className={styles['question']}>
        <LazyMarkdownView text={awaiting.question} projectId={projectId} />
      </div>
      <Listed
        {...{ typed, onMark }}
        lines={given.map((choice) => line(choice))}
        made={text === '' || given.includes(text) ? undefined : line(text, `Answer “${text}”`)}
        hint="Write the answer."
      />
    </>
  );
}

/** The fields, and what else is done with tasks: their menu. */
function All({ projectId, picking, meant, typed, onMark }: FieldLines): ReactElement {
  const { open } = useOpenTask();
  const deletion = useDeleteTask();
  const { remove } = useBulkChange(projectId);
  const [first] = meant;
  const isAsked = useAsking(projectId, meant) !== undefined;
  const lines = [...(isAsked ? ['answer' as const] : []), ...fieldNames].map((field): Line => {
    const { name, keys } = pickedFields[field];
    return {
      id: field,
      name,
      icon: fieldIcons[field],
      ...(keys === undefined ? {} : { beside: <Keys keys={keys} /> }),
      choose: () => openPicker({ ...picking, field }),
    };
  });
  const opening: Line = {
    id: 'open',
    name: 'Open',
    icon: <ExternalLink size={14} aria-hidden />,
    choose: () => open(first!.id),
  };
  const deleting: Line = {
    id: 'delete',
    name: meant.length === 1 ? 'Delete' : `Delete ${meant.length} tasks`,
    icon: <Trash2 size={14} aria-hidden className={styles['danger']} />,
    isDanger: true,
    choose: () => {
      if (meant.length > 1) void remove(meant);
      else deletion.mutate({ task_id: first!.id, project_id: projectId });
    },
  };
  return <Listed {...{ typed, onMark }} lines={[...lines, ...(meant.length === 1 ? [opening] : []), deleting]} />;
}

const values: Readonly<Record<PickedField, ComponentType<FieldLines>>> = {
  status: choices('status', statuses, {
    icon: (status) => <StatusIcon status={status} size={15} />,
    nameOf: (status) => statusNames[status],
  }),
  priority: choices('priority', priorities, {
    icon: (priority) => <PriorityIcon priority={priority} />,
    none: 'No priority',
  }),
  goal_id: Goals,
  assignee: Assignees,
  due_date: DueDates,
  tags: Tags,
  prerequisites: Prerequisites,
  lane: choices('lane', lanes, { none: 'No lane' }),
  kind: choices('kind', kinds, {}),
  severity: choices('severity', severities, { none: 'No severity' }),
  commit_refs: Commits,
  answer: Answer,
};
