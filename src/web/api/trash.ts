import { useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRows } from './cache.ts';
import type { WatchOptions } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';

export type TrashEntry = Answer<'list_trash'>['trash'][number];

/** The deletions of a project, or the deletion of one record, newest first. */
export function useTrash(
  projectId: string,
  targetId?: string,
  options?: WatchOptions,
): UseQueryResult<readonly TrashEntry[], ServiceError> {
  const only = targetId === undefined ? {} : { target_id: targetId };
  return useRows('list_trash', 'trash', { project_id: projectId, ...only }, options);
}

/** Restores a deletion; every view may show it. */
export function useRestoreFromTrash(): Change<'restore_from_trash'> & {
  readonly restore: (entry: TrashEntry) => void;
} {
  const client = useQueryClient();
  const change = useChange('restore_from_trash', { failed: 'It could not be restored' });
  return {
    ...change,
    restore: ({ project_id, id }) =>
      change.mutate({ project_id, trash_id: id }, { onSuccess: () => void client.invalidateQueries() }),
  };
}
