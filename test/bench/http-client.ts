import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** From the call until the last byte of the response, in milliseconds. */
  readonly ms: number;
}

/** One caller with one keep-alive connection: its times exclude connecting. */
export class HttpClient {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends a request. `path` is below /api/v1; a body is sent as JSON. Never rejects because of a status. */
  call(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const text = options.body === undefined ? undefined : JSON.stringify(options.body);
    const headers = {
      ...options.headers,
      ...(text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    };
    return new Promise((resolve, reject) => {
      const began = performance.now();
      const sent = request(`${this.#url}/api/v1${path}`, { method, agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => {
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: Buffer.concat(chunks),
            ms: performance.now() - began,
          });
        });
        response.once('error', reject);
      });
      sent.once('error', reject);
      sent.end(text);
    });
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.call('GET', path, headers && { headers });
  }

  /** Sends a request that must succeed. Resolves with its JSON. */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.call(method, path, { body });
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`);
    return JSON.parse(answer.body.toString()) as T;
  }

  close(): void {
    this.#agent.destroy();
  }
}
