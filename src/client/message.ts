import { PlannerError } from '../base/errors.ts';
import type { ErrorBody } from '../base/errors.ts';

export type RpcId = string | number;

/** A JSON-RPC message: a request has a method and an id, a notification no id, a response no method. */
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
  /** The error body, if Planner sent it. */
  readonly data?: unknown;
}

/** The error in a response, or undefined. */
export function errorOf(answer: unknown): PlannerError | undefined {
  const { data, message } = (answer as { readonly error?: Partial<RpcFailure> } | null | undefined)?.error ?? {};
  if (isErrorBody(data)) return plannerError(data);
  return typeof message === 'string' ? new PlannerError('unavailable', message) : undefined;
}

export function isErrorBody(value: unknown): value is ErrorBody {
  const { error, message } = (value ?? {}) as Partial<ErrorBody>;
  return typeof error === 'string' && typeof message === 'string';
}

/** The response to a retry whose original result the service no longer has. */
interface AlreadyDone {
  readonly repeated: { readonly message: string; readonly read?: Readonly<Record<string, unknown>> };
}

export function isAlreadyDone(value: unknown): value is AlreadyDone {
  const { repeated } = (value ?? {}) as Partial<AlreadyDone>;
  return typeof repeated?.message === 'string';
}

/** The error for it, since a typed call cannot return another type. */
export function alreadyDone({ repeated: { message, read } }: AlreadyDone): PlannerError {
  return new PlannerError('conflict', message, { outcome: 'done', ...(read === undefined ? {} : { read }) });
}

export function plannerError({ error, message, ...details }: ErrorBody): PlannerError {
  return new PlannerError(error, message, details);
}
