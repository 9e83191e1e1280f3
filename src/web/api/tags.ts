import type { UseQueryResult } from '@tanstack/react-query';
import { patchRow, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';

export type TagRow = Answer<'list_tags'>['tags'][number];

/** Tasks show their tags. */
const shownBy = ['list_tags', 'list_tasks', 'get_task'] as const;

export function useTags(projectId: string): UseQueryResult<readonly TagRow[], ServiceError> {
  return useRows('list_tags', 'tags', { project_id: projectId });
}

export function useCreateTag(): Change<'create_tag'> {
  return useChange('create_tag', { shownBy, failed: 'The tag could not be created' });
}

export function useUpdateTag(): Change<'update_tag'> {
  return useChange('update_tag', {
    show: (client, { tag_id: id, name, color }) =>
      patchRow<TagRow>(client, 'list_tags', id, (row) => ({
        ...row,
        ...(name === undefined ? {} : { name }),
        ...(color === undefined ? {} : { color }),
      })),
    shownBy,
    failed: 'The tag could not be changed',
  });
}

export function useDeleteTag(): Change<'delete_tag'> {
  return useChange('delete_tag', {
    show: (client, { tag_id: id }) => patchRow<TagRow>(client, 'list_tags', id, () => undefined),
    shownBy,
    failed: 'The tag could not be deleted',
  });
}
