import express from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { restPrefix } from '../addresses.ts';
import { PlannerError } from '../errors.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { refuseOtherSites, requireOneHost } from './fetch-site.ts';
import type { Guard } from './guard.ts';
import { pageSecurity, strictTransport } from './security-headers.ts';
import { sendError } from './send.ts';
import { setRequestId } from './request-log.ts';

export interface HttpAppOptions {
  /** Checks Host and Origin. Called per request, since it exists only after the port is bound. */
  readonly guard: () => Guard;
  /** The public URL is https: sends Strict-Transport-Security. */
  readonly secure: boolean;
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

/** The service's Express app: the guard first, then the transports at their paths, then 404 as JSON. */
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
  return withDirectRoutes({ guard, harden, rest, mcp, app, log });
}

/** Runs the guard and the CSRF checks. Returns the properties of the request that every transport needs. */
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

const mcpPath = '/mcp';

/**
 * Passes requests below /api/v1 and /mcp to REST and MCP directly. They match their paths themselves, and Express's routing costs a fifth
 * of a read. Other spellings of these paths reach them through the app.
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
    const [prefix, transport] = url.startsWith(`${restPrefix}/`) ? [restPrefix, rest] : [mcpPath, mcp];
    if (transport === mcp && url !== mcpPath && url !== `${mcpPath}/`) {
      setRequestId(response);
      return app(request, response);
    }
    const expressResponse = response as Response;
    try {
      harden?.(request, response, () => undefined);
      expressResponse.locals = checkRequest(guard(), request, url);
    } catch (thrown) {
      return sendError(response, asPlannerError(thrown, log, `${request.method} ${prefix}`));
    }
    request.url = url.slice(prefix.length) || '/';
    transport(request as Request, expressResponse, () => undefined);
  };
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
    (request.headers.accept ?? '').includes('text/html') &&
    !apiPrefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
  );
}
