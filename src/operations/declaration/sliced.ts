/**
 * An answer that takes long to compute: `run` captures in the view what it needs, the steps compute it afterwards, in slices. They read
 * only frozen records and snapshots, because the view keeps changing.
 */
export class Sliced<O> {
  readonly steps: Iterator<unknown, O>;

  constructor(steps: Iterator<unknown, O>) {
    this.steps = steps;
  }

  /** The answer made of what the steps return, in one more step. */
  static of<T, O>(steps: Iterator<unknown, T>, show: (result: T) => O): Sliced<O> {
    return new Sliced(shown(steps, show));
  }
}

function* shown<T, O>(steps: Iterator<unknown, T>, show: (result: T) => O): Generator<undefined, O> {
  for (;;) {
    const next = steps.next();
    yield;
    if (next.done === true) return show(next.value);
  }
}
