import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { awaitsReview } from '../../api/review.ts';
import { useTasks } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { useOpenTask } from '../../shell/open-task.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { claimRanOut } from '../../ui/holder.tsx';
import { Loaded } from '../../ui/states.tsx';
import { dayText, today } from '../../ui/time.tsx';
import styles from './overview.module.css';

interface Section {
  readonly name: string;
  readonly tone: 'warn' | 'danger' | 'accent' | 'plain';
  readonly tasks: readonly TaskRow[];
  /** What is said beside a task. */
  readonly fact: (task: TaskRow) => string;
  /** Where all of them are, below the project's address. */
  readonly all: string;
}

const shown = 3;
const week = 7;

/** What needs a person, from the list of tasks: overdue and due work, claims that ran out, blocked tasks, reviews. */
export function Attention({
  projectId,
  awaitingReview,
}: {
  readonly projectId: string;
  /** By the project's summary: runs that ask are in it. */
  readonly awaitingReview: number;
}): ReactElement {
  const tasks = useTasks(projectId);
  const now = useNow();
  const sections = useMemo(() => sectionsOf(tasks.data ?? [], now), [tasks.data, now]);
  const listed = sections.filter(
    ({ tasks: found, name }) => found.length > 0 || (name === reviewName && awaitingReview > 0),
  );
  return (
    <Card title="Needs attention">
      <Loaded of={tasks}>
        {() =>
          listed.length === 0 ? (
            <p className={styles['none']}>Nothing is blocked, overdue, due this week or waiting for review.</p>
          ) : (
            <div className={styles['attention']}>
              {listed.map((section) => (
                <Group
                  key={section.name}
                  projectId={projectId}
                  section={section}
                  count={section.name === reviewName ? awaitingReview : section.tasks.length}
                />
              ))}
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

function Group({
  projectId,
  section,
  count,
}: {
  readonly projectId: string;
  readonly section: Section;
  readonly count: number;
}): ReactElement {
  const { open } = useOpenTask();
  return (
    <section aria-label={section.name}>
      <h3>
        <Link to={`/projects/${projectId}/${section.all}`}>{section.name}</Link>
        <Badge tone={section.tone}>{count}</Badge>
      </h3>
      <ul>
        {section.tasks.slice(0, shown).map((task) => (
          <li key={task.id}>
            <button type="button" onClick={() => open(task.id)}>
              {task.label}
            </button>
            <span>{section.fact(task)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const reviewName = 'Waiting for review';

function sectionsOf(tasks: readonly TaskRow[], now: number): readonly Section[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const [first, last] = [today(), dayAfter(week - 1)];
  const due = tasks
    .filter(({ status, due_date: date }) => status !== 'done' && date !== null)
    .sort((a, b) => (a.due_date! < b.due_date! ? -1 : 1));
  const dueFact = ({ due_date: date }: TaskRow): string => (date === null ? '' : dayText(date));
  const waitsFor = ({ waiting_on: ids }: TaskRow): string => {
    const name = byId.get(ids[0] ?? '')?.label ?? 'another task';
    return ids.length > 1 ? `waits for ${name} and ${ids.length - 1} more` : `waits for ${name}`;
  };
  return [
    {
      ...{ name: 'Overdue', tone: 'danger', all: 'list?sort=due_date', fact: dueFact },
      tasks: due.filter(({ due_date: date }) => date! < first),
    },
    {
      ...{ name: 'Claims that ran out', tone: 'warn', all: 'agents' },
      fact: ({ assignee }) => assignee ?? '',
      tasks: tasks.filter((task) => claimRanOut({ task }, now)),
    },
    {
      ...{ name: reviewName, tone: 'accent', all: 'review' },
      fact: ({ assignee }) => assignee ?? '',
      tasks: tasks.filter(awaitsReview).sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1)),
    },
    {
      ...{ name: 'Due this week', tone: 'plain', all: 'list?sort=due_date', fact: dueFact },
      tasks: due.filter(({ due_date: date }) => date! >= first && date! <= last),
    },
    {
      ...{ name: 'Blocked', tone: 'warn', all: 'list?status=todo&blocked=yes', fact: waitsFor },
      tasks: tasks.filter(({ status, blocked }) => status === 'todo' && blocked),
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
