import { useMemo } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import { patchRow, soFar, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer } from '../rest/client.ts';

/** A saved view: a name and its configuration. */
export type SavedView = Answer<'get_view'>;

/** The saved views of a project in the user's order. */
export function useViews(projectId: string): {
  readonly views: readonly SavedView[];
  readonly loaded: boolean;
} & Pick<UseQueryResult, 'error'> {
  const { data, error } = useRows('list_views', 'views', { project_id: projectId });
  // Over REST a row is the whole view. Deltas keep the order of creation; views have their own order.
  const views = useMemo(
    () => (soFar(data) as readonly SavedView[]).toSorted((a, b) => a.position - b.position),
    [data],
  );
  return { views, loaded: data !== undefined, error };
}

export function useCreateView(): Change<'create_view'> {
  return useChange('create_view', { shownBy: ['list_views'], failed: 'The view could not be saved' });
}

export function useUpdateView(): Change<'update_view'> {
  return useChange('update_view', {
    show: (client, { view_id, name, config }) =>
      patchRow<SavedView>(client, 'list_views', view_id, (row) => ({
        ...row,
        ...(name === undefined ? {} : { name }),
        ...(config === undefined ? {} : { config }),
      })),
    shownBy: ['list_views'],
    failed: 'The view could not be changed',
  });
}

export function useDeleteView(): Change<'delete_view'> {
  return useChange('delete_view', {
    show: (client, { view_id }) => patchRow<SavedView>(client, 'list_views', view_id, () => undefined),
    shownBy: ['list_views'],
    failed: 'The view could not be deleted',
  });
}
