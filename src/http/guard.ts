import type { IncomingMessage } from 'node:http';
import type { RequestFacts } from './request-log.ts';

/** Checks the Host and Origin of every request before its credential is read. */
export interface Guard {
  /** Returns the service's URL for this caller, and the client's network address. Throws `forbidden`. */
  check(request: Pick<IncomingMessage, 'headers' | 'socket'>): Pick<RequestFacts, 'baseUrl' | 'address'>;
}
