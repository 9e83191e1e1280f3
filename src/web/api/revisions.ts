import { hashKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { liveOf } from '../live/live.ts';
import { useResponse } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import { call, callWithTag } from '../rest/client.ts';
import type { Answer, Loaded, Input, ServiceError } from '../rest/client.ts';
import { showError } from '../rest/show-error.ts';

export type RevisionRow = Answer<'list_revisions'>['revisions'][number];
export type RevisionDiff = Answer<'diff_revision'>;
export type FieldChange = RevisionDiff['changes'][number];

/** Filters changes by author and target. */
export type RevisionFilter = Pick<Input<'list_revisions'>, 'target_type' | 'target_id' | 'author'>;

const pageRows = 50;

/** The newest changes, with those older ones that were asked for. */
interface KeptPages {
  readonly rows: readonly RevisionRow[];
  /** The cursor of the older revisions. */
  readonly cursor: string | undefined;
  /** The tag of the newest page. */
  readonly tag: string | undefined;
}

export interface RevisionPages {
  readonly data: readonly RevisionRow[] | undefined;
  readonly error: ServiceError | null;
  readonly refetch: () => unknown;
  readonly hasOlder: boolean;
  readonly isReadingOlder: boolean;
  readonly readOlder: () => void;
}

/** Changes, newest first. Only the newest page is requested again: older changes stay as they are. */
export function useRevisionPages(projectId: string, filter: RevisionFilter): RevisionPages {
  const client = useQueryClient();
  const input = { project_id: projectId, ...filter, limit: pageRows };
  const queryKey = ['list_revisions', 'pages', input];
  const newest = useQuery<KeptPages, ServiceError>({
    queryKey,
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<KeptPages>(queryKey);
      const onCursor = liveOf(client).requested(hashKey(queryKey));
      const answered = await callWithTag('list_revisions', input, { ifNoneMatch: known?.tag, signal, onCursor });
      // Older revisions may have arrived during the request.
      const latest = client.getQueryData<KeptPages>(queryKey);
      return answered === 'unchanged' ? latest! : withNewest(latest, answered);
    },
  });
  const older = useMutation<Answer<'list_revisions'>, ServiceError, string>({
    mutationFn: (cursor) => call('list_revisions', { ...input, cursor }),
    onSuccess: ({ revisions, next_cursor: next }, cursor) =>
      client.setQueryData<KeptPages>(queryKey, (kept) =>
        kept?.cursor === cursor ? { ...kept, rows: [...kept.rows, ...revisions], cursor: next } : kept,
      ),
    onError: (error) => showError('Older changes could not be read.', error.message),
  });
  const cursor = newest.data?.cursor;
  return {
    ...{ data: newest.data?.rows, error: newest.error, refetch: newest.refetch },
    hasOlder: cursor !== undefined,
    isReadingOlder: older.isPending,
    readOlder: () => cursor !== undefined && older.mutate(cursor),
  };
}

/** The newest page before those known rows that are older. */
function withNewest(
  known: KeptPages | undefined,
  { value: { revisions: rows, next_cursor: cursor }, tag }: Loaded<Answer<'list_revisions'>>,
): KeptPages {
  const last = rows.at(-1)?.id;
  const at = last === undefined ? -1 : (known?.rows.findIndex(({ id }) => id === last) ?? -1);
  // More than a page is new: the rows between are not known.
  if (known === undefined || at === -1) return { rows, cursor, tag };
  const ids = new Set(rows.map(({ id }) => id));
  const older = known.rows.slice(at + 1).filter(({ id }) => !ids.has(id));
  return { rows: [...rows, ...older], cursor: known.cursor, tag };
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
