import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PlannerError } from '../base/errors.ts';
import { encodingOf } from './compression.ts';
import type { Encoding } from './compression.ts';
import { statusOf } from './status.ts';
import { requestIdHeader } from './request-log.ts';

/** Headers of every API response: no browser may render it as a page, frame or script. */
export const apiHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  // Browsers cache it but revalidate every time by entity tag.
  'Cache-Control': 'private, no-cache',
} as const;

/** Shorter texts are sent as they are: they fit into two packets. */
const compressedBytesMin = 2048;

type Headers = Readonly<Record<string, string>>;

/** A response that is not JSON. `length`: bytes of a stream, if known. `headers` take precedence over the common ones. */
export interface Raw {
  readonly type: string;
  readonly content: string | Uint8Array | Readable;
  readonly length?: number;
  readonly headers?: Headers;
}

/** Sends a JSON text. `more`: additional headers. */
export function sendText(response: ServerResponse, status: number, text: string, more?: Headers): void {
  const bytes = Buffer.byteLength(text);
  const { headers, gzip }: Encoding = bytes <= compressedBytesMin ? { headers: {} } : encodingOf(response);
  if (gzip !== undefined) {
    response.writeHead(status, { ...apiHeaders, ...requestIdHeader(response), ...more, ...headers });
    gzip.end(text);
    // Failures end the connection.
    return void pipeToEnd([gzip], response).catch(() => undefined);
  }
  response.writeHead(status, {
    ...apiHeaders,
    ...requestIdHeader(response),
    ...more,
    ...headers,
    'Content-Length': bytes,
  });
  // A text of one byte per character is ASCII, which Node writes as latin1 without the conversion to UTF-8.
  response.end(text, bytes === text.length ? 'latin1' : 'utf8');
}

export function sendJson(response: ServerResponse, status: number, body: unknown, more?: Headers): void {
  sendText(response, status, JSON.stringify(body), more);
}

/**
 * Streams a JSON text in chunks. A text of one chunk is sent with its Content-Length. If the generator throws, the connection is destroyed,
 * so that a truncated response is not mistaken for a complete one.
 */
export async function sendChunks(
  response: ServerResponse,
  status: number,
  pieces: AsyncGenerator<string>,
  more?: Headers,
): Promise<void> {
  const first = await pieces.next();
  const second = await pieces.next();
  if (first.done === true || second.done === true)
    return sendText(response, status, first.done === true ? '' : first.value, more);
  const { headers, gzip } = encodingOf(response);
  response.writeHead(status, { ...apiHeaders, ...requestIdHeader(response), ...more, ...headers });
  const content = Readable.from(concatenated([first.value, second.value], pieces), { objectMode: false });
  await pipeToEnd(gzip === undefined ? [content] : [content, gzip], response);
}

/** Pipes a stream, through others, to the response. A client that disconnects early is not an error. */
async function pipeToEnd(content: readonly (Readable | Duplex)[], response: ServerResponse): Promise<void> {
  try {
    await pipeline([...content, response] as [Readable, ...Duplex[], ServerResponse]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* concatenated(first: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    // Not `yield*`: an array iterator has no `throw`, which is called if the client disconnects.
    for (const piece of first) yield piece;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Sends a response that is not JSON. If a stream fails before its first byte, its error is thrown; later, the connection is destroyed, so that a truncated response is not mistaken for a complete one. */
export async function sendRaw(
  response: ServerResponse,
  status: number,
  { type, content, length, headers }: Raw,
  more?: Headers,
): Promise<void> {
  const bytes =
    typeof content === 'string' ? Buffer.byteLength(content) : 'byteLength' in content ? content.byteLength : length;
  // Until there are bytes, a failure can still be reported.
  if (content instanceof Readable) await once(content, 'readable');
  response.writeHead(status, {
    ...apiHeaders,
    ...requestIdHeader(response),
    ...more,
    ...headers,
    'Content-Type': type,
    ...(bytes === undefined ? {} : { 'Content-Length': bytes }),
  });
  if (content instanceof Readable) await pipeToEnd([content], response);
  else response.end(content);
}

/**
 * Sends a response without a body: 204 or 304. A browser replaces cached headers by a 304's, so a 304 has no policy: a
 * cached page or file keeps its own.
 */
export function sendEmpty(response: ServerResponse, status: number, more?: Headers): void {
  const { 'Content-Type': _, 'Content-Security-Policy': policy, ...headers } = apiHeaders;
  const guarded = status === 304 ? undefined : { 'Content-Security-Policy': policy };
  response.writeHead(status, { ...headers, ...guarded, ...requestIdHeader(response), ...more });
  response.end();
}

/** Headers that depend on the error: WWW-Authenticate, Retry-After, Allow. */
export function errorHeaders(error: PlannerError): Headers {
  const { allow, retry_after: seconds, schemes } = error.details;
  if (error.code === 'unauthorized') return { 'WWW-Authenticate': challenges(Array.isArray(schemes) ? schemes : []) };
  const mayWait = error.code === 'rate_limited' || error.code === 'unavailable';
  if (mayWait && typeof seconds === 'number') return { 'Retry-After': String(seconds) };
  return error.code === 'method_not_allowed' && Array.isArray(allow) ? { Allow: allow.join(', ') } : {};
}

/** The challenges of a 401. Bearer if no scheme is known: a 401 must have one. */
function challenges(schemes: readonly unknown[]): string {
  const basic = 'Basic realm="planner", charset="UTF-8"';
  const named = schemes.map((scheme) => (scheme === 'Basic' ? basic : 'Bearer realm="planner"'));
  return named.length === 0 ? 'Bearer realm="planner"' : named.join(', ');
}

/** Sends an error in the common error format. */
export function sendError(response: ServerResponse, error: PlannerError): void {
  sendJson(response, statusOf[error.code], error, errorHeaders(error));
}
