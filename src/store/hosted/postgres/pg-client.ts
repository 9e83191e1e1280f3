import type { Socket } from 'node:net';
import { Client } from 'pg';
import type { Clock } from '../../../base/clock.ts';

/** A client of one server, not connected yet. */
export function clientOf(url: string, connectMs: number): Client {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectMs, keepAlive: true });
  // The statement in progress gets the error, too; without one the connection is made again for the next.
  client.on('error', () => undefined);
  return client;
}

/** How long a server may take to answer that a connection ends. */
const endMs = 1_000;

/** Resolves when nothing of the client is left, not even if its server does not answer. */
export async function endClient(client: Client, clock: Clock): Promise<void> {
  const timer = clock.after(endMs, () => destroyClient(client)).unref();
  await client.end();
  timer.cancel();
}

/** Ends a client that may be connecting. Its statements fail. */
export function destroyClient(client: Client): void {
  // Its type has no member for the socket.
  (client.connection as unknown as { readonly stream: Socket }).stream.destroy();
}
