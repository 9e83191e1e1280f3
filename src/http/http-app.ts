import express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { PlannerError } from '../errors.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { refuseOtherSites, requireOneHost } from './fetch-site.ts';
import type { Guard } from './guard.ts';
import { pageSecurity, strictTransport } from './security-headers.ts';
import { sendError } from './send.ts';
import { setRequestId } from './request-log.ts';

export interface HttpAppOptions {
  /** Decides who may call at all and answers the service's address as the caller sees it. Asked for once the port is known. */
  readonly guard: () => Guard;
  /** The service is reached by https, and by nothing else from now on. */
  readonly secure: boolean;
  readonly rest: RequestHandler;
  readonly mcp: RequestHandler;
  /** Pages for who comes with a link; hands on what is none of them. */
  readonly guestPages: RequestHandler;
  /** Where a person signs in; absent where nobody needs to. */
  readonly signIn?: SignInPages | undefined;
  /** Answers GETs of `/metrics`. */
  readonly metrics: RequestHandler;
  /** Answers for what the page loads; hands on what is none of it. */
  readonly assets: RequestHandler;
  /** Answers GETs for HTML that nothing else answers. */
  readonly page: RequestHandler;
  readonly log: Log;
}

/** The pages on which a person signs in and out. */
export interface SignInPages {
  /** Hands on what is none of them. */
  readonly pages: RequestHandler;
  /** Sends a browser without a valid credential there, where it may not answer with a password instead. */
  readonly redirectToSignIn?: ((request: Request, response: Response) => void) | undefined;
}

/** The service's one Express app: the guard before everything, the doors at their paths, JSON for whatever is nowhere. */
export function httpApp(options: HttpAppOptions): RequestListener {
  const { guard, secure, rest, mcp, guestPages, signIn, metrics, assets, page, log } = options;
  const harden = secure ? strictTransport() : undefined;
  const app = express();
  app.disable('x-powered-by');
  app.use((request, response, next) => {
    try {
      harden?.(request, response, () => undefined);
      Object.assign(response.locals, checkRequest(guard(), request, request.url));
    } catch (error) {
      return next(error);
    }
    next();
  });
  app.use('/api/v1', rest);
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
    throw new PlannerError('not_found', `There is no ${method} ${path} here. REST is at /api/v1, MCP at /mcp.`, {
      resource: 'route',
      id: path,
    });
  });
  // Express knows an error handler by its four parameters.
  const onError: ErrorRequestHandler = (thrown, request, response, _next) => {
    const error = asPlannerError(thrown, log, `${request.method} ${firstSegment(request.path)}`);
    if (response.headersSent) return response.destroy();
    const person = error.code === 'unauthorized' && request.headers.authorization === undefined && wantsPage(request);
    if (person && signIn?.redirectToSignIn !== undefined) return signIn.redirectToSignIn(request, response);
    sendError(response, error);
  };
  app.use(onError);
  return withDirectRoutes({ guard, harden, rest, mcp, app, log });
}

/** What doors know of a request from the start. Throws for one that is not looked at at all. */
function checkRequest(
  guard: Guard,
  request: IncomingMessage,
  url: string,
): { baseUrl: string; address: string | undefined } {
  requireOneHost(request);
  const baseUrl = guard.check(request.headers);
  refuseOtherSites(request, url);
  return { baseUrl, address: guard.addressOf(request) };
}

const restPrefix = '/api/v1';
const mcpPath = '/mcp';

/**
 * REST and MCP match their paths by themselves: their requests go there without Express looking at them first, which costs a fifth of a
 * read. What they do not get here (other spellings of the paths) comes to them through the app.
 */
function withDirectRoutes({
  guard,
  harden,
  rest,
  mcp,
  app,
  log,
}: Pick<HttpAppOptions, 'guard' | 'rest' | 'mcp' | 'log'> & {
  readonly app: RequestListener;
  readonly harden: ReturnType<typeof strictTransport> | undefined;
}): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url!;
    const [prefix, door] = url.startsWith(`${restPrefix}/`) ? [restPrefix, rest] : [mcpPath, mcp];
    if (door === mcp && url !== mcpPath && url !== `${mcpPath}/`) {
      setRequestId(response);
      return app(request, response);
    }
    const answer = response as Response;
    try {
      harden?.(request, response, () => undefined);
      answer.locals = checkRequest(guard(), request, url);
    } catch (thrown) {
      return sendError(response, asPlannerError(thrown, log, `${request.method} ${prefix}`));
    }
    request.url = url.slice(prefix.length) || '/';
    door(request as Request, answer, () => undefined);
  };
}

/** Of a path what may stand in a log: its first segment. What follows may be a token. */
function firstSegment(path: string): string {
  return /^\/[^/]*/.exec(path)?.[0] ?? '/';
}

/** Programs look for JSON below these and are confused by a page there. */
const apiPrefixes = ['/api', '/mcp', '/.well-known', '/register', '/authorize', '/token'];

function wantsPage(request: Request): boolean {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD') return false;
  // Uptime monitors, link previews and curl accept anything; at other paths they may look for JSON.
  if (path === '/') return request.accepts('html', 'json') === 'html';
  return (
    (request.headers.accept ?? '').includes('text/html') &&
    !apiPrefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  );
}
