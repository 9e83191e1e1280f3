import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { expectLinearizable } from './history.ts';

describe('The view of one plan over both transports', () => {
  const scratch = scratchDirectory();

  it('is one order of events, also over kills between a change and its sync [A.concurrency.linearizable, A.concurrency.no-take-back]', async function () {
    this.timeout(120_000);
    const random = Random.announced('history');
    const figures = await expectLinearizable({ random, directory: scratch.path, kills: 1, loadMsMax: 400, lateMs: 30 });
    reached('operations checked for linearizability', `${figures.operations} (seed ${random.seed})`);
  });
});
