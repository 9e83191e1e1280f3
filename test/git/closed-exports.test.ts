import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { ExportsDuringGit } from './closed-exports.ts';

describe('Exports during checkouts, merges, stashes and sparse checkouts', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();

  it('contain every folder that they name [A.git.closed]', () =>
    new ExportsDuringGit(scratch.path, Random.announced('closed exports'), 60).run(6));
});
