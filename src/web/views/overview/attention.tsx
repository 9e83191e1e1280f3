import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { awaitsReview } from '../../api/review.ts';
import { useRuns } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { useTasks } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { isDue, isLate } from '../../ui/due.tsx';
import { claimRanOut } from '../../ui/holder.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Loaded } from '../../ui/states.tsx';
import { dayText, today } from '../../ui/time.tsx';
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
 * Everything that needs a person: questions of agents, overdue and due work, claims that ran out, blocked tasks,
 * reviews.
 */
export function Attention({ projectId }: { readonly projectId: string }): ReactElement {
  const tasks = useTasks(projectId);
  const runs = useRuns(projectId);
  const now = useNow();
  const sections = useMemo(
    () => [questionsOf(runs.data ?? []), ...sectionsOf(tasks.data ?? [], now)].filter(({ lines }) => lines.length > 0),
    [tasks.data, runs.data, now],
  );
  const both = { ...tasks, data: runs.data === undefined ? undefined : tasks.data, error: tasks.error ?? runs.error };
  return (
    <Card title="Needs attention">
      <Loaded of={both}>
        {() =>
          sections.length === 0 ? (
            <p className={styles['none']}>
              Nothing is blocked, overdue, due this week or waiting for review, and no agent asks.
            </p>
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

/** The time, updated while it is shown: claims run out. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 3000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
