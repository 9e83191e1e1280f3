import type { Request, RequestHandler, Response } from 'express';
import { PlannerError } from '../base/errors.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';
import type { Metrics } from './metrics.ts';
import { sendRaw } from './send.ts';
import type { RequestFacts } from './request-log.ts';

export interface MetricsRouteOptions {
  readonly metrics: Metrics;
  readonly authenticator: Authenticator;
}

/** `GET /metrics` for Prometheus, for owners only. Mount it at `/metrics`. */
export function metricsRoute({ metrics, authenticator }: MetricsRouteOptions): RequestHandler {
  return (request, response, next) => {
    if (request.path !== '/') return next();
    (response.locals as RequestFacts).route = '/metrics';
    answer(request, response, metrics, authenticator).catch(next);
  };
}

async function answer(
  { method, headers }: Request,
  response: Response,
  metrics: Metrics,
  authenticator: Authenticator,
): Promise<void> {
  const facts = response.locals as RequestFacts;
  const { baseUrl, address } = facts;
  const { kind } = await authenticator.authenticate(headers, { transport: 'rest', method, baseUrl, address });
  facts.caller = kind;
  if (kind !== 'owner') throw new PlannerError('forbidden', 'Only owners may read /metrics.');
  if (method !== 'GET' && method !== 'HEAD') {
    const allow = ['GET', 'HEAD'];
    throw new PlannerError('method_not_allowed', `/metrics does not support ${method}, only ${allow.join(', ')}.`, {
      allow,
    });
  }
  await sendRaw(response, 200, await metrics.expose(), { 'Cache-Control': 'no-store' });
}
