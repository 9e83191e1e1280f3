import { atOnce, type Steps } from '../../base/slices.ts';

/** The members of an operation whose rule runs in slices, whatever its input is. */
export function alwaysSliced<T, I, C, O>(
  run: (tx: T, input: I, context: C) => Steps<O>,
): {
  readonly run: (tx: T, input: I, context: C) => O;
  readonly sliced: { readonly run: (tx: T, input: I, context: C) => Steps<O> };
} {
  return { run: (tx, input, context) => atOnce(run(tx, input, context)), sliced: { run } };
}

/**
 * A result that takes long to compute: `run` captures its input in the view, the steps compute the result afterwards,
 * in slices. They read only frozen records and snapshots, because the project may change in between.
 */
export class Sliced<O> {
  readonly steps: Iterator<unknown, O>;

  constructor(steps: Iterator<unknown, O>) {
    this.steps = steps;
  }

  /** Converts the result of the steps, in one more step. */
  static of<T, O>(steps: Iterator<unknown, T>, show: (result: T) => O): Sliced<O> {
    return new Sliced(shown(steps, show));
  }
}

function* shown<T, O>(steps: Iterator<unknown, T>, show: (result: T) => O): Generator<unknown, O> {
  for (;;) {
    const next = steps.next();
    yield next.done === true ? undefined : next.value;
    if (next.done === true) return show(next.value);
  }
}
