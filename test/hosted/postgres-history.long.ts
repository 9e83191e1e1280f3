import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { Random, roundsOf } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { expectLinearizable } from './history.ts';
import { expectExactlyOnce } from './ledger.ts';
import { PostgresNodes } from './postgres-nodes.ts';

const rounds = roundsOf(20);

postgresTests('Nodes over a primary with a synchronous standby, many times', () => {
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(() => cluster.remove());

  for (const asProcesses of [false, true])
    it(`show one order of events, and make each record once, ${asProcesses ? 'as processes that are killed and stopped' : 'in one process'} [A.concurrency.linearizable, A.nodes.reads, A.nodes.once]`, async () => {
      const random = Random.announced('histories over PostgreSQL');
      let [operations, unknown, made] = [0, 0, 0];
      for (let i = 0; i < rounds; i++) {
        const own = new Random(i === 0 ? random.seed : random.integer(0, 2 ** 31));
        const nodes = await PostgresNodes.start({ cluster, random: own, asProcesses, failOvers: 4 });
        try {
          const figures = await expectLinearizable({ random: own, cluster: nodes, operations: 3000, kills: 3 });
          operations += figures.operations;
          unknown += figures.unknown;
          const { projects, tasks } = await expectExactlyOnce({ random: own, cluster: nodes, made: 30, kills: 2 });
          made += projects + tasks;
        } finally {
          await nodes.close();
        }
      }
      reached(
        'operations at nodes over PostgreSQL checked',
        `${operations}, ${unknown} of them cut off, ${made} keyed creates (seed ${random.seed})`,
      );
    });
});
