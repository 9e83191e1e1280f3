import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';

/** A REST response as tests read it. `body` is the parsed JSON, or undefined. */
export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into bodies of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Calls a service's REST interface. Paths are below /api/v1. */
export class RestClient {
  readonly url: string;
  /** Headers of every request: a credential. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url;
    this.headers = headers;
  }

  get(path: string, headers?: Record<string, string>): Promise<RestResponse> {
    return this.send('GET', path, undefined, headers);
  }
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<RestResponse> {
    return this.send('POST', path, body, headers);
  }
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<RestResponse> {
    return this.send('PATCH', path, body, headers);
  }
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<RestResponse> {
    return this.send('PUT', path, body, headers);
  }
  delete(path: string, headers?: Record<string, string>): Promise<RestResponse> {
    return this.send('DELETE', path, undefined, headers);
  }

  /** A body that is a string or bytes is sent unchanged, anything else as JSON. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RestResponse> {
    const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const sent = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...this.headers, ...headers };
    const url = `${this.url}/api/v1${path}`;
    if (url.startsWith('http:')) return exchange(url, { method, headers: sent }, raw);
    return answerOf(await fetch(url, { method, headers: sent, ...(raw === undefined ? {} : { body: raw as string }) }));
  }
}

/** Sends one request by `node:http`, which takes half the processor time of `fetch`, and tests send tens of thousands. */
async function exchange(
  url: string,
  options: RequestOptions,
  body: string | Uint8Array | undefined,
): Promise<RestResponse> {
  const outgoing = request(url, options);
  // A service may answer before it has read a body, and close the connection.
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.on('error', () => {});
  outgoing.end(body);
  const [incoming] = await answered;
  const { location } = incoming.headers;
  if (location !== undefined && [301, 302, 303, 307, 308].includes(incoming.statusCode!)) {
    incoming.resume();
    return exchange(new URL(location, url).href, options, body);
  }
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!);
  return readAs(incoming.statusCode!, headers, await text(incoming));
}

export async function answerOf(response: Response): Promise<RestResponse> {
  return readAs(response.status, response.headers, await response.text());
}

function readAs(status: number, headers: Headers, content: string): RestResponse {
  const isJson = (headers.get('content-type') ?? '').startsWith('application/json');
  return { status, headers, body: content === '' ? undefined : isJson ? JSON.parse(content) : content };
}
