import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { refresh, useResponse } from './cache.ts';
import { call } from '../rest/client.ts';
import type { Answer, ServiceError } from '../rest/client.ts';
import { showError } from '../rest/show-error.ts';

export type Problem = Answer<'list_problems'>['problems'][number];

/** The findings of a check of every file, and the repairs made before: one sentence each. */
export type Diagnosis = Answer<'get_doctor'>;

/** Files of a project that a person has to correct, by path. */
export function useProblems(projectId: string): UseQueryResult<Answer<'list_problems'>, ServiceError> {
  return useResponse('list_problems', { project_id: projectId });
}

/** Checks every file of the root; with `repair`, first makes the repairs that lose no data. For the owner of the service only. */
export function useDoctor(): UseMutationResult<Diagnosis, ServiceError, { readonly repair: boolean }> {
  const client = useQueryClient();
  return useMutation<Diagnosis, ServiceError, { readonly repair: boolean }>({
    mutationFn: ({ repair }) => call(repair ? 'post_doctor' : 'get_doctor', {}),
    onError: (error, { repair }) => {
      showError(repair ? 'Nothing could be repaired.' : 'The files could not be checked.', error.message);
    },
    onSettled: () => refresh(client, 'list_problems', 'get_project'),
  });
}
