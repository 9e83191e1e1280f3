import type { Request, Response } from 'express';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { restPrefix } from '../base/addresses.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { ExpressAppOptions } from './express-app.ts';
import { refuseOtherSites, requireOneHost } from './fetch-site.ts';
import type { Guard } from './guard.ts';
import { strictTransport } from './security-headers.ts';
import { sendError } from './send.ts';
import { type RequestFacts, setRequestId } from './request-log.ts';

export interface HttpAppOptions extends Omit<ExpressAppOptions, 'check'> {
  /** `guard` checks Host and Origin. It exists once the port is bound, before the first request. */
  readonly bound: { readonly guard?: Guard };
  /** The public URL is https: sends Strict-Transport-Security. */
  readonly secure: boolean;
}

/** The handler of all requests. */
export function httpApp({ secure, ...options }: HttpAppOptions): RequestListener {
  const harden = secure ? strictTransport() : undefined;
  const check = (request: IncomingMessage, response: ServerResponse & { locals: object }): void => {
    harden?.(request, response, () => undefined);
    Object.assign(response.locals, checkRequest(options.bound.guard!, request, request.url!));
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
function checkRequest(guard: Guard, request: IncomingMessage, url: string): RequestFacts {
  requireOneHost(request);
  const facts = guard.check(request);
  refuseOtherSites(request, url);
  return facts;
}

const mcpPath = '/mcp';

/**
 * Passes requests below /api/v1 and /mcp to REST and MCP directly. They match their paths themselves, and Express's routing costs a fifth
 * of a read. Other spellings of these paths reach them through the app.
 */
function withDirectRoutes(
  { bound, rest, mcp, log }: Pick<HttpAppOptions, 'bound' | 'rest' | 'mcp' | 'log'>,
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
      expressResponse.locals = checkRequest(bound.guard!, request, url);
    } catch (thrown) {
      return sendError(response, asPlannerError(thrown, log, `${request.method} ${prefix}`));
    }
    request.url = url.slice(prefix.length) || '/';
    transport(request as Request, expressResponse, () => undefined);
  };
}
