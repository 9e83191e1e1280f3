import { Random, roundsOf } from '../support/random.ts';
import { randomSyncs } from './random-sync.ts';

/** A project of its own for each: a large one makes each round slower. */
const roundsOfOne = 50;

describe('A working copy and its hosted project, changed at random, at length', () => {
  const random = Random.announced('random synchronisations');

  for (const count of [1, 2, 3])
    for (let round = 0; round < roundsOf(1000) / count; round += roundsOfOne) {
      it(`are equal after two synchronisations, and nothing is lost, wherever one is killed: ${count} working copies, from round ${round} [A.nodes.sync]`, () =>
        randomSyncs(new Random(random.seed + round), { rounds: roundsOfOne, count }));
    }
});
