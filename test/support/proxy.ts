import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import { freePort } from './server-process.ts';

/** A reverse proxy on loopback, as in front of a hosted service: it forwards the Host header and the address of the caller. */
export class Proxy {
  readonly url: string;
  /** The address it forwards to; set before the first call. */
  target = '';
  /** Whom it says that it was called by. */
  caller = '192.0.2.1';
  readonly #server: Server;

  static async start(): Promise<Proxy> {
    const port = await freePort();
    const proxy = new Proxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(port, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.#server = createServer((incoming, outgoing) => {
      const { headers, method, url = '/' } = incoming;
      const received = headers['x-forwarded-for'];
      const forwarded = {
        'x-forwarded-for': received === undefined ? this.caller : `${String(received)}, ${this.caller}`,
        'x-forwarded-proto': 'https',
        'x-forwarded-host': headers.host,
      };
      const passed = request(`${this.target}${url}`, { method, headers: { ...headers, ...forwarded } }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      passed.once('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
