import { useMemo } from 'react';
import { soFar, useResponse } from '../../api/cache.ts';
import type { Answer } from '../../rest/client.ts';
import { useGoals } from '../../api/goals.ts';
import { useTasks } from '../../api/tasks.ts';
import { goalName } from '../../ui/target.tsx';

/** Names are polled less often than the history, since they change less often. */
const seldom = { everyMs: 15_000 } as const;

/** The names of all records with a history, by id: a few lists instead of a request for each line. */
export function useNames(projectId: string): ReadonlyMap<string, string> {
  const of = { project_id: projectId };
  const { data: tasks } = useTasks(projectId);
  const { data: goals } = useGoals(projectId);
  const { data: documents } = useResponse('list_documents', { ...of, verbose: false }, seldom);
  const { data: notes } = useResponse('list_notes', { ...of, verbose: false }, seldom);
  const { data: artifacts } = useResponse('list_artifacts', of, seldom);
  return useMemo(
    () =>
      new Map([
        ...soFar(tasks).map(({ id, label }) => [id, label] as const),
        ...soFar(goals).map((goal) => [goal.id, goalName(goal) ?? 'Goal'] as const),
        ...(documents === undefined ? [] : titlesOf(documents)),
        ...soFar(notes?.notes).map(({ id, title }) => [id, title] as const),
        ...soFar(artifacts?.artifacts).map(({ id, title }) => [id, title] as const),
      ]),
    [tasks, goals, documents, notes, artifacts],
  );
}

type Tree = Answer<'list_documents'>;

/** A folder and its descendants. */
function titlesOf({ documents, folders = [] }: Pick<Tree, 'documents' | 'folders'>): (readonly [string, string])[] {
  return [
    ...documents.map(({ id, title }) => [id, title] as const),
    ...folders.flatMap((folder) => titlesOf(folder as Pick<Tree, 'documents' | 'folders'>)),
  ];
}
