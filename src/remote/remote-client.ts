import { PlannerError } from '../errors.ts';

/** A service that answers, and the key that this user has there. */
export interface RemoteAddress {
  /** Scheme, host and port, and the path under which it is mounted if there is one; without a final slash. */
  readonly url: string;
  readonly key: string;
}

export interface RemoteResponse {
  readonly status: number;
  /** The strong entity tag, quotes included. */
  readonly etag: string | undefined;
  /** The parsed JSON, undefined where there is none. */
  readonly body: unknown;
}

export interface RemoteLimits {
  /** Milliseconds that a whole answer may take. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}

const defaults: RemoteLimits = { timeoutMs: 30_000, answerBytesMax: 32 * 1024 * 1024 };
const redirectsMax = 3;

/**
 * The one client that asks another service. It sends the key to its own origin alone, follows redirects only within it, takes no encoded
 * answer (a small one could become a large one), and no answer that is too long or takes too long. Throws `unavailable` for all of these.
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
      throw this.#unavailable(signal.aborted ? 'took too long to answer' : `does not answer (${reasonOf(thrown)})`);
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
      if (next?.origin !== first.origin) throw this.#unavailable('sends elsewhere, where your key must not go');
      url = next;
    }
    throw this.#unavailable('sends in a circle');
  }

  async #json(response: Response): Promise<unknown> {
    const encoding = response.headers.get('content-encoding');
    if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
      await response.body?.cancel();
      throw this.#unavailable(`answers in the encoding ${encoding}, which was not asked for`);
    }
    const text = await this.#text(response);
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw this.#unavailable(`answers ${response.status} and no JSON: it may be no Planner service`);
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
      // Leaving the loop cancels what is still to come.
      if (bytes > answerBytesMax)
        throw new PlannerError('payload_too_large', this.#messageOf(`answers over ${answerBytesMax} bytes`));
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
