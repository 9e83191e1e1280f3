import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { expectLinearizable } from './history.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

describe('The view of one plan at several nodes', () => {
  it('is one order of events, over cut connections, fail-overs and killed nodes [A.concurrency.linearizable]', async () => {
    const random = Random.announced('history of nodes');
    const cluster = await SimulatedCluster.start({ random });
    try {
      const figures = await expectLinearizable({ random, cluster, operations: 600, kills: 1 });
      reached('operations at several nodes checked', `${figures.operations} (seed ${random.seed})`);
    } finally {
      await cluster.close();
    }
  });
});
