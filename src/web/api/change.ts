import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryClient, UseMutationResult } from '@tanstack/react-query';
import { historyOf } from '../undo/histories.ts';
import type { Begun } from '../undo/history.ts';
import { offerUndo } from '../undo/offer-undo.ts';
import { refresh } from './cache.ts';
import { changeTextsOf } from './change-texts.ts';
import type { ChangeTexts } from './change-texts.ts';
import { callWithTag } from '../rest/client.ts';
import type { Answer, Input, OperationName, ServiceError } from '../rest/client.ts';
import { showError } from '../rest/show-error.ts';

export interface Undoable {
  /** False: the caller adds it to what can be undone. */
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
interface Sent {
  readonly takeBack: (() => void) | undefined;
  readonly undo: { readonly projectId: string; readonly texts: ChangeTexts; readonly begun: Begun } | undefined;
}

/** The result of `useChange`: the mutation and its state. */
export type Change<N extends OperationName> = UseMutationResult<Answer<N>, ServiceError, Input<N>, Sent>;

/** The cursors of the change sets that calls made, by their inputs. */
const made = new WeakMap<object, string>();

/** Runs an operation; `changesOf` then has its change set. */
export async function send<N extends OperationName>(name: N, input: Input<N>): Promise<Answer<N>> {
  const answered = await callWithTag(name, input);
  if (answered === 'unchanged') throw new Error('Unchanged without a cached result.');
  if (answered.change !== undefined) made.set(input, answered.change);
  return answered.value;
}

/** The change sets that calls with these inputs made. */
export function changesOf(...inputs: readonly object[]): readonly string[] {
  return inputs.flatMap((input) => made.get(input) ?? []);
}

/** The project that the input of a change names, else the one in the address. */
function projectOf(input: { readonly project_id?: string }): string | undefined {
  return input.project_id ?? /^\/projects\/([^/]+)/.exec(window.location.pathname)?.[1];
}

/** Adds the change to the undo history before it is sent, so that the order follows the person's actions. */
function begin<N extends OperationName>(client: QueryClient, name: N, input: Input<N>): Sent['undo'] {
  const projectId = projectOf(input as { readonly project_id?: string });
  const texts = projectId && changeTextsOf(client, name, input);
  if (!projectId || !texts) return undefined;
  return { projectId, texts, begun: historyOf(projectId).begin(texts.what, client) };
}

function finish({ projectId, texts, begun }: NonNullable<Sent['undo']>, answer: unknown, input: object): void {
  const { notice } = texts;
  const changes = changesOf(input);
  begun.ready(changes);
  if (changes.length > 0 && notice !== undefined)
    offerUndo(projectId, begun.step, typeof notice === 'string' ? notice : notice(answer as never));
}

/** A change outside of a component, which can be undone. Throws if the service rejects it. */
export async function change<N extends OperationName>(
  client: QueryClient,
  name: N,
  input: Input<N>,
): Promise<Answer<N>> {
  const undo = begin(client, name, input);
  try {
    const answer = await send(name, input);
    if (undo !== undefined) finish(undo, answer, input);
    return answer;
  } catch (error) {
    undo?.begun.ready([]);
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
  return useMutation<Answer<N>, ServiceError, Input<N>, Sent>({
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
      sent?.undo?.begun.ready([]);
      showError(`${failed}.`, error.message);
    },
    onSuccess: (answer, input, sent) => {
      if (sent.undo !== undefined) finish(sent.undo, answer, input);
      if (isLast()) take?.(client, answer, input);
    },
    onSettled: async () => {
      if (isLast()) await refresh(client, ...shownBy);
    },
  });
}
