import type { Request, RequestHandler, Response } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { restPrefix } from '../addresses.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { refuseOtherSites, requireOneHost } from './fetch-site.ts';
import type { Guard } from './guard.ts';
import { strictTransport } from './security-headers.ts';
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

/** The handler of all requests. */
export function httpApp({ secure, ...options }: HttpAppOptions): RequestListener {
  const harden = secure ? strictTransport() : undefined;
  const check = (request: IncomingMessage, response: ServerResponse & { locals: object }): void => {
    harden?.(request, response, () => undefined);
    Object.assign(response.locals, checkRequest(options.guard(), request, request.url!));
  };
  return withDirectRoutes(
    options,
    harden,
    loadedOnDemand(options.log, async () => {
      const { expressApp } = await import('./express-app.ts');
      return expressApp({ ...options, check });
    }),
  );
}

/** A handler that is loaded by its first request: Express takes a fifth of the start of a service, and most calls do not need it. */
function loadedOnDemand(log: Log, load: () => Promise<RequestListener>): RequestListener {
  let loaded: RequestListener | undefined;
  let loading: Promise<RequestListener> | undefined;
  return (request, response) => {
    if (loaded !== undefined) return loaded(request, response);
    (loading ??= load()).then(
      (handler) => (loaded = handler)(request, response),
      (thrown: unknown) => {
        loading = undefined;
        sendError(response, asPlannerError(thrown, log, 'Express'));
      },
    );
  };
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
function withDirectRoutes(
  { guard, rest, mcp, log }: Pick<HttpAppOptions, 'guard' | 'rest' | 'mcp' | 'log'>,
  harden: ReturnType<typeof strictTransport> | undefined,
  app: RequestListener,
): RequestListener {
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
