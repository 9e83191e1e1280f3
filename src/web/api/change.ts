import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationResult } from '@tanstack/react-query';
import { toast } from 'sonner';
import { refresh } from './cache.ts';
import { call } from './client.ts';
import type { Answer, Input, OperationName, ServiceError } from './client.ts';

export interface ChangeOptions<N extends OperationName> {
  /** Shows the change before it is acknowledged; what it answers takes it back. */
  readonly show?: (client: QueryClient, input: Input<N>) => () => void;
  /** Takes what was answered into the cache. */
  readonly take?: (client: QueryClient, answer: Answer<N>, input: Input<N>) => void;
  /** What shows the change beside, and is asked for again. */
  readonly shownBy?: readonly OperationName[];
  /** What could not be done, as the beginning of a sentence: `The task could not be moved`. */
  readonly failed: string;
}

/** What `useChange` answers: the change, and how far it is. */
export type Change<N extends OperationName> = UseMutationResult<
  Answer<N>,
  ServiceError,
  Input<N>,
  (() => void) | undefined
>;

/** A change over one operation: shown at once, taken back with a visible reason where the service refuses it. */
export function useChange<N extends OperationName>(
  name: N,
  { show, take, shownBy = [], failed }: ChangeOptions<N>,
): Change<N> {
  const client = useQueryClient();
  // What is answered to one change is older than what the next one shows already.
  const isLast = (): boolean => client.isMutating({ mutationKey: [name] }) === 1;
  return useMutation<Answer<N>, ServiceError, Input<N>, (() => void) | undefined>({
    mutationKey: [name],
    // One after the other: of two changes of one record the later one is the one that stays.
    scope: { id: name },
    mutationFn: (input) => call(name, input),
    onMutate: async (input) => {
      // A poll that was asked before the change must not show the state before it again.
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
