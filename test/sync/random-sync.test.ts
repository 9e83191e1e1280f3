import { Random, roundsOf } from '../support/random.ts';
import { randomSyncs } from './random-sync.ts';

describe('A working copy and its hosted project, changed at random', () => {
  it('are equal after two synchronisations, and nothing is lost, wherever one is killed [A.nodes.sync]', () =>
    randomSyncs(Random.announced('random synchronisations'), roundsOf(15))).timeout(60_000);
});
