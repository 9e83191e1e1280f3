import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationResult } from '@tanstack/react-query';
import { toast } from 'sonner';
import { refresh } from './cache.ts';
import { call } from './client.ts';
import type { Answer, Input, OperationName, ServiceError } from './client.ts';

export interface ChangeOptions<N extends OperationName> {
  /** Shows the change before it is acknowledged; returns a function that rolls it back. */
  readonly show?: (client: QueryClient, input: Input<N>) => () => void;
  /** Caches the response. */
  readonly take?: (client: QueryClient, answer: Answer<N>, input: Input<N>) => void;
  /** Other operations whose results show the change; they are refetched. */
  readonly shownBy?: readonly OperationName[];
  /** The beginning of the error message: `The task could not be moved`. */
  readonly failed: string;
}

/** The result of `useChange`: the mutation and its state. */
export type Change<N extends OperationName> = UseMutationResult<
  Answer<N>,
  ServiceError,
  Input<N>,
  (() => void) | undefined
>;

/** A change by one operation: shown at once, rolled back with a visible reason if the service rejects it. */
export function useChange<N extends OperationName>(
  name: N,
  { show, take, shownBy = [], failed }: ChangeOptions<N>,
): Change<N> {
  const client = useQueryClient();
  // The response of a change is older than what the next change already shows.
  const isLast = (): boolean => client.isMutating({ mutationKey: [name] }) === 1;
  return useMutation<Answer<N>, ServiceError, Input<N>, (() => void) | undefined>({
    mutationKey: [name],
    // Sequential: of two changes of one record the later one wins.
    scope: { id: name },
    mutationFn: (input) => call(name, input),
    onMutate: async (input) => {
      // A poll sent before the change must not show the earlier state again.
      await Promise.all(shownBy.map((each) => client.cancelQueries({ queryKey: [each] })));
      return show?.(client, input);
    },
    onError: (error, _, takeBack) => {
      takeBack?.();
      toast.error(`${failed}.`, { description: error.message });
    },
    onSuccess: (answer, input) => {
      if (isLast()) take?.(client, answer, input);
    },
    onSettled: async () => {
      if (isLast()) await refresh(client, ...shownBy);
    },
  });
}
