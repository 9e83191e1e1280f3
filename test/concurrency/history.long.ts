import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Random, roundsOf } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { expectLinearizable } from './history.ts';

/** A history is as long as its judgement stays quick; there are many of them. */
const histories = roundsOf(20);

describe('The view of one plan over both transports, many times', () => {
  const scratch = scratchDirectory();

  it('is one order of events on slow disks and fast ones [A.concurrency.linearizable, A.concurrency.no-take-back]', async () => {
    const random = Random.announced('histories');
    let [operations, unknown, kills] = [0, 0, 0];
    for (let i = 0; i < histories; i++) {
      const directory = join(scratch.path, String(i));
      mkdirSync(directory);
      const late = random.pick([undefined, 2, 15, 60]);
      const plan = { kills: 4, loadMsMax: random.pick([400, 1500]), tasks: random.integer(1, 6) };
      const figures = await expectLinearizable({
        ...{ random, directory, ...plan },
        ...(late === undefined ? {} : { lateMs: late }),
      });
      operations += figures.operations;
      unknown += figures.unknown;
      kills += plan.kills;
    }
    reached('operations checked for linearizability', operations);
    reached('kills during those', `${kills}, with ${unknown} changes cut off (seed ${random.seed})`);
  });
});
