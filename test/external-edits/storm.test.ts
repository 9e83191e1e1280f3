import { Random } from '../support/random.ts';
import { manyFiles, storm } from './storm.ts';

describe('Many external edits', () => {
  it('add hundreds of files at once, change, move and remove them: all are served, and removed again [A.hands.many]', async function () {
    this.timeout(120_000);
    await manyFiles(300);
  });

  it('save, rename, remove and restore at random beside changes over REST: the files are what is served, nothing is lost [A.hands.storm]', async function () {
    this.timeout(120_000);
    await storm(Random.announced('storm'), 10);
  });
});
