import { Random } from '../support/random.ts';
import { manyFiles, storm } from './storm.ts';

describe('Many external edits', () => {
  it('add hundreds of files together, change, move and remove them: all are served, and removed again [A.hands.many]', async function () {
    this.timeout(120_000);
    await manyFiles(200);
  });

  it('save, rename, remove and restore at random with changes over REST: the files equal the served state, nothing is lost [A.hands.storm]', async function () {
    this.timeout(120_000);
    await storm(Random.announced('storm'), 10);
  });
});
