import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { countBodyFor, leaseBody } from '../../src/http/body-budget.ts';
import type { BodyLease } from '../../src/http/body-budget.ts';

/** The lease of a request that announces so many bytes in its headers; without a credential it is counted by its address. */
export function budgetOf(credential?: string, announced?: number): BodyLease {
  const request = new IncomingMessage(new Socket());
  if (announced !== undefined) request.headers['content-length'] = String(announced);
  if (credential !== undefined) countBodyFor(request, credential);
  return leaseBody(request);
}
