import { randomFraction } from './random-fraction.ts';

/**
 * Streams of all tabs of a browser. Over HTTP/1.1 a browser has six connections to an origin: what further tabs show is
 * polled, so that requests never wait for streams.
 */
const streamsMax = 3;

/**
 * Runs `stream` while this tab has one of the connections that streams may occupy; waits until there is one. Rejects if
 * `signal` aborts first.
 */
export async function withSlot(signal: AbortSignal, stream: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager };
  // Outside of a secure context there are no locks.
  if (locks === undefined || isMultiplexed()) return stream();
  for (let slot = 0; slot < streamsMax; slot++) {
    const name = nameOf(slot);
    const isRun = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await stream();
      return lock !== null;
    });
    if (isRun) return;
  }
  await locks.request(nameOf(Math.floor(randomFraction() * streamsMax)), { signal }, stream);
}

function nameOf(slot: number): string {
  return `planner-stream-${slot}`;
}

/** Returns whether all requests share one connection. */
function isMultiplexed(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return /^h[23]/.test(navigation?.nextHopProtocol ?? '');
}
