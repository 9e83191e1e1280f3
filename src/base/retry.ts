import { type Clock, delay } from './clock.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /** How long to wait after so many failures, in milliseconds. */
  readonly pauseMs: (failures: number) => number;
  /** Whether to try again after this error. May throw another error, which the caller gets instead. */
  readonly mayRetry: (error: unknown, failures: number) => boolean;
  /** Ends the pause, and the attempts, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs until it succeeds. Rejects with the first error that is not retried. */
export async function retry<T>({ clock, pauseMs, mayRetry, signal }: RetryOptions, run: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++)
    try {
      return await run();
    } catch (error) {
      if (!mayRetry(error, failures)) throw error;
      await delay(clock, pauseMs(failures), signal);
    }
}

/** Pauses that double from `min` up to `max` milliseconds. */
export function doubling(min: number, max: number): RetryOptions['pauseMs'] {
  return (failures) => Math.min(min * 2 ** (failures - 1), max);
}
