const values = 2 ** 32;

/** At least 0 and less than 1: it spreads what many pages do at once. */
export function randomFraction(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / values;
}
