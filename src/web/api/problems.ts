import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import { toast } from 'sonner';
import { refresh, useAnswer } from './cache.ts';
import { call } from './client.ts';
import type { Answer, ServiceError } from './client.ts';

export type Problem = Answer<'list_problems'>['problems'][number];

/** What a look at every file found, and what was mended before: one sentence each. */
export type Diagnosis = Answer<'get_doctor'>;

/** Files of a project that need a person, by path. */
export function useProblems(projectId: string): UseQueryResult<Answer<'list_problems'>, ServiceError> {
  return useAnswer('list_problems', { project_id: projectId });
}

/** Looks at every file of the root; with `mend`, what can be mended safely is mended first. Whoever owns the service may. */
export function useDoctor(): UseMutationResult<Diagnosis, ServiceError, { readonly mend: boolean }> {
  const client = useQueryClient();
  return useMutation<Diagnosis, ServiceError, { readonly mend: boolean }>({
    mutationFn: ({ mend }) => call(mend ? 'post_doctor' : 'get_doctor', {}),
    onError: (error, { mend }) => {
      toast.error(mend ? 'Nothing could be mended.' : 'The files could not be checked.', {
        description: error.message,
      });
    },
    onSettled: () => refresh(client, 'list_problems', 'get_project'),
  });
}
