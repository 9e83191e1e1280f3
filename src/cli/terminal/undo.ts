/** The reversals of the steps of a command, so that a failing command leaves no partial result. */
export class Undo {
  readonly #steps: (() => Promise<unknown> | void)[] = [];

  add(step: () => Promise<unknown> | void): void {
    this.#steps.push(step);
  }

  /** Reverses the steps, the last one first. A step that cannot be reversed does not hide the error that led here. */
  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) {
      try {
        await step();
      } catch {
        // The others are still reversed.
      }
    }
  }
}
