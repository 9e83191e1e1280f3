import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Checks the Host and Origin of every request before its credential is read. */
export interface Guard {
  /** Returns the service's URL for this caller, without a trailing slash. Throws `forbidden`. */
  check(headers: IncomingHttpHeaders): string;
  /** The client's network address. */
  addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined;
}
