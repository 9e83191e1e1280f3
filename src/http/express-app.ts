import express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { RequestListener } from 'node:http';
import { restPrefix } from '../base/addresses.ts';
import { PlannerError } from '../base/errors.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { namesType } from './event-stream.ts';
import { pageSecurity } from './security-headers.ts';
import { sendError } from './send.ts';

export interface ExpressAppOptions {
  /** Runs first, for every request. Throws the error that the caller is sent. */
  readonly check: (request: Request, response: Response) => void;
  readonly rest: RequestHandler;
  readonly mcp: RequestHandler;
  /** Pages of share and participant links. Calls `next` for other paths. */
  readonly guestPages: RequestHandler;
  /** Absent if no sign-in is needed. */
  readonly signIn?: SignInPages | undefined;
  /** Serves GET /metrics. */
  readonly metrics: RequestHandler;
  /** Serves the files of the web page. Calls `next` for other paths. */
  readonly assets: RequestHandler;
  /** Serves the web page for every other GET that accepts HTML. */
  readonly page: RequestHandler;
  readonly log: Log;
}

/** The sign-in and sign-out pages. */
export interface SignInPages {
  /** Calls `next` for other paths. */
  readonly pages: RequestHandler;
  /** Redirects a browser without a valid credential to the sign-in page. Absent if the browser may send a password instead. */
  readonly redirectToSignIn?: ((request: Request, response: Response) => void) | undefined;
}

/** The service's Express app: the check first, then the transports at their paths, then 404 as JSON. */
export function expressApp(options: ExpressAppOptions): RequestListener {
  const { check, rest, mcp, guestPages, signIn, metrics, assets, page, log } = options;
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response, next) => {
    try {
      check(request, response);
    } catch (error) {
      return next(error);
    }
    next();
  });
  app.use(restPrefix, rest);
  app.use('/mcp', mcp);
  app.use(pageSecurity());
  if (signIn !== undefined) app.use(signIn.pages);
  app.use(guestPages);
  app.use('/metrics', metrics);
  app.use(assets);
  app.use((request, response, next) => {
    if (!wantsPage(request)) return next();
    page(request, response, next);
  });
  app.use(({ method, path }) => {
    throw new PlannerError(
      'not_found',
      `There is no ${method} ${path} here. REST is at /api/v1, MCP at /mcp, the page at / for browsers (Accept: text/html).`,
      {
        resource: 'route',
        id: path,
      },
    );
  });
  // Express recognises an error handler by its four parameters.
  const onError: ErrorRequestHandler = (thrown, request, response, _next) => {
    const error = asPlannerError(thrown, log, `${request.method} ${firstSegment(request.path)}`);
    if (response.headersSent) return response.destroy();
    const person = error.code === 'unauthorized' && request.headers.authorization === undefined && wantsPage(request);
    if (person && signIn?.redirectToSignIn !== undefined) return signIn.redirectToSignIn(request, response);
    sendError(response, error);
  };
  app.use(onError);
  return app;
}

/** The first segment of a path, for the log. The rest may contain a token. */
function firstSegment(path: string): string {
  return /^\/[^/]*/.exec(path)?.[0] ?? '/';
}

/** Clients expect JSON below these paths, not the web page. */
const apiPrefixes = ['/api', '/mcp', '/.well-known', '/register', '/authorize', '/token'];

function wantsPage(request: Request): boolean {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  // Uptime monitors, link previews and curl accept anything; at other paths they may look for JSON.
  if (path === '/') return request.accepts('html', 'json') === 'html';
  return (
    namesType(request.headers.accept, 'text/html') &&
    !apiPrefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  );
}
