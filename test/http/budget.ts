import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { countBodyFor, leaseBody } from '../../src/http/body-budget.ts';
import type { BodyLease } from '../../src/http/body-budget.ts';

/** Leases a body of the given Content-Length; without a credential it counts against the address. */
export function budgetOf(credential?: string, announced?: number): BodyLease {
  const request = new IncomingMessage(new Socket());
  if (announced !== undefined) request.headers['content-length'] = String(announced);
  if (credential !== undefined) countBodyFor(request, credential);
  return leaseBody(request);
}
