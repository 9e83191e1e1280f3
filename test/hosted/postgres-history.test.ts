import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { expectLinearizable } from './history.ts';
import { PostgresNodes } from './postgres-nodes.ts';

postgresTests('Nodes over a primary with a synchronous standby', () => {
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(() => cluster.remove());

  it('show one order of events, over cut connections, a fail-over and a killed node [A.concurrency.linearizable, A.nodes.reads, A.nodes.writes]', async () => {
    const random = Random.announced('history over PostgreSQL');
    const nodes = await PostgresNodes.start({ cluster, random, failOvers: 1 });
    try {
      const figures = await expectLinearizable({ random, cluster: nodes, operations: 150, kills: 1 });
      reached('operations at nodes over PostgreSQL checked', `${figures.operations} (seed ${random.seed})`);
    } finally {
      await nodes.close();
    }
  });
});
