import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Decides whose requests are looked at at all, before any credential. */
export interface Guard {
  /** The service's address as this caller sees it, without a final slash. Throws `forbidden`. */
  check(headers: IncomingHttpHeaders): string;
  /** The network address that a request comes from. */
  addressOf(request: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined;
}
