const values = 2 ** 32;

/** Returns a number of at least 0 and less than 1, which spreads requests that many pages make at the same time. */
export function randomFraction(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / values;
}
