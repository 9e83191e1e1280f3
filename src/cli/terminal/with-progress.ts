import type { Clock } from '../../base/clock.ts';
import type { Terminal } from './terminal.ts';

/** Between two signs of life. */
const progressMs = 1000;

export interface ProgressOptions extends Pick<Terminal, 'progress'> {
  readonly clock: Clock;
  /** The name of the long operation: `Importing plan.json`. */
  readonly what: string;
}

/** Shows at a terminal how long an operation has taken, but not for an operation that ends immediately. */
export async function withProgress<T>({ progress, clock, what }: ProgressOptions, run: () => Promise<T>): Promise<T> {
  let isShown = false;
  const begun = clock.monotonic();
  const timer = clock.every(progressMs, () => {
    isShown = true;
    progress(`${what}: ${Math.round((clock.monotonic() - begun) / 1000)} s`);
  });
  try {
    return await run();
  } finally {
    timer.cancel();
    if (isShown) progress(undefined);
  }
}
