import { Client } from 'pg';

/** A client of one server, not connected yet. */
export function clientOf(url: string, connectMs: number): Client {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectMs, keepAlive: true });
  // The statement in progress gets the error, too; without one the connection is made again for the next.
  client.on('error', () => undefined);
  return client;
}
