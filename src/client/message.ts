import { PlannerError } from '../errors.ts';
import type { ErrorBody } from '../errors.ts';

export type RpcId = string | number;

/** A JSON-RPC message: a request bears method and id, a notification no id, an answer no method. */
export interface RpcMessage {
  readonly jsonrpc: '2.0';
  readonly id?: RpcId;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: RpcFailure;
}

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  /** The one shape of all errors, where the service made it. */
  readonly data?: unknown;
}

/** The error that an answer bears, undefined for one without. */
export function errorOf(answer: unknown): PlannerError | undefined {
  const { data, message } = (answer as { readonly error?: Partial<RpcFailure> } | null | undefined)?.error ?? {};
  if (isErrorBody(data)) return plannerError(data);
  return typeof message === 'string' ? new PlannerError('unavailable', message) : undefined;
}

export function isErrorBody(value: unknown): value is ErrorBody {
  const { error, message } = (value ?? {}) as Partial<ErrorBody>;
  return typeof error === 'string' && typeof message === 'string';
}

/** The answer to a repeat whose first answer the service has no more. */
interface AlreadyDone {
  readonly repeated: { readonly message: string; readonly read?: Readonly<Record<string, unknown>> };
}

export function isAlreadyDone(value: unknown): value is AlreadyDone {
  const { repeated } = (value ?? {}) as Partial<AlreadyDone>;
  return typeof repeated?.message === 'string';
}

/** A typed call cannot return this instead of its answer. */
export function alreadyDone({ repeated: { message, read } }: AlreadyDone): PlannerError {
  return new PlannerError('conflict', message, { outcome: 'done', ...(read === undefined ? {} : { read }) });
}

export function plannerError({ error, message, ...details }: ErrorBody): PlannerError {
  return new PlannerError(error, message, details);
}
