import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';

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
    const all = { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...this.headers, ...headers };
    const url = `${this.url}/api/v1${path}`;
    // Of an encrypted connection, the certificates count that a test has set.
    if (url.startsWith('https:'))
      return answerOf(
        await fetch(url, { method, headers: all, ...(raw === undefined ? {} : { body: raw as string }) }),
      );
    return exchange(url, { method, headers: { 'Accept-Encoding': 'gzip', ...all }, body: raw ?? null });
  }
}

const dispatcher = new Agent();

type Sent = NonNullable<Parameters<typeof request>[1]>;

/** Sends a request by what is below `fetch`, for half its processor time: tests send tens of thousands. Rejects as `fetch` does. */
export async function exchange(url: string, sent: Sent): Promise<RestResponse> {
  const { statusCode, headers, bytes } = await sentAndRead(url, sent).catch((error: unknown) => {
    throw new TypeError('fetch failed', { cause: error });
  });
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
  const { location } = headers;
  if (statusCode === 303 && typeof location === 'string')
    return exchange(new URL(location, url).href, { ...sent, method: 'GET', body: null });
  let read: Headers | undefined;
  return {
    status: statusCode,
    get headers() {
      return (read ??= new Headers(pairsOf(headers)));
    },
    body: parsed(text, headers['content-type']),
  };
}

async function sentAndRead(
  url: string,
  sent: Sent,
): Promise<Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'> & { readonly bytes: Buffer }> {
  const { statusCode, headers, body } = await request(url, { dispatcher, ...sent });
  return { statusCode, headers, bytes: Buffer.from(await body.arrayBuffer()) };
}

function pairsOf(headers: Dispatcher.ResponseData['headers']): [name: string, value: string][] {
  return Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

export async function answerOf(response: Response): Promise<RestResponse> {
  const { status, headers } = response;
  return { status, headers, body: parsed(await response.text(), headers.get('content-type')) };
}

function parsed(text: string, type: string | readonly string[] | null | undefined): unknown {
  if (text === '') return undefined;
  return String(type).startsWith('application/json') ? JSON.parse(text) : text;
}
