import { expect } from 'chai';
import { median } from './measures.ts';
import type { Latencies, Measure } from './measures.ts';
import { yardstick } from './yardstick.ts';

/**
 * The memory that a change leaves, generously: its revision permanently, a stored response for a day, a session until
 * it is evicted.
 */
const bytesAChange = 1024;

/** The measurements of a soak. */
export interface Figures {
  /** When the thirds began and the last one ended. */
  readonly bounds: readonly [number, number, number, number];
  /** Each of an idle service. */
  readonly thirds: readonly (readonly Measure[])[];
  /** The number of changes acknowledged by the middle of the first third and of the last. */
  readonly changes: readonly [number, number];
}

/**
 * Flat: the medians of the last third equal the medians of the first, except for the permanent cost of a change and the
 * machine's load.
 */
export function expectFlat({ bounds, thirds, changes }: Figures, latencies: Latencies): void {
  const [first, last] = [thirds[0]!, thirds.at(-1)!];
  const middle = (measures: readonly Measure[], of: keyof Measure): number => median(measures.map((one) => one[of]));
  const keptMiB = ((changes[1] - changes[0]) * bytesAChange) / 1024 / 1024;
  expect(middle(last, 'heapMiB'), 'heap').to.be.below(middle(first, 'heapMiB') * 1.1 + 4 + keptMiB);
  expect(middle(last, 'rssMiB'), 'resident memory').to.be.below(middle(first, 'rssMiB') * 1.25 + 32 + keptMiB);
  expect(middle(last, 'descriptors'), 'file descriptors').to.be.at.most(middle(first, 'descriptors') + 24);
  const [before, after] = [latencies.medians(bounds[0], bounds[1]), latencies.medians(bounds[2], bounds[3])];
  // Other processes load this machine, too: every call may become slower by the factor of a constant call.
  const machine = Math.max(1, (after.get(yardstick) ?? 1) / (before.get(yardstick) ?? 1));
  for (const [what, ms] of after) {
    const was = before.get(what);
    if (was !== undefined) expect(ms, `median of ${what}, in ms`).to.be.below(was * machine * 3 + 10);
  }
}

/** The medians of the first third and of the last. */
export function summary({ thirds }: Figures): string {
  const of = (measures: readonly Measure[], what: keyof Measure): string =>
    median(measures.map((one) => one[what])).toFixed(1);
  return (['heapMiB', 'rssMiB', 'descriptors'] as const)
    .map((what) => `${what} ${of(thirds[0]!, what)} → ${of(thirds.at(-1)!, what)}`)
    .join(', ');
}
