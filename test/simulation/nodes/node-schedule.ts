import { Random } from '../../support/random.ts';

/** An event that begins at a time; the rest is drawn from its own seed. */
export interface NodeStep {
  readonly index: number;
  /** Milliseconds since the step before. */
  readonly afterMs: number;
  readonly event: NodeEvent;
  readonly seed: number;
}

/** A simulation of nodes, with its events and their times. */
export interface NodeSchedule {
  readonly seed: number;
  readonly steps: readonly NodeStep[];
}

/** The frequency of each event. */
const weights = {
  'call a node': 60,
  'create with a key': 8,
  'cut a connection': 3,
  'execute an append late': 2,
  'pause a node': 2,
  'fail over': 2,
  'kill a node': 1.5,
  'start a node': 1,
  'set a clock': 1,
  'change homes': 2,
  'damage snapshots': 0.7,
  'trim the logs': 1,
  'fill the disk': 0.7,
} as const;

export type NodeEvent = keyof typeof weights;

const events = Object.entries(weights) as readonly [NodeEvent, number][];
const total = events.reduce((sum, [, weight]) => sum + weight, 0);

/** Draws a schedule: times of calm and of haste, with all kinds of faults. */
export function nodeScheduleOf(seed: number, steps: number): NodeSchedule {
  const random = new Random(seed);
  const drawn: NodeStep[] = [];
  while (drawn.length < steps) {
    // Projects that are used elsewhere leave the memory of a node after a minute.
    const paceMs = random.chance(0.03) ? 3000 : random.pick([0.2, 2, 2, 10, 100]);
    const isCalm = random.chance(0.2);
    for (let left = random.integer(10, 60); left > 0 && drawn.length < steps; left--) {
      const event = isCalm ? 'call a node' : weighted(random);
      const afterMs = random.next() * 2 * paceMs;
      drawn.push({ index: drawn.length, afterMs, event, seed: random.integer(0, 2 ** 31) });
    }
  }
  return { seed, steps: drawn };
}

function weighted(random: Random): NodeEvent {
  let left = random.next() * total;
  return (events.find(([, weight]) => (left -= weight) < 0) ?? events[0]!)[0];
}
