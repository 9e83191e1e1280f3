import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pause } from './callers.ts';
import type { Stage } from './callers.ts';

/** The name of the yardstick's calls among the latencies. */
export const yardstick = 'yardstick';

/** Calls a server that always does the same, during the load: it becomes slower only if the machine does. */
export async function measureMachine({ gate, latencies }: Pick<Stage, 'gate' | 'latencies'>): Promise<void> {
  const server = createServer((_, response) => response.end('{"ok":true}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const call = (): Promise<unknown> =>
    latencies.time(yardstick, async () => (await fetch(`http://127.0.0.1:${port}/`)).text());
  while (await gate.pass(call)) await pause(100);
  server.closeAllConnections();
  server.close();
}
