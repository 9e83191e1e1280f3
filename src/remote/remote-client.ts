import { PlannerError } from '../base/errors.ts';

/** The URL of a service and the user's key for it. */
export interface RemoteAddress {
  /** Scheme, host and port, with the path if it is mounted under one; without a trailing slash. */
  readonly url: string;
  readonly key: string;
}

export interface RemoteResponse {
  readonly status: number;
  /** The strong entity tag, quotes included. */
  readonly etag: string | undefined;
  /** The parsed JSON, or undefined. */
  readonly body: unknown;
}

export interface RemoteLimits {
  /** Timeout of a whole request, in milliseconds. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

const defaults: RemoteLimits = { timeoutMs: 30_000, answerBytesMax: 32 * 1024 * 1024 };
const redirectsMax = 3;

/**
 * The only client for other services. It sends the key only to the service's origin, follows redirects only within that origin, and rejects
 * encoded responses (a small one could expand into a large one), responses that are too large, and timeouts. Rejects with `unavailable`,
 * or `payload_too_large` for the size.
 */
export class RemoteClient {
  readonly address: RemoteAddress;
  readonly #limits: RemoteLimits;

  constructor(address: RemoteAddress, limits: Partial<RemoteLimits> = {}) {
    this.address = address;
    this.#limits = { ...defaults, ...limits };
  }

  /** GETs a path below /api/v1. */
  async get(path: string): Promise<RemoteResponse> {
    const signal = AbortSignal.timeout(this.#limits.timeoutMs);
    try {
      const response = await this.#follow(new URL(`${this.address.url}/api/v1${path}`), signal);
      return {
        status: response.status,
        etag: response.headers.get('etag') ?? undefined,
        body: await this.#json(response),
      };
    } catch (thrown) {
      if (thrown instanceof PlannerError) throw thrown;
      throw this.#unavailable(signal.aborted ? 'timed out' : `does not respond (${reasonOf(thrown)})`);
    }
  }

  async #follow(first: URL, signal: AbortSignal): Promise<Response> {
    let url = first;
    for (let redirects = 0; redirects <= redirectsMax; redirects++) {
      const response = await fetch(url, {
        headers: {
          Accept: 'application/json',
          'Accept-Encoding': 'identity',
          Authorization: `Bearer ${this.address.key}`,
        },
        redirect: 'manual',
        signal,
      });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      const next = URL.parse(location, url.href);
      if (next?.origin !== first.origin)
        throw this.#unavailable('redirects to another origin, which must not get your key');
      url = next;
    }
    throw this.#unavailable('redirects too often');
  }

  async #json(response: Response): Promise<unknown> {
    const encoding = response.headers.get('content-encoding');
    if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
      await response.body?.cancel();
      throw this.#unavailable(`responds with the encoding ${encoding}, which was not requested`);
    }
    const text = await this.#text(response);
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw this.#unavailable(`responds with ${response.status} and no JSON: it may not be a Planner service`);
    }
  }

  async #text(response: Response): Promise<string> {
    const { answerBytesMax } = this.#limits;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const body: AsyncIterable<Uint8Array> | undefined = response.body ?? undefined;
    if (body === undefined) return '';
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      // Throwing cancels the rest of the body.
      if (bytes > answerBytesMax)
        throw new PlannerError('payload_too_large', this.#messageOf(`responds with over ${answerBytesMax} bytes`));
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  #unavailable(what: string): PlannerError {
    return new PlannerError('unavailable', this.#messageOf(what));
  }

  #messageOf(what: string): string {
    return `The remote ${this.address.url} ${what}.`;
  }
}

function reasonOf(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown } }).cause;
  return typeof cause?.code === 'string' ? cause.code : (error as Error).message;
}
