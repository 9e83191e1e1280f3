import { join } from 'node:path';
import { type ServerProcess, startServe } from '../support/server-process.ts';

/** Starts the service on the directory that holds `.planner`, with its log in a file beside it, as an operator would. */
export function startService(root: string): Promise<ServerProcess> {
  return startServe(root, { log: join(root, 'service.log') });
}
