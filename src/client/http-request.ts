import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text, or pieces that are sent as they are read. */
  readonly body?: string | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined;
  /** Ends the request and the response's body. */
  readonly signal?: AbortSignal | undefined;
}

/** A response before its body is read. The body has to be read or destroyed. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** How long a connection may be silent. */
const silentMsMax = 300_000;

/**
 * Sends one HTTP request. Follows no redirect: that would send a key to another service. Rejects with an error of the
 * system that has a `code`, or with the signal's reason. It is not `fetch`, because loading that takes more time and
 * memory than all else that a short command does.
 */
export async function httpRequest(
  url: string,
  { method = 'GET', headers = {}, body, signal }: HttpRequest = {},
): Promise<HttpResponse> {
  signal?.throwIfAborted();
  const { request: open } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...(typeof body === 'string' ? { 'Content-Length': Buffer.byteLength(body) } : {}) },
    ...(signal === undefined ? {} : { signal }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = open(url, options, resolve).on('error', reject);
  request.setTimeout(silentMsMax, () => request.destroy(silence()));
  send(request, body, reject);
  let response: IncomingMessage;
  try {
    response = await promise;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  const { statusCode: status = 0 } = response;
  if (status >= 300 && status < 400) {
    request.destroy();
    throw new Error('unexpected redirect');
  }
  return { status, headers: response.headers, body: response };
}

function silence(): Error {
  return Object.assign(new Error(`no data for ${silentMsMax / 1000} s`), { code: 'ETIMEDOUT' });
}

/** The whole body of a response. */
export async function textOf({ body }: Pick<HttpResponse, 'body'>): Promise<string> {
  return text(body);
}

function send(request: ClientRequest, body: HttpRequest['body'], failed: (error: unknown) => void): void {
  if (body === undefined || typeof body === 'string') request.end(body);
  // A service may respond before it has read all, and close the connection: then the response counts.
  else pipeline(Readable.from(body), request).catch(failed);
}
