import { type ServerProcess, startServer } from '../support/server-process.ts';

/** Starts a yardstick: `yardsticks/<name>.ts`, which listens on the port in its first argument. */
export function startYardstick(name: string, ...rest: string[]): Promise<ServerProcess> {
  return startServer((port) => [`test/bench/yardsticks/${name}.ts`, String(port), ...rest]);
}
