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
    const raw = typeof body === 'string' || body instanceof Uint8Array ? body : undefined;
    const response = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...this.headers, ...headers },
      ...(body === undefined ? {} : { body: (raw as string | undefined) ?? JSON.stringify(body) }),
    });
    return answerOf(response);
  }
}

export async function answerOf(response: Response): Promise<RestResponse> {
  const text = await response.text();
  const json = (response.headers.get('content-type') ?? '').startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : json ? JSON.parse(text) : text,
  };
}
