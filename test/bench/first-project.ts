import type { ServerProcess } from '../support/server-process.ts';
import { HttpClient } from './http-client.ts';

/** From the start of the process until it has answered a first write, in milliseconds. `before`: called before it is stopped. */
export async function firstProject(
  start: () => Promise<ServerProcess>,
  before: (child: ServerProcess) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const began = performance.now();
  const child = await start();
  const client = new HttpClient(child.url);
  await client.json('POST', '/projects', { name: 'Orchard' });
  const ms = performance.now() - began;
  client.close();
  await before(child);
  await stopClean(child);
  return ms;
}

/** Plain Express does not exit at SIGTERM: only the service must exit with 0. */
export async function stopClean(child: ServerProcess): Promise<void> {
  const code = await child.stop();
  if (code !== 0 && code !== null) throw new Error(`The process ended with ${code}.`);
}
