import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { requestIdHeader } from './request-log.ts';
import { apiHeaders } from './send.ts';

/** How often a stream without events sends something, so that proxies keep the connection and a lost client is noticed. */
export const keepAliveMs = 15_000;

const streamType = 'text/event-stream';

/**
 * Returns whether a request asks for Server-Sent Events by name: a range that includes them, as every client sends it,
 * does not.
 */
export function wantsEventStream(accept: string | undefined): boolean {
  return namesType(accept, streamType);
}

/**
 * Returns whether a request prefers Server-Sent Events, named, to JSON. With equal preference it gets a stream: a
 * client that names it can read it, and names JSON for errors.
 */
export function prefersEventStream(accept: string | undefined): boolean {
  return wantsEventStream(accept) && qualityOf(accept, streamType) >= qualityOf(accept, 'application/json');
}

/** Returns whether an Accept header allows a media type by its name. */
export function namesType(accept: string | undefined, type: string): boolean {
  return rangesOf(accept ?? '').some(({ range, quality }) => range === type && quality > 0);
}

/** Returns whether an Accept header allows a media type. */
export function accepts(accept: string | undefined, type: string): boolean {
  return qualityOf(accept, type) > 0;
}

/**
 * How much an Accept header likes a media type, by RFC 9110: the most specific range that includes it decides, letter case and parameters
 * other than `q` do not count, and a request without the header allows everything.
 */
function qualityOf(accept: string | undefined, type: string): number {
  const ranges = rangesOf(accept ?? '');
  if (ranges.length === 0) return 1;
  const including = [type, `${type.split('/')[0]!}/*`, '*/*'].map((range) =>
    ranges.filter((one) => one.range === range),
  );
  const deciding = including.find((found) => found.length > 0) ?? [];
  return Math.max(0, ...deciding.map(({ quality }) => quality));
}

function rangesOf(accept: string): { readonly range: string; readonly quality: number }[] {
  return accept
    .replaceAll(/"(?:\\.|[^"\\])*"/g, '""')
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim().toLowerCase()))
    .filter(([range]) => range !== '')
    .map(([range, ...parameters]) => {
      const [, quality] = parameters.map((parameter) => /^q\s*=\s*(\d(?:\.\d*)?)$/.exec(parameter)).find(Boolean) ?? [];
      return { range: range!, quality: quality === undefined ? 1 : Number(quality) };
    });
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
 * until then nothing is read for a slow client, and the server ends connections that do not progress.
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
