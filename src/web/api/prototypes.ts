import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer } from '../rest/client.ts';

export type PrototypeDetail = Answer<'get_prototype'>;
export type ScreenRow = NonNullable<PrototypeDetail['screens']>[number];

const shownBy = ['list_prototypes', 'get_prototype', 'list_artifacts', 'get_artifact', 'get_project'] as const;

export function useCreatePrototype(): Change<'create_prototype'> {
  return useChange('create_prototype', { shownBy, failed: 'The prototype could not be created' });
}
export function useUpdatePrototype(): Change<'update_prototype'> {
  return useChange('update_prototype', { shownBy, failed: 'The prototype could not be changed' });
}
export function useDeletePrototype(): Change<'delete_prototype'> {
  return useChange('delete_prototype', {
    shownBy: ['list_prototypes', 'list_artifacts', 'get_artifact', 'get_project'],
    failed: 'The prototype could not be deleted',
  });
}
export function useCreateScreen(): Change<'create_artifact'> {
  return useChange('create_artifact', { shownBy, failed: 'The screen could not be created' });
}
export function useMoveScreen(): Change<'move_screen'> {
  return useChange('move_screen', { shownBy, failed: 'The screen could not be moved' });
}
export function useCopyScreen(): Change<'copy_screen'> {
  return useChange('copy_screen', { shownBy, failed: 'The screen could not be copied' });
}
export function useDeleteScreen(): Change<'delete_artifact'> {
  return useChange('delete_artifact', {
    shownBy: ['get_prototype', 'list_artifacts', 'get_project', 'list_revisions'],
    failed: 'The screen could not be deleted',
  });
}
