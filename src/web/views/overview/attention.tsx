import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { needOf } from '../../../base/goal-need.ts';
import type { GoalNeed } from '../../../base/goal-need.ts';
import { soFar } from '../../api/cache.ts';
import { countsByGoal, noTaskCounts, useGoals } from '../../api/goals.ts';
import type { GoalRow } from '../../api/goals.ts';
import { awaitsReview } from '../../api/review.ts';
import { cameBack, lastSignOf, newestRun, runStateAt, useRuns } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { useTasks } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { isDue, isLate } from '../../ui/due.tsx';
import { claimRanOut } from '../../ui/runs/holder.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Loaded, None } from '../../ui/states.tsx';
import { goalName } from '../../ui/target.tsx';
import { ago, dayText, today, useNow } from '../../ui/time.tsx';
import styles from './overview.module.css';

interface Line {
  readonly id: string;
  readonly name: string;
  /** The text next to the title. */
  readonly fact: string;
  /** The address below the project's address; absent for a task, which opens next to the view. */
  readonly at?: string;
}

interface Section {
  readonly name: string;
  readonly tone: 'warn' | 'danger' | 'accent' | 'plain';
  readonly lines: readonly Line[];
  /** Where all of them are, below the project's address. */
  readonly all: string;
}

const shown = 3;
const week = 7;

/**
 * Everything that needs a person: questions of agents and silent ones, tasks that came back, goals, overdue and due work,
 * claims that ran out, blocked tasks, reviews.
 */
