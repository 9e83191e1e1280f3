import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { requestIdHeader } from './request-log.ts';
import { apiHeaders } from './send.ts';

/** How often a stream without events sends something, so that proxies keep the connection and a lost client is noticed. */
export const keepAliveMs = 15_000;

const streamType = 'text/event-stream';

/** Whether a request asks for Server-Sent Events. */
export function wantsEventStream(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes(streamType) === true;
}

/** Begins a response of Server-Sent Events, with further headers. */
export function beginEventStream(response: ServerResponse, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, {
    ...apiHeaders,
    ...requestIdHeader(response),
    ...headers,
    'Content-Type': `${streamType}; charset=utf-8`,
    'Cache-Control': 'no-cache, no-transform',
    // nginx otherwise buffers the response.
    'X-Accel-Buffering': 'no',
  });
}

/**
 * Writes a part of the stream. Resolves when the client has read enough that more may be written, or has disconnected:
 * nothing is read for a slow client meanwhile, and the server ends connections that do not progress.
 */
export async function writeToStream(response: ServerResponse, text: string): Promise<void> {
  // A response whose client has disconnected stays writable, and is never drained.
  if (response.closed || !response.writable) return;
  if (!response.write(text)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
}

/** Aborts when the client has disconnected, or when `closing` aborts, with its reason. */
export function goneSignal(response: ServerResponse, closing: AbortSignal | undefined): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => gone.abort(closing?.reason);
  closing?.addEventListener('abort', abort);
  response.once('close', () => {
    closing?.removeEventListener('abort', abort);
    abort();
  });
  if (closing?.aborted === true) abort();
  return gone.signal;
}
