import { withFieldName } from './field-names.ts';
import { routes } from './operations.ts';
import type { Calls } from './operations.ts';

/** The name of an operation of the catalogue. */
export type OperationName = keyof Calls;
export type Input<N extends OperationName> = Calls[N]['input'];
export type Answer<N extends OperationName> = Calls[N]['answer'];

export interface CallOptions {
  /** The tag of the cached result: if it still matches, the result is `unchanged`. */
  readonly ifNoneMatch?: string | undefined;
  /** The tag of the state that was changed: if it does not match any more, the call is rejected with `precondition_failed`. */
  readonly ifMatch?: string | undefined;
  /** Retrying a write with the same key returns the first response. */
  readonly key?: string | undefined;
  /** The editing session that a change belongs to: its changes of a record are one revision. */
  readonly session?: string | undefined;
  /** Nothing is kept of the call, so that a repeat runs it again. */
  readonly unrepeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with the cursor of a response: later events are not included in it. */
  readonly onCursor?: ((cursor: string | undefined) => void) | undefined;
  /** The request continues when the page is unloaded; its body may then have 64 kB. */
  readonly keepalive?: boolean;
}

export interface Loaded<T> {
  readonly value: T;
  /** The entity tag of the response, for the next request. */
  readonly tag: string | undefined;
  /** The cursor of the change set that a change made. */
  readonly change?: string;
}

/** An error of the service with its message; `offline` if it could not be reached. */
export class ServiceError extends Error {
  readonly code: string;
  readonly field: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.field = typeof details['field'] === 'string' ? details['field'] : undefined;
    this.details = details;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** A route of the generated description. */
interface Route {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly body?: boolean;
}

/** Runs one operation. Throws a `ServiceError`. */
export async function call<N extends OperationName>(
  name: N,
  input: Input<N>,
  options: CallOptions = {},
): Promise<Answer<N>> {
  const answered = await callWithTag(name, input, options);
  if (answered === 'unchanged') throw new ServiceError('internal', 'Unchanged without a cached result.');
  return answered.value;
}

/** Calls an operation and returns the response with its tag, or `unchanged`. */
export async function callWithTag<N extends OperationName>(
  name: N,
  input: Input<N>,
  options: CallOptions = {},
): Promise<Loaded<Answer<N>> | 'unchanged'> {
  const { method, url, body } = placed(name, input as Members);
  const response = await reach(url, {
    method,
    headers: headersOf(options, body !== undefined, method),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.keepalive === true ? { keepalive: true } : {}),
  });
  const note = (): void => options.onCursor?.(response.headers.get('X-Planner-Cursor') ?? undefined);
  if (response.status === 304) {
    note();
    return 'unchanged';
  }
  const value = await valueOf(response);
  note();
  const change = method === 'GET' ? null : response.headers.get('X-Planner-Cursor');
  return { value: value as Answer<N>, tag: response.headers.get('ETag') ?? undefined, ...(change && { change }) };
}

/** Sends a form with one file; name and type are taken from the file. */
export function upload<N extends OperationName>(
  name: N,
  input: Partial<Input<N>>,
  file: Blob,
  filename: string,
): Promise<Answer<N>> {
  return uploadAll(name, input, [{ file, path: filename }]);
}

/** Uploads several files, whose names are paths. */
export async function uploadAll<N extends OperationName>(
  name: N,
  input: Partial<Input<N>>,
  files: readonly { readonly file: Blob; readonly path: string }[],
): Promise<Answer<N>> {
  const { method, url, body = {} } = placed(name, input);
  const form = new FormData();
  for (const [member, value] of Object.entries(body))
    if (typeof value === 'string' || typeof value === 'boolean') form.append(member, String(value));
  for (const { file, path } of files) form.append('file', file, path);
  const response = await reach(url, { method, body: form, headers: headersOf({}, false, method) });
  return await valueOf(response);
}

function headersOf(
  { ifNoneMatch, ifMatch, key, session, unrepeatable = false }: CallOptions,
  hasBody: boolean,
  method: string,
): Record<string, string> {
  return {
    ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
    ...(ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch }),
    ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
    ...(session === undefined ? {} : { 'Editing-Session': session }),
    // A write without a response can be retried and is executed once.
    ...(method === 'GET' || unrepeatable ? {} : { 'Idempotency-Key': key ?? crypto.randomUUID() }),
  };
}

/** The URL of an operation that reads, for resources that the browser itself loads, opens or saves. */
export function addressOf<N extends OperationName>(name: N, input: Input<N>): string {
  return placed(name, input as Members).url;
}

/** The request of an operation for an input: each member in the path, the query or the body. */
function placed(
  name: OperationName,
  input: Members,
): { readonly method: string; readonly url: string; readonly body: Members | undefined } {
  const route: Route = routes[name];
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (member: string): unknown => {
    const value = left.get(member);
    left.delete(member);
    return value;
  };
  const path = route.path.replace(/\{(\w+)\}/g, (_, member: string) => encodeURIComponent(String(take(member))));
  const query = new URLSearchParams();
  for (const member of route.query ?? []) {
    if (!left.has(member)) continue;
    const value = take(member);
    for (const each of Array.isArray(value) ? value : [value]) query.append(member, String(each));
  }
  return {
    method: route.method,
    url: query.size === 0 ? path : `${path}?${query.toString()}`,
    body: route.body === true ? Object.fromEntries(left) : undefined,
  };
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, credentials: 'same-origin', cache: 'no-store' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    window.dispatchEvent(new Event('planner:unreachable'));
    throw new ServiceError('offline', 'The service does not respond. The page shows its last state.');
  }
}

async function valueOf(response: Response): Promise<unknown> {
  if (response.ok) return response.status === 204 ? undefined : await response.json();
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body === 'object' && body !== null && 'error' in body && 'message' in body) {
    const { error, message, ...details } = body;
    if (error === 'unauthorized') window.dispatchEvent(new Event('planner:unauthorized'));
    throw new ServiceError(String(error), withFieldName(String(message)), details);
  }
  throw new ServiceError('internal', `The service returned ${response.status} without a reason.`);
}
