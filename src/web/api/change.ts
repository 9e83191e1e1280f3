import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationResult } from '@tanstack/react-query';
import { historyOf } from '../undo/history.ts';
import type { Begun } from '../undo/history.ts';
import { offerUndo, withErrors } from '../undo/offer-undo.ts';
import { undoRules } from '../undo/rules.ts';
import type { Started } from '../undo/undo-rule.ts';
import { refresh } from './cache.ts';
import { callWithTag } from './client.ts';
import type { Answer, Input, OperationName, ServiceError } from './client.ts';
import { showError } from '../ui/show-error.ts';

export interface Undoable {
  /** False: the caller undoes it itself. Default: by the rule of the operation. */
  readonly undo?: false | undefined;
}

export interface ChangeOptions<N extends OperationName> extends Undoable {
  /** Shows the change before it is acknowledged; returns a function that rolls it back. */
  readonly show?: (client: QueryClient, input: Input<N>) => () => void;
  /** Caches the response. */
  readonly take?: (client: QueryClient, answer: Answer<N>, input: Input<N>) => void;
  /** Other operations whose results show the change; they are refetched. */
  readonly shownBy?: readonly OperationName[];
  /** The beginning of the error message: `The task could not be moved`. */
  readonly failed: string;
}

/** A change that was sent. */
interface Sent<N extends OperationName> {
  readonly takeBack: (() => void) | undefined;
  readonly undo: { readonly projectId: string; readonly started: Started<N>; readonly begun: Begun } | undefined;
}

/** The result of `useChange`: the mutation and its state. */
export type Change<N extends OperationName> = UseMutationResult<Answer<N>, ServiceError, Input<N>, Sent<N>>;

/** The entries of deletions in the trash, by the input of the call. */
const trashed = new WeakMap<object, string>();

/** Runs an operation; `trashOf` then has the entry of a deletion. */
export async function send<N extends OperationName>(name: N, input: Input<N>): Promise<Answer<N>> {
  const answered = await callWithTag(name, input);
  if (answered === 'unchanged') throw new Error('Unchanged without a cached result.');
  if (answered.trash !== undefined) trashed.set(input, answered.trash);
  return answered.value;
}

/** The entry of a deletion in the trash. */
export function trashOf(input: object): string | undefined {
  return trashed.get(input);
}

/** The project that the input of a change names, else the one in the address. */
function projectOf(input: { readonly project_id?: string }): string | undefined {
  return input.project_id ?? /^\/projects\/([^/]+)/.exec(window.location.pathname)?.[1];
}

/** Adds the change to the undo history before it is sent, so that the order follows the person's actions. */
function begin<N extends OperationName>(client: QueryClient, name: N, input: Input<N>): Sent<N>['undo'] {
  const projectId = projectOf(input as { readonly project_id?: string });
  const started = projectId && undoRules[name]?.(client, input, projectId);
  if (!projectId || !started) return undefined;
  return { projectId, started, begun: historyOf(projectId).begin(started.what) };
}

function finish<N extends OperationName>(
  client: QueryClient,
  { projectId, started: { what, notice, ways }, begun }: NonNullable<Sent<N>['undo']>,
  answer: Answer<N>,
  input: Input<N>,
): void {
  const known = ways(answer, trashed.get(input));
  begun.ready(known && withErrors(client, what, known));
  if (known !== undefined && notice !== undefined)
    offerUndo(projectId, begun.step, typeof notice === 'string' ? notice : notice(answer));
}

/** A change outside of a component, which is undone by its rule. Throws if the service rejects it. */
export async function change<N extends OperationName>(
  client: QueryClient,
  name: N,
  input: Input<N>,
): Promise<Answer<N>> {
  const undo = begin(client, name, input);
  try {
    const answer = await send(name, input);
    if (undo !== undefined) finish(client, undo, answer, input);
    return answer;
  } catch (error) {
    undo?.begun.ready(undefined);
    throw error;
  }
}

/**
 * A change by one operation: shown immediately, rolled back with a visible reason if the service rejects it, and undone
 * by its rule.
 */
export function useChange<N extends OperationName>(
  name: N,
  { show, take, shownBy = [], failed, undo }: ChangeOptions<N>,
): Change<N> {
  const client = useQueryClient();
  // The response of a change is older than the optimistic state of the next change.
  const isLast = (): boolean => client.isMutating({ mutationKey: [name] }) === 1;
  return useMutation<Answer<N>, ServiceError, Input<N>, Sent<N>>({
    mutationKey: [name],
    // Sequential: of two changes of one record the later one wins.
    scope: { id: name },
    mutationFn: (input) => send(name, input),
    onMutate: async (input) => {
      const begun = undo === false ? undefined : begin(client, name, input);
      // A poll sent before the change must not show the earlier state again.
      await Promise.all(shownBy.map((each) => client.cancelQueries({ queryKey: [each] })));
      return { takeBack: show?.(client, input), undo: begun };
    },
    onError: (error, _, sent) => {
      sent?.takeBack?.();
      sent?.undo?.begun.ready(undefined);
      showError(`${failed}.`, error.message);
    },
    onSuccess: (answer, input, sent) => {
      if (sent.undo !== undefined) finish(client, sent.undo, answer, input);
      if (isLast()) take?.(client, answer, input);
    },
    onSettled: async () => {
      if (isLast()) await refresh(client, ...shownBy);
    },
  });
}
