import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { randomName } from '../ids.ts';

/** What is told of a request when its answer is out. Nothing in it is secret: no path, no query, no body. */
export interface RequestLogEntry {
  /** As X-Request-Id answered it. */
  readonly id: string;
  readonly method: string;
  /** The pattern that served it: `/api/v1/tasks/:task_id`, `/mcp update_task`; `unmatched` where nothing did. */
  readonly route: string;
  /** 499, as nginx has it, where the caller was gone before anything was answered. */
  readonly status: number;
  readonly ms: number;
  /** Kind of the caller, null where none was made out. */
  readonly caller: string | null;
  /** The caller went away before the answer was out. */
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

/** A response that Express has seen. */
type LoggedResponse = ServerResponse & { readonly locals?: LogFields; [requestId]?: string };

const requestId = Symbol('request id');
const goneStatus = 499;

/** An id that a proxy or a client gives is kept, so that their logs and ours name one request alike. */
const idPattern = /^[\w.:-]{1,128}$/;
const idHeader = 'X-Request-Id';

/** The id of a request as a header of its answer, for answers whose headers are written at once: setting one before would slow all of them. */
export function requestIdHeader(response: LoggedResponse): { readonly 'X-Request-Id'?: string } {
  const id = response[requestId];
  return id === undefined || response.hasHeader(idHeader) ? {} : { [idHeader]: id };
}

/** Sets the id on an answer that somebody else is going to write. */
export function setRequestId(response: LoggedResponse): void {
  const id = response[requestId];
  if (id !== undefined) response.setHeader(idHeader, id);
}

/** The handler, with an id on every answer and each request told of once. */
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

/** Notes what serves a request, by its pattern: what stands in for a parameter may be a token. */
export function noteRoute({ locals }: { readonly locals: object }, route: string): void {
  (locals as LogFields).route = route;
}

/** What serves a request, `unmatched` as long as nothing does. */
export function routeOf({ locals }: { readonly locals?: object }): string {
  return (locals as LogFields | undefined)?.route ?? 'unmatched';
}

/** Notes who asks, by kind. */
export function noteCaller({ locals }: { readonly locals: object }, kind: string): void {
  (locals as LogFields).caller = kind;
}