export function Attention({ projectId }: { readonly projectId: string }): ReactElement {
  const tasks = useTasks(projectId);
  const runs = useRuns(projectId);
  const goals = useGoals(projectId);
  const now = useNow(3000);
  const sections = useMemo(() => {
    const [plan, work] = [soFar(tasks.data), soFar(runs.data)];
    const all = [questionsOf(work), silentOf(work, now), returnedOf(plan, work), goalsOf(soFar(goals.data), plan)];
    return [...all, ...sectionsOf(plan, now)].filter(({ lines }) => lines.length > 0);
  }, [tasks.data, runs.data, goals.data, now]);
  const isKnown = runs.data !== undefined && goals.data !== undefined;
  const error = tasks.error ?? runs.error ?? goals.error;
  const both = { ...tasks, data: isKnown ? tasks.data : undefined, error };
  return (
    <Card title="Needs attention">
      <Loaded of={both}>
        {() =>
          sections.length === 0 ? (
            <None>
              No agent asks or is silent, no task came back, and nothing is blocked, stale, overdue, due this week or
              waiting for review.
            </None>
          ) : (
            <div className={styles['attention']}>
              {sections.map((section) => (
                <Group key={section.name} projectId={projectId} section={section} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

function Group({ projectId, section }: { readonly projectId: string; readonly section: Section }): ReactElement {
  const { open } = useOpenTask();
  return (
    <section aria-label={section.name}>
      <h3>
        <Link to={`/projects/${projectId}/${section.all}`}>{section.name}</Link>
        <Badge tone={section.tone}>{section.lines.length}</Badge>
      </h3>
      <ul>
        {section.lines.slice(0, shown).map(({ id, name, fact, at }) => (
          <li key={id}>
            {at === undefined ? (
              <button type="button" dir="auto" onClick={() => open(id)}>
                {name}
              </button>
            ) : (
              <Link to={`/projects/${projectId}/${at}`} dir="auto">
                {name}
              </Link>
            )}
            <span>{fact}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The questions of agents, with the way to answer. */
function questionsOf(runs: readonly RunRow[]): Section {
  return {
    ...{ name: 'Waiting for an answer', tone: 'accent', all: 'review?tab=questions' },
    lines: runs
      .filter(({ asks }) => asks)
      .map(({ id, label, agent_ref: agent, awaiting }) => ({
        id,
        name: plainText(awaiting?.question ?? ''),
        fact: label ?? agent ?? '',
        at: `review?tab=questions&item=${id}`,
      })),
  };
}

/** Running agents that say nothing any more. */
function silentOf(runs: readonly RunRow[], now: number): Section {
  return {
    ...{ name: 'Silent agents', tone: 'warn', all: 'agents?status=running' },
    lines: runs
      .filter((run) => runStateAt(run, now) === 'silent')
      .map((run) => ({
        id: run.id,
        name: run.label ?? run.agent_ref ?? 'A run',
        fact: `last line ${ago(lastSignOf(run), now)}`,
        at: `agents?run=${run.id}`,
      })),
  };
}

/** Tasks that an agent gave back, with its reason. */
function returnedOf(tasks: readonly TaskRow[], runs: readonly RunRow[]): Section {
  return {
    ...{ name: 'Came back', tone: 'danger', all: 'agents?status=failed' },
    lines: tasks.flatMap((task) => {
      const run = newestRun(runs, task);
      if (!cameBack(task, run)) return [];
      return [{ id: task.id, name: task.label, fact: plainText(run.events.at(-1)?.message ?? 'its run failed') }];
    }),
  };
}

const needTexts: Readonly<Record<GoalNeed, string>> = {
  red: 'blocked: its verification was red',
  stale: 'stale: commits touch what was verified',
  ready: 'ready to verify',
};

/** Goals that are blocked, stale or ready to verify. */
function goalsOf(goals: readonly GoalRow[], tasks: readonly TaskRow[]): Section {
  const counts = countsByGoal(tasks);
  return {
    ...{ name: 'Goals to verify', tone: 'warn', all: 'goals' },
    lines: goals.flatMap((goal) => {
      const need = needOf(goal, counts.get(goal.id) ?? noTaskCounts);
      if (need === undefined) return [];
      return [{ id: goal.id, name: goalName(goal), fact: needTexts[need], at: `goals/${goal.id}` }];
    }),
  };
}

function sectionsOf(tasks: readonly TaskRow[], now: number): readonly Section[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const [first, last] = [today(), dayAfter(week - 1)];
  const due = tasks.filter(isDue).sort((a, b) => (a.due_date < b.due_date ? -1 : 1));
  const lines = (found: readonly TaskRow[], fact: (task: TaskRow) => string): readonly Line[] =>
    found.map((task) => ({ id: task.id, name: task.label, fact: fact(task) }));
  const holder = ({ assignee }: TaskRow): string => assignee ?? '';
  const dueFact = ({ due_date: date }: TaskRow): string => (date === null ? '' : dayText(date));
  const waitsFor = ({ waiting_on: ids }: TaskRow): string => {
    const name = byId.get(ids[0] ?? '')?.label ?? 'another task';
    return ids.length > 1 ? `waits for ${name} and ${ids.length - 1} more` : `waits for ${name}`;
  };
  return [
    {
      ...{ name: 'Overdue', tone: 'danger', all: 'list?sort=due_date' },
      lines: lines(due.filter(isLate), dueFact),
    },
    {
      ...{ name: 'Claims that ran out', tone: 'warn', all: 'agents' },
      lines: lines(
        tasks.filter((task) => claimRanOut({ task }, now)),
        holder,
      ),
    },
    {
      ...{ name: 'Waiting for review', tone: 'accent', all: 'review' },
      lines: lines(
        tasks.filter(awaitsReview).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1)),
        holder,
      ),
    },
    {
      ...{ name: 'Due this week', tone: 'plain', all: 'list?sort=due_date' },
      lines: lines(
        due.filter(({ due_date: date }) => date >= first && date <= last),
        dueFact,
      ),
    },
    {
      ...{ name: 'Blocked', tone: 'warn', all: 'list?status=todo&blocked=yes' },
      lines: lines(
        tasks.filter(({ status, blocked }) => status === 'todo' && blocked),
        waitsFor,
      ),
    },
  ];
}

function dayAfter(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return today(date);
}
