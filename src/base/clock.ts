/**
 * The source of time. This is the only file that reads the system clock; everything else gets a `Clock` injected. The
 * store also waits by it, so that a test or a simulation decides when time passes.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds of a monotonic clock, for measuring durations. */
  monotonic(): number;
  /**
   * Calls `run` once, `ms` from now, in another turn of the event loop. By `monotonic` it may be up to 1 ms too early,
   * since Node's timers count whole milliseconds: who needs all of the time looks at `monotonic` again.
   */
  after(ms: number, run: () => void): Timer;
  /** Calls `run` every `ms`, first `ms` from now. */
  every(ms: number, run: () => void): Timer;
  /** Blocks the calling thread; not at all for zero milliseconds or less. */
  sleep(ms: number): void;
}

/** A future call, or several. The process stays alive for it. */
export interface Timer {
  /** Prevents further calls. May be called twice, and after the last call. */
  cancel(): void;
  /** Lets the process end before the call. Returns the timer itself. */
  unref(): Timer;
}

class SystemTimer implements Timer {
  readonly #timer: NodeJS.Timeout;

  constructor(timer: NodeJS.Timeout) {
    this.#timer = timer;
  }

  cancel(): void {
    // Also ends an interval.
    clearTimeout(this.#timer);
  }

  unref(): Timer {
    this.#timer.unref();
    return this;
  }
}

const never = new Int32Array(new SharedArrayBuffer(4));

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => new SystemTimer(setTimeout(run, ms)),
  every: (ms, run) => new SystemTimer(setInterval(run, ms)),
  sleep: (ms) => void Atomics.wait(never, 0, 0, ms),
};

/** Resolves `ms` from now. Rejects with the reason of the signal if it aborts first. */
export function delay(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return abortable(new Promise((resolve) => void clock.after(ms, resolve)), signal);
}

/** Like `work`, but rejects with the signal's reason if it aborts first. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return signal === undefined ? work : untilAborted(work, signal);
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // After an abort, a rejection of `work` is unhandled otherwise.
  work.catch(() => undefined);
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop!);
  }
}

/** ISO 8601 UTC with milliseconds, the format of every time on the wire and on disk. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const [firstMs, lastMs] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * A time in ISO 8601 as `isoTime` writes it; undefined for another text. A leap second is the second before it, and an offset may have no
 * minutes: both are valid times, which `Date` does not read. Years have four digits.
 */
export function normalTime(text: string): string | undefined {
  const readable = text.replace(/(:\d\d):60/, '$1:59').replace(/(:\d\d(?:\.\d+)?[+-]\d\d)$/, '$1:00');
  const ms = Date.parse(readable);
  return Number.isNaN(ms) ? undefined : isoTime(Math.min(Math.max(ms, firstMs), lastMs));
}

/** The time of an ISO text on the clock of the person who watches a terminal: `14:02`. */
export function timeOfDay(time: string): string {
  const at = new Date(time);
  // A format of `Intl` takes longer to make than a command takes to start.
  return [at.getHours(), at.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}
