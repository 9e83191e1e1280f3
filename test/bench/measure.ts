import type { Bound, Measured, Row, Target } from './figure.ts';

/** The value below which `share` (0..1) of the numbers are, by the nearest rank. NaN for none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The median; of an even count the mean of the two in the middle. NaN for none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

export function measured(what: string, unit: string, rounds: readonly number[]): Measured {
  return { what, unit, value: round(median(rounds)), rounds: rounds.map(round) };
}

/** How long something took, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Runs the contestants in turn, `rounds` times, so that changes in the machine's speed affect all alike. */
export async function alternate<K extends string, T>(
  rounds: number,
  contestants: Readonly<Record<K, (round: number) => Promise<T>>>,
): Promise<Record<K, T[]>> {
  const names = Object.keys(contestants) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) results[name].push(await contestants[name](round));
  }
  return results;
}

/** A line with a ratio as target: product ÷ yardstick. The ratio of the medians is reported. */
export function compare(product: Measured, yardstick: Measured, bound?: Bound, also?: Row['also']): Row {
  const ratio = round(product.value / yardstick.value);
  return { product, yardstick, ratio, ...(bound && { target: targetOf(ratio, bound, ' ×') }), ...(also && { also }) };
}

/**
 * A line with a value of the product itself as target. One in time is what has to be reached where `node -e 0` takes 30 ms, and
 * is compared with what it takes on this machine.
 */
export function attain(product: Measured, bound: Bound, yardstick?: Measured, also?: Row['also']): Row {
  const ratio = yardstick && round(product.value / yardstick.value);
  const isOfTime = product.unit === '/s' || product.unit in msOf;
  return {
    product,
    ...(yardstick && { yardstick, ratio: ratio! }),
    ...(isOfTime ? { ofTime: bound } : { target: targetOf(product.value, bound, ` ${product.unit}`) }),
    ...(also && { also }),
  };
}

/** What `node -e 0` takes where the targets in time are as they are stated. */
const nodeMsThere = 30;

/** Units of time, in milliseconds. */
const msOf: Readonly<Record<string, number>> = { ms: 1, µs: 0.001, 'ms/min': 1 };

/** The line with its target in time as a multiple of `node -e 0`, so that a slower machine prints the same marks. */
export function besideNode({ ofTime: bound, ...row }: Row, nodeMs: number): Row {
  if (bound === undefined) return row;
  const { value, unit } = row.product;
  const [named, limit] = Object.entries(bound)[0]!;
  const ms = msOf[unit];
  const reached = round(ms === undefined ? (value * nodeMs) / 1000 : (value * ms) / nodeMs);
  const wanted = round(ms === undefined ? (limit * nodeMsThere) / 1000 : (limit * ms) / nodeMsThere);
  const { text, reached: isReached } = targetOf(reached, { [named]: wanted } as Bound, '');
  const how = ms === undefined ? 'in the time of node -e 0' : '× node -e 0';
  return { ...row, target: { text: `${text} ${how}, here ${reached}`, reached: isReached } };
}

function targetOf(value: number, bound: Bound, unit: string): Target {
  return 'atLeast' in bound
    ? { text: `≥ ${bound.atLeast}${unit}`, reached: value >= bound.atLeast }
    : { text: `≤ ${bound.atMost}${unit}`, reached: value <= bound.atMost };
}

/** Four significant digits: more is noise. */
export function round(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : value;
}
