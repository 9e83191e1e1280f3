const tickMs = 250;

/**
 * Calls `expire` after so many milliseconds, of which those are not counted in which this process was stopped or the machine slept: what it
 * waits for did not run either. Returns a function that ends the wait.
 */
export function timeLimit(ms: number, expire: () => void): () => void {
  let leftMs = ms;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    leftMs -= Math.min(now - last, 2 * tickMs);
    last = now;
    if (leftMs > 0) return;
    clearInterval(timer);
    expire();
  }, tickMs);
  return () => clearInterval(timer);
}
