import { Random, roundsOf } from '../support/random.ts';
import { randomSyncs } from './random-sync.ts';

describe('A working copy and its hosted project, changed at random', () => {
  it('are equal after two synchronisations, and nothing is lost, wherever one is killed [A.nodes.sync]', () =>
    randomSyncs(Random.announced('random synchronisations'), { rounds: roundsOf(3), count: 1 })).timeout(60_000);

  it('are equal to another working copy, too [A.nodes.sync]', () =>
    randomSyncs(Random.announced('two working copies'), { rounds: roundsOf(2), count: 2 })).timeout(60_000);
});
