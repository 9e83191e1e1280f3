import { Random } from '../support/random.ts';
import { clientWeights } from './actors/client.ts';
import { events } from './actors/operator.ts';

/** The action that one actor begins at a time; the rest it draws from its own seed. */
export interface Step {
  readonly index: number;
  /** Milliseconds since the step before. */
  readonly afterMs: number;
  readonly actor: 'client' | 'editor' | 'mover' | 'git' | 'operator' | 'quiet';
  /** The action of a client or the operator. */
  readonly event?: string;
  readonly seed: number;
}

/** A simulation: who does what and when. */
export interface Schedule {
  readonly seed: number;
  readonly steps: readonly Step[];
}

/** Draws a schedule: rounds of some actors, each followed by a quiet point. */
export function scheduleOf(seed: number, steps: number): Schedule {
  const random = new Random(seed);
  const drawn: Step[] = [];
  const add = (afterMs: number, actor: Step['actor'], event?: string): void => {
    const more = event === undefined ? {} : { event };
    drawn.push({ index: drawn.length, afterMs, actor, seed: random.integer(0, 2 ** 31), ...more });
  };
  for (let i = random.integer(4, 12); i > 0; i--) add(1, 'client', random.pick(clientWeights.slice(0, 3))[0]);
  while (drawn.length < steps) {
    const weights = roundOf(random);
    const paceMs = random.pick([0.1, 5, 50, 400]);
    for (let left = random.integer(5, 50); left > 0 && drawn.length < steps; left--) {
      const actor = weighted(random, weights);
      const afterMs = random.next() * 2 * paceMs;
      if (actor === 'client') add(afterMs, actor, weighted(random, clientWeights));
      else if (actor === 'operator') add(afterMs, actor, random.pick(Object.keys(events)));
      else add(afterMs, actor);
    }
    add(1, 'quiet');
  }
  return { seed, steps: drawn };
}

type Weights = readonly (readonly [actor: Exclude<Step['actor'], 'quiet'>, weight: number])[];

/** Not every actor takes part in every round: with fewer, what one of them does wrong is plain. */
function roundOf(random: Random): Weights {
  const sometimes = (share: number, weight: number): number => (random.chance(share) ? weight : 0);
  return [
    ['client', random.integer(2, 12)],
    ['editor', sometimes(0.6, 4)],
    ['mover', sometimes(0.5, 3)],
    ['git', sometimes(0.3, 2)],
    ['operator', sometimes(0.5, 1)],
  ];
}

function weighted<T>(random: Random, weights: readonly (readonly [one: T, weight: number])[]): T {
  let left = random.next() * weights.reduce((sum, [, weight]) => sum + weight, 0);
  return (weights.find(([, weight]) => (left -= weight) < 0) ?? weights[0]!)[0];
}
