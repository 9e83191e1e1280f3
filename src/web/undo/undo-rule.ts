import type { QueryClient } from '@tanstack/react-query';
import type { Answer, Input, OperationName } from '../api/client.ts';
import type { Ways } from './history.ts';

/** A change that is about to be sent. */
export interface Started<N extends OperationName> {
  /** The name of the change, for `Undone: …`. */
  readonly what: string;
  /** The notification of the change, which offers to undo it. Absent: undone by key only. */
  readonly notice?: string | ((answer: Answer<N>) => string);
  /** How it is undone and redone, by its response; undefined if it cannot be undone. */
  readonly ways: (answer: Answer<N>, trash: string | undefined) => Ways | undefined;
}

/**
 * How the changes of one operation are undone. It reads the values that the change will overwrite from the cache,
 * before the change is shown; undefined if that is unknown.
 */
export type UndoRule<N extends OperationName> = (
  client: QueryClient,
  input: Input<N>,
  projectId: string,
) => Started<N> | undefined;
