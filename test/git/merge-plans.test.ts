import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { mergesOfTwoClones } from './merge-plans.ts';

describe('Two clones of one plan', function () {
  this.timeout(300_000);
  const scratch = scratchDirectory();

  it('converge by random work and merges in either order, without data loss [A.git.clones]', () =>
    mergesOfTwoClones(scratch.path, Random.announced('two clones'), { size: 10, operations: 6, apart: 1, free: 1 }));
});
