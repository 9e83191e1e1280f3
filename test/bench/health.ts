import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../support/server-process.ts';
import type { Sample } from './health-probe.ts';
import { percentile } from './measure.ts';

const program = fileURLToPath(new URL('health-probe.ts', import.meta.url));
/** How often a steady caller would ask, in milliseconds: for the correction of what a stalled one leaves out. */
const expectedMs = 5;

/** How a service answered for its health while something else was going on. */
export interface Health {
  readonly p999Ms: number;
  readonly maxMs: number;
  /** The longest time that the service's main thread was on a processor while one answer was awaited: without what other programs took. */
  readonly processorMaxMs: number;
  /** The longest answer without the time that the service's main thread waited for a processor: what a machine of its own would show. */
  readonly ownMaxMs: number;
}

/** Asks for the service's health all the time while `work` runs. */
export async function healthDuring(service: ServerProcess, work: () => Promise<unknown>): Promise<readonly Sample[]> {
  const probe = fork(program, [new URL(service.url).port, String(service.pid)], { execArgv: [] });
  const messages: ((message: unknown) => void)[] = [];
  const next = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      messages.push(resolve);
      probe.once('exit', (code) => reject(new Error(`The health probe ended with ${code}.`)));
    });
  probe.on('message', (message) => messages.shift()?.(message));
  await next();
  // The first requests warm the connection up.
  await new Promise((resolve) => setTimeout(resolve, 50));
  try {
    await work();
  } finally {
    await new Promise((resolve) => setTimeout(resolve, 50));
    probe.send('stop');
  }
  return (await next()) as Sample[];
}

/** What the samples of one or several rounds come to. */
export function healthOf(samples: readonly Sample[]): Health {
  const walls = samples.flatMap(([wall]) => withOmitted(wall));
  return {
    p999Ms: percentile(walls, 0.999),
    maxMs: percentile(walls, 1),
    processorMaxMs: percentile(
      samples.map(([, processor]) => processor),
      1,
    ),
    ownMaxMs: percentile(
      samples.map(([wall, , queued]) => Math.max(0, wall - queued)),
      1,
    ),
  };
}

/** A caller that waits for one answer does not send the requests that would have waited with it: they are counted as if it had. */
function withOmitted(wall: number): number[] {
  const all = [wall];
  for (let rest = wall - expectedMs; rest > expectedMs; rest -= expectedMs) all.push(rest);
  return all;
}
