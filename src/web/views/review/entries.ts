import { useMemo } from 'react';
import type { ServiceError } from '../../rest/client.ts';
import { awaitsReview, needsApproval } from '../../api/review.ts';
import { useRuns } from '../../api/runs.ts';
import type { RunRow } from '../../api/runs.ts';
import { useTasks } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';

export type Tab = 'all' | 'questions' | 'approval' | 'finished';

/** An entry of the review: a run that asks, or a finished task. */
export type Entry =
  | { readonly kind: 'run'; readonly id: string; readonly title: string; readonly run: RunRow }
  | { readonly kind: 'task'; readonly id: string; readonly title: string; readonly task: TaskRow };

export type TaskEntry = Extract<Entry, { readonly kind: 'task' }>;

export interface Review {
  readonly of: {
    readonly data: readonly Entry[] | undefined;
    readonly error: ServiceError | null;
    readonly refetch: () => unknown;
  };
  /** Undefined until they are known. */
  readonly lists: Readonly<Record<Tab, readonly Entry[]>> | undefined;
}

/**
 * Everything that awaits review: questions first, then tasks that require approval, then other finished tasks, newest
 * first.
 */
export function useReview(projectId: string, tab: Tab): Review {
  const tasks = useTasks(projectId);
  const runs = useRuns(projectId);
  const lists = useMemo(() => {
    if (tasks.data === undefined || runs.data === undefined) return undefined;
    const done = tasks.data.filter(awaitsReview).sort(newestFirst);
    const questions = runs.data.filter(({ asks }) => asks).map(runEntry);
    const approval = done.filter(needsApproval).map(taskEntry);
    const finished = done.filter((task) => !needsApproval(task)).map(taskEntry);
    return { questions, approval, finished, all: [...questions, ...approval, ...finished] };
  }, [tasks.data, runs.data]);
  const failed = tasks.error === null ? runs : tasks;
  return { of: { data: lists?.[tab], error: failed.error, refetch: failed.refetch }, lists };
}

function newestFirst(a: TaskRow, b: TaskRow): number {
  return a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0;
}

function taskEntry(task: TaskRow): Entry {
  return { kind: 'task', id: task.id, title: task.label, task };
}

function runEntry(run: RunRow): Entry {
  return { kind: 'run', id: run.id, title: run.label ?? run.agent_ref ?? 'A run', run };
}
