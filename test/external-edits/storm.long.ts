import { Random } from '../support/random.ts';
import { manyFiles, storm } from './storm.ts';

describe('Many hands, for long', () => {
  it('drop in ten thousand files at once, change, move and remove them: all are served, and gone again [A.hands.many]', () =>
    manyFiles(10_000));

  it('save, rename, remove and bring back at random a thousand times beside changes over REST [A.hands.storm]', () =>
    storm(Random.announced('storm'), 400));
});
