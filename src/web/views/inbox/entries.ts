import { useMemo } from 'react';
import type { ServiceError } from '../../rest/client.ts';
import { usePendingSubmissions, useSubmissions } from '../../api/submissions.ts';
import type { SubmissionRow } from '../../api/submissions.ts';
import { byUrgency } from '../../api/task-filter.ts';
import { useTasks } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';

export type Tab = 'submissions' | 'proposals' | 'backlog' | 'decided';

/** An entry of the inbox. */
export type Entry =
  | { readonly kind: 'submission'; readonly id: string; readonly title: string; readonly submission: SubmissionRow }
  | { readonly kind: 'task'; readonly id: string; readonly title: string; readonly task: TaskRow };

export interface ActionsOptions<E extends Entry = Entry> {
  readonly projectId: string;
  readonly tab: Tab;
  readonly entry: E | undefined;
  /** Selects the next entry. */
  readonly goOn: () => void;
}

interface Listed {
  readonly data: readonly Entry[] | undefined;
  readonly error: ServiceError | null;
  readonly refetch: () => unknown;
}

/** The entries of a tab, and the count of each tab. */
export function useEntries(
  projectId: string,
  tab: Tab,
): { readonly of: Listed; readonly counts: Readonly<Record<Tab, number | undefined>> } {
  const pending = usePendingSubmissions(projectId);
  const decided = useSubmissions(projectId, tab === 'decided');
  const tasks = useTasks(projectId);
  const scope = useMemo(() => ofStatus(tasks.data, 'scope'), [tasks.data]);
  const backlog = useMemo(() => ofStatus(tasks.data, 'backlog'), [tasks.data]);
  const submissions = useMemo(() => pending.data?.map(entryOf), [pending.data]);
  const past = useMemo(
    () =>
      decided.data
        ?.filter(({ status }) => status !== 'pending')
        .map(entryOf)
        .reverse(),
    [decided.data],
  );
  const lists = { submissions, proposals: scope, backlog, decided: past };
  const source = tab === 'submissions' ? pending : tab === 'decided' ? decided : tasks;
  return {
    of: { data: lists[tab], error: source.error, refetch: source.refetch },
    counts: {
      submissions: submissions?.length,
      proposals: scope?.length,
      backlog: backlog?.length,
      decided: undefined,
    },
  };
}

function entryOf(submission: SubmissionRow): Entry {
  return { kind: 'submission', id: submission.id, title: submission.title, submission };
}

function ofStatus(tasks: readonly TaskRow[] | undefined, status: TaskRow['status']): readonly Entry[] | undefined {
  return tasks
    ?.filter((task) => task.status === status)
    .sort(byUrgency)
    .map((task) => ({ kind: 'task', id: task.id, title: task.label, task }));
}
