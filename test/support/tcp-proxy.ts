import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Where a connection is cut, seen from the server's handling of a request. */
export type CutAt = 'before' | 'during' | 'after';

interface Cut {
  readonly when: CutAt;
  readonly matches: (request: Buffer) => boolean;
  readonly done: () => void;
}

/** The last message of an answer of PostgreSQL, without its last byte. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5]);

/** A proxy on loopback between a client and PostgreSQL, which can lose connections and hold back their data. */
export class TcpProxy {
  readonly port: number;
  /** The port it forwards new connections to. */
  target: number;
  readonly #server: Server;
  readonly #pairs = new Set<ProxiedPair>();
  #isPaused = false;
  #waiting: (() => void)[] = [];
  cut: Cut | undefined;

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(server, target);
  }

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.target = target;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => {
      const open = (): void => {
        const pair = new ProxiedPair(this, client, () => this.#pairs.delete(pair));
        this.#pairs.add(pair);
      };
      client.on('error', () => undefined);
      if (this.#isPaused) this.#waiting.push(open);
      else open();
    });
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /**
   * Cuts the connection of the next request that matches: before the server receives it, while it works on it, or when
   * it has answered. Resolves when it is cut. Connections that are made later are not cut.
   */
  cutNext(when: CutAt, matches: (request: Buffer) => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.cut = { when, matches, done: resolve };
    return promise;
  }

  /** Cuts all connections. */
  cutAll(): void {
    for (const pair of [...this.#pairs]) pair.end();
  }

  /** Nothing passes until `resume`. New connections wait. */
  pause(): void {
    this.#isPaused = true;
    for (const pair of this.#pairs) pair.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const pair of this.#pairs) pair.resume();
    for (const open of this.#waiting.splice(0)) open();
  }

  stop(): Promise<void> {
    this.resume();
    this.cutAll();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** One connection: from the client to the proxy, and from there to the server. */
class ProxiedPair {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #ended: () => void;

  constructor(proxy: TcpProxy, client: Socket, ended: () => void) {
    this.#client = client;
    this.#server = connect({ port: proxy.target, host: '127.0.0.1', noDelay: true });
    this.#ended = ended;
    client.setNoDelay(true);
    let afterAnswer: Cut | undefined;
    client.on('data', (request: Buffer) => {
      const { cut } = proxy;
      if (cut?.matches(request) !== true) return void this.#server.write(request);
      proxy.cut = undefined;
      if (cut.when === 'after') afterAnswer = cut;
      if (cut.when === 'before') this.#cut(cut);
      else this.#server.write(request, () => (cut.when === 'during' ? this.#cut(cut) : undefined));
    });
    this.#server.on('data', (answer: Buffer) => {
      if (afterAnswer === undefined) client.write(answer);
      else if (answer.subarray(-6, -1).equals(readyForQuery)) this.#cut(afterAnswer);
    });
    for (const socket of [client, this.#server]) {
      socket.on('error', () => undefined);
      socket.once('close', () => this.end());
    }
  }

  pause(): void {
    this.#client.pause();
    this.#server.pause();
  }

  resume(): void {
    this.#client.resume();
    this.#server.resume();
  }

  end(): void {
    this.#client.destroy();
    this.#server.destroy();
    this.#ended();
  }

  #cut(cut: Cut): void {
    this.end();
    cut.done();
  }
}
