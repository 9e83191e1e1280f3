import { createServer, request } from 'node:http';
import type { Server } from 'node:http';
import { freePort } from '../support/server-process.ts';

/** When a program is killed: as a request of it arrives, or once the service has done it and before the program knows. */
export type Moment = 'before' | 'after';

/** A proxy in front of a service that kills its client at one of its requests. */
export class KillingProxy {
  readonly url: string;
  /** The request that arrives next is the one with this number. */
  next = 0;
  /** Called at that request. */
  #kill: { readonly at: number; readonly moment: Moment; readonly run: () => Promise<void> } | undefined;
  readonly #server: Server;

  /** `at`: a port; default: a free one. */
  static async start(target: () => string, at?: number): Promise<KillingProxy> {
    const port = at ?? (await freePort());
    const proxy = new KillingProxy(port, target);
    await new Promise<void>((resolve) => proxy.#server.listen(port, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(port: number, target: () => string) {
    this.url = `http://127.0.0.1:${port}`;
    this.#server = createServer((incoming, outgoing) => {
      const at = this.next++;
      const kill = this.#kill?.at === at ? this.#kill : undefined;
      if (kill?.moment === 'before') return void kill.run().then(() => outgoing.destroy());
      const { headers, method, url = '/' } = incoming;
      const to = { ...headers, host: new URL(target()).host };
      const passed = request(`${target()}${url}`, { method, headers: to }, (answer) => {
        if (kill !== undefined) {
          answer.resume();
          answer.once('end', () => void kill.run().then(() => outgoing.destroy()));
          return;
        }
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      passed.once('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
  }

  /** Calls `run` at the request with this number, from the next one on. */
  killAt(at: number, moment: Moment, run: () => Promise<void>): void {
    this.next = 0;
    this.#kill = { at, moment, run };
  }

  /** Kills no more. */
  spare(): void {
    this.#kill = undefined;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
