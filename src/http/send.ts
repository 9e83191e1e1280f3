import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PlannerError } from '../errors.ts';
import { statusOf } from './status.ts';
import { requestIdHeader } from './request-log.ts';

/** On every answer of the API: nothing in it is ever a page, a frame or a script. */
export const apiHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  // Kept, but asked for again each time: what changed is told by the tag.
  'Cache-Control': 'private, no-cache',
} as const;

type Headers = Readonly<Record<string, string>>;

/** An answer that is no JSON: `length` is a stream's, in bytes, where it is known; `headers` win over those of every answer. */
export interface Raw {
  readonly type: string;
  readonly content: string | Uint8Array | Readable;
  readonly length?: number;
  readonly headers?: Headers;
}

/** Sends a JSON text. Further headers come in `more`. */
export function sendText(response: ServerResponse, status: number, text: string, more?: Headers): void {
  response.writeHead(status, {
    ...apiHeaders,
    ...requestIdHeader(response),
    ...more,
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

export function sendJson(response: ServerResponse, status: number, body: unknown, more?: Headers): void {
  sendText(response, status, JSON.stringify(body), more);
}

/**
 * Sends a JSON text piece by piece as it is made. What fits into one piece is sent with its length. A text that cannot be made to its end
 * takes the connection with it: half an answer must not pass for a whole one.
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
  response.writeHead(status, { ...apiHeaders, ...requestIdHeader(response), ...more });
  await pipeToEnd(Readable.from(concatenated([first.value, second.value], pieces), { objectMode: false }), response);
}

/** Sends a stream to its end. A reader who goes away before is no failure. */
async function pipeToEnd(content: Readable, response: ServerResponse): Promise<void> {
  try {
    await pipeline(content, response);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function* concatenated(first: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    // Not by `yield*`: a list's iterator cannot take the error that a reader who goes away leaves.
    for (const piece of first) yield piece;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Sends what is no JSON as it stands. A stream that breaks takes the connection with it: half an answer must not pass for a whole one. */
export async function sendRaw(
  response: ServerResponse,
  status: number,
  { type, content, length, headers }: Raw,
  more?: Headers,
): Promise<void> {
  const bytes =
    typeof content === 'string' ? Buffer.byteLength(content) : 'byteLength' in content ? content.byteLength : length;
  response.writeHead(status, {
    ...apiHeaders,
    ...requestIdHeader(response),
    ...more,
    ...headers,
    'Content-Type': type,
    ...(bytes === undefined ? {} : { 'Content-Length': bytes }),
  });
  if (content instanceof Readable) await pipeToEnd(content, response);
  else response.end(content);
}

/**
 * Sends an answer without a body: 204 or 304. A browser puts the headers of a 304 in the place of those that it kept: a page or a file goes
 * on under the policy that it came with.
 */
export function sendEmpty(response: ServerResponse, status: number, more?: Headers): void {
  const { 'Content-Type': _, 'Content-Security-Policy': policy, ...headers } = apiHeaders;
  const guarded = status === 304 ? undefined : { 'Content-Security-Policy': policy };
  response.writeHead(status, { ...headers, ...guarded, ...requestIdHeader(response), ...more });
  response.end();
}

/** The headers that an error's code calls for. */
export function errorHeaders(error: PlannerError): Headers {
  const { allow, retry_after: seconds, schemes } = error.details;
  if (error.code === 'unauthorized') return { 'WWW-Authenticate': challenges(Array.isArray(schemes) ? schemes : []) };
  const mayWait = error.code === 'rate_limited' || error.code === 'unavailable';
  if (mayWait && typeof seconds === 'number') return { 'Retry-After': String(seconds) };
  return error.code === 'method_not_allowed' && Array.isArray(allow) ? { Allow: allow.join(', ') } : {};
}

/** What may be sent instead. A 401 always says something: Bearer where nothing else is known. */
function challenges(schemes: readonly unknown[]): string {
  const basic = 'Basic realm="planner", charset="UTF-8"';
  const named = schemes.map((scheme) => (scheme === 'Basic' ? basic : 'Bearer realm="planner"'));
  return named.length === 0 ? 'Bearer realm="planner"' : named.join(', ');
}

/** Sends an error in the one shape of all errors. */
export function sendError(response: ServerResponse, error: PlannerError): void {
  sendJson(response, statusOf[error.code], error, errorHeaders(error));
}
