/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** The seed in PLANNER_TEST_SEED, else one of the moment. Says it, so that a failure can be run again. */
  static announced(title: string): Random {
    const given = process.env['PLANNER_TEST_SEED'];
    const random = new Random(given === undefined ? Date.now() : Number(given));
    console.log(`      ${title}: PLANNER_TEST_SEED=${random.seed}`);
    return random;
  }

  /** 0 inclusive to 1 exclusive. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error('There is nothing to pick from.');
    return from[this.integer(0, from.length - 1)]!;
  }

  chance(share: number): boolean {
    return this.next() < share;
  }
}

/** How many rounds a random test runs: `standard`, or PLANNER_TEST_ROUNDS. */
export function roundsOf(standard: number): number {
  const given = process.env['PLANNER_TEST_ROUNDS'];
  return given === undefined ? standard : Number(given);
}
