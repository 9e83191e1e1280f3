import type { UseQueryResult } from '@tanstack/react-query';
import { soFar, useResponse, useRows } from './cache.ts';
import { useChange } from './change.ts';
import type { Change } from './change.ts';
import type { Answer, ServiceError } from '../rest/client.ts';
import type { Problem } from './problems.ts';

export type ProjectRow = Answer<'list_projects'>['projects'][number];
export type ProjectDetail = Answer<'get_project'>;

export function useProjects(): UseQueryResult<readonly ProjectRow[], ServiceError> {
  return useRows('list_projects', 'projects', {});
}

/** Missing and unreadable files of projects. Undefined while loading. */
export function useProjectProblems(): readonly Problem[] | undefined {
  const { data, isPending } = useResponse('list_projects', { limit: 1 });
  return isPending ? undefined : soFar(data?.problems);
}

/** One project with its counts. */
export function useProject(projectId: string, everyMs?: number): UseQueryResult<ProjectDetail, ServiceError> {
  return useResponse('get_project', { project_id: projectId }, everyMs === undefined ? {} : { everyMs });
}

export function useCreateProject(): Change<'create_project'> {
  return useChange('create_project', { shownBy: ['list_projects'], failed: 'The project could not be created' });
}

export function useCreateSample(): Change<'create_sample_project'> {
  return useChange('create_sample_project', { shownBy: ['list_projects'], failed: 'The sample could not be created' });
}

export function useUpdateProject(): Change<'update_project'> {
  return useChange('update_project', {
    shownBy: ['list_projects', 'get_project'],
    failed: 'The project could not be changed',
  });
}

export function useDeleteProject(): Change<'delete_project'> {
  return useChange('delete_project', { shownBy: ['list_projects'], failed: 'The project could not be deleted' });
}

/** The total number of tasks. */
export function taskCount({ tasks }: ProjectDetail['summary']): number {
  return Object.values(tasks).reduce((sum, count) => sum + count, 0);
}
