import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { pollMs, useResponse } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import { callWithTag } from './client.ts';
import type { Answer, Loaded, Input, ServiceError } from './client.ts';

export type RevisionRow = Answer<'list_revisions'>['revisions'][number];
export type RevisionDiff = Answer<'diff_revision'>;
export type FieldChange = RevisionDiff['changes'][number];

/** Filters changes by author and target. */
export type RevisionFilter = Pick<Input<'list_revisions'>, 'target_type' | 'target_id' | 'author'>;

const pageRows = 50;

type Page = Loaded<Answer<'list_revisions'>>;

/** Changes, newest first, in pages. An unchanged page is a 304. */
export function useRevisionPages(
  projectId: string,
  filter: RevisionFilter,
): UseInfiniteQueryResult<readonly RevisionRow[], ServiceError> {
  const client = useQueryClient();
  const input = { project_id: projectId, ...filter, limit: pageRows };
  const queryKey = ['list_revisions', 'pages', input];
  return useInfiniteQuery<Page, ServiceError, readonly RevisionRow[], readonly unknown[], string | undefined>({
    queryKey,
    queryFn: async ({ pageParam: cursor, signal }) => {
      const known = client.getQueryData<InfiniteData<Page, string | undefined>>(queryKey);
      const former = known?.pages[known.pageParams.indexOf(cursor)];
      const paged = cursor === undefined ? input : { ...input, cursor };
      const answered = await callWithTag('list_revisions', paged, { ifNoneMatch: former?.tag, signal });
      return answered === 'unchanged' ? former! : answered;
    },
    initialPageParam: undefined,
    getNextPageParam: ({ value }) => value.next_cursor,
    select: ({ pages }) => pages.flatMap(({ value }) => value.revisions),
    // Every page is refetched: with many pages, less often.
    refetchInterval: ({ state }) => pollMs * Math.max(1, state.data?.pages.length ?? 1),
  });
}

/** The changes of a revision, field by field. */
export function useRevisionDiff(projectId: string, revisionId: string): UseQueryResult<RevisionDiff, ServiceError> {
  return useResponse('diff_revision', { project_id: projectId, revision_id: revisionId }, { everyMs: false });
}

/** Restores a record as it was before a change. This is a change like any other: it is in the history, and can be restored itself. */
export function useRestore(): Change<'restore_revision'> {
  return useChange('restore_revision', {
    shownBy: [
      ...(['list_revisions', 'diff_revision', 'list_tasks', 'get_task', 'list_goals', 'get_goal'] as const),
      ...(['list_documents', 'get_document', 'list_notes', 'get_note', 'list_artifacts', 'get_artifact'] as const),
      ...(['get_project', 'list_projects', 'get_canvas'] as const),
    ],
    failed: 'The former state could not be restored',
  });
}
