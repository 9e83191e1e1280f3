import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { freePort } from '../../support/server-process.ts';

/** The treatment of streams: they pass, are held back until they end, or are refused. */
export type StreamMode = 'pass' | 'hold' | 'refuse';

const badGateway = 502;

/** A reverse proxy on loopback whose address stays while its service is restarted. */
export class StreamProxy {
  readonly url: string;
  /** The address of the service. */
  target: string;
  mode: StreamMode = 'pass';
  #onStream = (): void => undefined;
  readonly #server: Server;
  readonly #open = new Set<ServerResponse>();
  readonly #passed = new Map<IncomingMessage, ServerResponse>();

  static async start(target: string): Promise<StreamProxy> {
    const port = await freePort();
    const proxy = new StreamProxy(port, target);
    await new Promise<void>((resolve) => proxy.#server.listen(port, '127.0.0.1', resolve));
    return proxy;
  }

  private constructor(port: number, target: string) {
    this.url = `http://127.0.0.1:${port}`;
    this.target = target;
    this.#server = createServer((incoming, outgoing) => this.#forward(incoming, outgoing));
  }

  /** Ends the streams that are open. */
  cut(): void {
    for (const response of this.#open) response.destroy();
  }

  /** Nothing more arrives of the streams that are open, and their connections stay. */
  stall(): void {
    for (const stream of this.#passed.keys()) stream.unpipe();
  }

  /** Stalled streams go on without a loss. */
  resume(): void {
    for (const [stream, response] of this.#passed) stream.pipe(response);
  }

  /** Resolves when a further stream is requested. */
  nextStream(): Promise<void> {
    return new Promise((resolve) => (this.#onStream = resolve));
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { headers, method, url = '/' } = incoming;
    const isStream = headers.accept === 'text/event-stream';
    if (isStream) {
      this.#onStream();
      this.#open.add(outgoing);
      outgoing.once('close', () => this.#open.delete(outgoing));
      if (this.mode === 'refuse') return void outgoing.writeHead(badGateway).end('Streams do not pass.');
    }
    // A service on loopback accepts its own address only.
    const own = { host: new URL(this.target).host, ...(headers.origin !== undefined && { origin: this.target }) };
    const passed = request(`${this.target}${url}`, { method, headers: { ...headers, ...own } }, (answer) => {
      // The proxy waits for the end, as a proxy that buffers does.
      if (isStream && this.mode === 'hold') return void answer.resume();
      outgoing.writeHead(answer.statusCode!, answer.headers);
      if (isStream) outgoing.flushHeaders();
      answer.pipe(outgoing);
      if (isStream) {
        this.#passed.set(answer, outgoing);
        answer.once('close', () => this.#passed.delete(answer));
      }
      answer.once('error', () => outgoing.destroy());
      answer.once('close', () => answer.complete || outgoing.destroy());
    });
    passed.once('error', () => outgoing.destroy());
    outgoing.once('close', () => passed.destroy());
    incoming.pipe(passed);
  }
}
