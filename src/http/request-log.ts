import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { randomName } from '../ids.ts';

/** The log entry of a finished request. It contains no secrets: no path, no query, no body. */
export interface RequestLogEntry {
  /** The value of X-Request-Id in the response. */
  readonly id: string;
  readonly method: string;
  /** The route pattern: `/api/v1/tasks/:task_id`, `/mcp update_task`; `unmatched` if there is none. */
  readonly route: string;
  /** 499, as in nginx, if the client disconnected before the response headers were sent. */
  readonly status: number;
  readonly ms: number;
  /** Kind of the caller; null if it was not authenticated. */
  readonly caller: string | null;
  /** The client disconnected before the response was complete. */
  readonly aborted: boolean;
}

export interface RequestLogOptions {
  readonly clock: Clock;
  readonly onFinished: (entry: RequestLogEntry) => void;
}

interface LogFields {
  route?: string;
  caller?: string;
}

/** A response with the fields that the log reads. */
type LoggedResponse = ServerResponse & { readonly locals?: LogFields; [requestId]?: string };

const requestId = Symbol('request id');
const goneStatus = 499;

/** An X-Request-Id from a proxy or client is kept, so that its log and ours have the same id for a request. */
const idPattern = /^[\w.:-]{1,128}$/;
const idHeader = 'X-Request-Id';

/** The X-Request-Id header for responses that pass their headers to `writeHead`: calling `setHeader` first would slow all of them. */
export function requestIdHeader(response: LoggedResponse): { readonly 'X-Request-Id'?: string } {
  const id = response[requestId];
  return id === undefined || response.hasHeader(idHeader) ? {} : { [idHeader]: id };
}

/** Sets X-Request-Id on a response that another handler writes. */
export function setRequestId(response: LoggedResponse): void {
  const id = response[requestId];
  if (id !== undefined) response.setHeader(idHeader, id);
}

/** Wraps a handler: assigns each request an id and calls `onFinished` once per request, when its response is closed. */
export function withRequestLog(handler: RequestListener, { clock, onFinished }: RequestLogOptions): RequestListener {
  const process = randomName();
  let count = 0;
  return (request: IncomingMessage, response: LoggedResponse) => {
    const began = clock.monotonic();
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && idPattern.test(given) ? given : `${process}-${(++count).toString(36)}`;
    response[requestId] = id;
    response.once('close', () => {
      const { caller = null } = response.locals ?? {};
      onFinished({
        id,
        method: request.method!,
        route: routeOf(response),
        status: response.headersSent ? response.statusCode : goneStatus,
        ms: Math.round((clock.monotonic() - began) * 1000) / 1000,
        caller,
        aborted: !response.writableFinished,
      });
    });
    handler(request, response);
  };
}

/** Records the route pattern of a request for the log. Never the path: a parameter may be a token. */
export function noteRoute({ locals }: { readonly locals: object }, route: string): void {
  (locals as LogFields).route = route;
}

/** The route pattern of a request; `unmatched` if none is recorded. */
export function routeOf({ locals }: { readonly locals?: object }): string {
  return (locals as LogFields | undefined)?.route ?? 'unmatched';
}

/** Records the kind of the caller for the log. */
export function noteCaller({ locals }: { readonly locals: object }, kind: string): void {
  (locals as LogFields).caller = kind;
}
