import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Route {
  readonly target: number;
  readonly roundTripMs: number;
}

/** A link to a port of this machine over which a question and its answer take at least so long. */
export class SlowLink {
  readonly port: number;
  readonly #worker: Worker;

  /** Starts a separate thread, which no load delays. */
  static async open(target: number, roundTripMs: number): Promise<SlowLink> {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { target, roundTripMs } satisfies Route });
    const [port] = (await once(worker, 'message')) as [number];
    return new SlowLink(worker, port);
  }

  private constructor(worker: Worker, port: number) {
    this.#worker = worker;
    this.port = port;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

if (!isMainThread && parentPort !== null) await serve(workerData as Route);

async function serve({ target, roundTripMs }: Route): Promise<void> {
  const server = createServer({ noDelay: true }, (client) => {
    const behind = connect({ port: target, host: '127.0.0.1', noDelay: true });
    client.on('data', (bytes: Buffer) => behind.write(bytes));
    // All of the way in one direction: a timer is a millisecond late at most, not twice.
    behind.on('data', (bytes: Buffer) => setTimeout(() => client.write(bytes), roundTripMs));
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as readonly (readonly [Socket, Socket])[]) {
      socket.on('error', () => undefined);
      socket.once('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  parentPort!.postMessage((server.address() as AddressInfo).port);
}
