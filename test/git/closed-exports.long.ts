import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { ExportsDuringGit } from './closed-exports.ts';

describe('Exports during many checkouts, merges, stashes and sparse checkouts of a large wiki', function () {
  this.timeout(0);
  const scratch = scratchDirectory();

  it('contain every folder that they name [A.git.closed]', () =>
    new ExportsDuringGit(scratch.path, Random.announced('closed exports'), 1000).run(150));
});
