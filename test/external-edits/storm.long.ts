import { Random } from '../support/random.ts';
import { manyFiles, storm } from './storm.ts';

describe('Many external edits, at length', () => {
  it('add ten thousand files together, change, move and remove them: all are served, and removed again [A.hands.many]', () =>
    manyFiles(10_000));

  it('save, rename, remove and restore at random a thousand times with changes over REST [A.hands.storm]', () =>
    storm(Random.announced('storm'), 400));
});
