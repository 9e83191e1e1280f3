/** The source of time. This is the only file that reads the system clock; everything else gets a `Clock` injected. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock, for measuring durations. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** ISO 8601 UTC with milliseconds, the format of every time on the wire and on disk. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
