import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../support/server-process.ts';
import type { Sample } from './health-probe.ts';
import { percentile } from './measure.ts';

const program = fileURLToPath(new URL('health-probe.ts', import.meta.url));
/** Interval of a steady caller, in milliseconds: to correct for the requests that a stalled one omits. */
const expectedMs = 5;

/** The latency of the service's health check while something else was going on. */
export interface Health {
  readonly p999Ms: number;
  readonly maxMs: number;
  /** The longest CPU time of the service's main thread during one request: without the time that other programs took. */
  readonly processorMaxMs: number;
  /** The longest latency without the time that the main thread waited for a CPU, as on an otherwise idle machine. */
  readonly ownMaxMs: number;
}

/** Requests the service's health continuously while `work` runs. */
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

/** Summarises the samples of one or several rounds. */
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

/** A caller that waits for one response omits requests that would have waited with it (coordinated omission): they are added. */
function withOmitted(wall: number): number[] {
  const all = [wall];
  for (let rest = wall - expectedMs; rest > expectedMs; rest -= expectedMs) all.push(rest);
  return all;
}
