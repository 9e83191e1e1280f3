import type { IncomingHttpHeaders } from 'node:http';
import { PlannerError } from '../errors.ts';

/** Throws `forbidden` for a request that a browser sends from another site's page. `baseUrl`: the service's address as the caller sees it. */
export function requireOwnOrigin({ origin }: IncomingHttpHeaders, baseUrl: string): void {
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  throw new PlannerError(
    'forbidden',
    `A page of ${JSON.stringify(origin)} may not send this: only the link's own page may.`,
  );
}
