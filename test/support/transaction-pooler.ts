import { connect, createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

const readyForQuery = 0x5a;
/** The messages of a client that end a unit answered by one ReadyForQuery: Query and Sync. */
const ends: ReadonlySet<number> = new Set([0x51, 0x53]);
const terminate = 0x58;

/** One message of the protocol, after the first: its type, its length, its content. */
function* messagesOf(bytes: Buffer): Generator<Buffer, Buffer, undefined> {
  let at = 0;
  while (bytes.length - at >= 5 && bytes.length - at > bytes.readUInt32BE(at + 1)) {
    const end = at + 1 + bytes.readUInt32BE(at + 1);
    yield bytes.subarray(at, end);
    at = end;
  }
  return bytes.subarray(at);
}

/** Collects bytes to messages. */
class Messages {
  #rest: Buffer = Buffer.alloc(0);

  add(bytes: Buffer): Buffer[] {
    const found: Buffer[] = [];
    const messages = messagesOf(Buffer.concat([this.#rest, bytes]));
    for (;;) {
      const { done, value } = messages.next();
      if (done === true) {
        this.#rest = value;
        return found;
      }
      found.push(value);
    }
  }
}

/** A connection to the server, which the pooler has opened itself. */
class PooledConnection {
  readonly socket: Socket;
  onMessage: ((message: Buffer) => void) | undefined;
  readonly #messages = new Messages();

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (bytes: Buffer) => {
      for (const message of this.#messages.add(bytes)) this.onMessage?.(message);
    });
  }

  /** Resolves to the messages that the server begins a session with. */
  open(startup: Buffer): Promise<readonly Buffer[]> {
    const found: Buffer[] = [];
    this.socket.write(startup);
    return new Promise((resolve) => {
      this.onMessage = (message) => {
        found.push(message);
        if (message[0] === readyForQuery) resolve(found);
      };
    });
  }

  /** Sends a request, which ends with Query or Sync. Resolves after the last message of the answer. */
  ask(request: Buffer, onMessage: (message: Buffer) => void): Promise<void> {
    return new Promise((resolve) => {
      this.onMessage = (message) => {
        onMessage(message);
        if (message[0] === readyForQuery) resolve();
      };
      this.socket.write(request);
    });
  }
}

/**
 * Works like a pooler in transaction mode: each request of a client is answered by another of a few sessions, so that
 * no state of a session can be relied on. For autocommitted statements and servers that need no password.
 */
export class TransactionPooler {
  readonly port: number;
  /** The numbers of the sessions that answered, in the order of the requests. */
  readonly sessions: number[] = [];
  readonly #server: Server;
  readonly #target: number;
  readonly #size: number;
  readonly #clients = new Set<Socket>();
  #greeting: readonly Buffer[] = [];
  #all: PooledConnection[] = [];
  #free: PooledConnection[] = [];
  #waiting: ((connection: PooledConnection) => void)[] = [];
  #opening: Promise<void> | undefined;

  static async start(target: number, size: number): Promise<TransactionPooler> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TransactionPooler(server, target, size);
  }

  private constructor(server: Server, target: number, size: number) {
    this.#server = server;
    this.#target = target;
    this.#size = size;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => this.#serve(client));
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    for (const { socket } of this.#all) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #serve(client: Socket): void {
    const messages = new Messages();
    let request: Buffer[] = [];
    let answered = Promise.resolve();
    this.#clients.add(client);
    client.on('error', () => undefined);
    client.once('close', () => this.#clients.delete(client));
    client.once('data', (startup: Buffer) => {
      answered = this.#greet(client, startup);
      client.on('data', (bytes: Buffer) => {
        for (const message of messages.add(bytes)) {
          if (message[0] === terminate) return void client.end();
          request.push(message);
          if (!ends.has(message[0]!)) continue;
          const whole = Buffer.concat(request);
          request = [];
          answered = answered.then(() => this.#answer(client, whole));
        }
      });
    });
  }

  async #greet(client: Socket, startup: Buffer): Promise<void> {
    this.#opening ??= this.#open(startup);
    await this.#opening;
    client.write(Buffer.concat([...this.#greeting]));
  }

  async #open(startup: Buffer): Promise<void> {
    this.#all = Array.from({ length: this.#size }, () => new PooledConnection(this.#target));
    const greetings = await Promise.all(this.#all.map((connection) => connection.open(startup)));
    this.#greeting = greetings[0]!;
    this.#free = [...this.#all];
  }

  async #answer(client: Socket, request: Buffer): Promise<void> {
    const connection =
      this.#free.shift() ?? (await new Promise<PooledConnection>((resolve) => this.#waiting.push(resolve)));
    this.sessions.push(this.#all.indexOf(connection));
    await connection.ask(request, (message) => client.write(message));
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(connection);
    else next(connection);
  }
}
