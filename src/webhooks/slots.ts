/** Bounds how many run at a time; the others wait in order. */
export class Slots {
  readonly #max: number;
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#taken < this.#max) this.#taken++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot is passed on.
      if (next === undefined) this.#taken--;
      else next();
    }
  }
}
