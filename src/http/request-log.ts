import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.ts';
import { randomName } from '../base/ids.ts';

/** The log entry of a finished request. It contains no secrets: no path, no query, no body. */
export interface RequestLogEntry {
  readonly message: 'request';
  /** The value of X-Request-Id in the response. */
  readonly id: string;
  readonly method: string;
  /** The route pattern: `/api/v1/tasks/:task_id`, `/mcp update_task`; `unmatched` without a route. */
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

/** What is known of a request: the members of its response's `locals`. */
export interface RequestFacts {
  /** The service's URL for the caller, without a trailing slash. */
  readonly baseUrl: string;
  /** The client's network address. */
  readonly address?: string | undefined;
  /** The route pattern. Never the path: a parameter may be a token. */
  route?: string;
  /** Kind of the caller. */
  caller?: string;
}

/** A response with the fields that the log reads. */
type LoggedResponse = ServerResponse & {
  readonly locals?: Partial<RequestFacts>;
  [requestId]?: string;
  [arrival]?: number;
};

const requestId = Symbol('request id');
const arrival = Symbol('time of arrival');
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
  // One listener for all responses: a closure for each costs more than its entry.
  function finished(this: LoggedResponse): void {
    const { req, locals } = this;
    onFinished({
      message: 'request',
      id: this[requestId]!,
      method: req.method!,
      route: routeOf(this),
      status: this.headersSent ? this.statusCode : goneStatus,
      ms: Math.round((clock.monotonic() - this[arrival]!) * 1000) / 1000,
      caller: locals?.caller ?? null,
      aborted: !this.writableFinished,
    });
  }
  return (request: IncomingMessage, response: LoggedResponse) => {
    const given = request.headers['x-request-id'];
    response[requestId] =
      typeof given === 'string' && idPattern.test(given) ? given : `${process}-${(++count).toString(36)}`;
    response[arrival] = clock.monotonic();
    response.on('close', finished);
    handler(request, response);
  };
}

/** The route pattern of a request; `unmatched` without a recorded route. */
export function routeOf({ locals }: { readonly locals?: Partial<RequestFacts> }): string {
  return locals?.route ?? 'unmatched';
}
