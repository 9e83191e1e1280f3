import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { mergesOfTwoClones } from './merge-plans.ts';

describe('Two clones of one plan, at length', () => {
  const scratch = scratchDirectory();

  it('come to the same plan by random work and merges in either order, with nothing lost [A.git.clones]', () =>
    mergesOfTwoClones(scratch.path, Random.announced('two clones'), { size: 150, operations: 50, apart: 6, free: 2 }));
});
