/** Where time comes from. The only file that reads the system's clock; everything else is handed a `Clock`. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a clock that never steps back, for measuring durations. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** ISO 8601 UTC with milliseconds, the form of every time on the wire and on disk. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
