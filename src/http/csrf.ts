import type { IncomingHttpHeaders } from 'node:http';
import { PlannerError } from '../base/errors.ts';

/** Throws `forbidden` if the Origin header names another site. `baseUrl`: the service's URL for the caller. */
export function requireOwnOrigin({ origin }: IncomingHttpHeaders, baseUrl: string): void {
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  throw new PlannerError(
    'forbidden',
    `Requests from the origin ${JSON.stringify(origin)} are rejected: only the link's own page may send this.`,
  );
}
