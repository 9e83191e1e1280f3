import { Random, roundsOf } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { expectLinearizable } from './history.ts';
import { expectExactlyOnce } from './ledger.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

const histories = roundsOf(200);
const ledgers = roundsOf(50);

describe('Several nodes, many times', () => {
  it('show one order of events, over cut connections, fail-overs and killed nodes [A.concurrency.linearizable, A.nodes.reads, A.nodes.writes]', async () => {
    const random = Random.announced('histories of nodes');
    let [operations, unknown, refused] = [0, 0, 0];
    for (let i = 0; i < histories; i++) {
      // A separate seed, so that the history can be run again alone.
      const own = new Random(i === 0 ? random.seed : random.integer(0, 2 ** 31));
      const cluster = await SimulatedCluster.start({ random: own, nodes: own.integer(2, 4) });
      try {
        const plan = { operations: 3000, kills: 3, tasks: own.integer(1, 6) };
        const figures = await expectLinearizable({ random: own, cluster, ...plan });
        operations += figures.operations;
        unknown += figures.unknown;
        refused += figures.refused;
      } finally {
        await cluster.close();
      }
    }
    reached('operations at several nodes checked', operations);
    reached('calls cut off during those, and refused', `${unknown}, ${refused} (seed ${random.seed})`);
  });

  it('make records with idempotency keys once [A.nodes.once]', async () => {
    const random = Random.announced('ledgers of nodes');
    let [made, repeated] = [0, 0];
    for (let i = 0; i < ledgers; i++) {
      const own = new Random(i === 0 ? random.seed : random.integer(0, 2 ** 31));
      const cluster = await SimulatedCluster.start({ random: own });
      try {
        const figures = await expectExactlyOnce({ random: own, cluster, made: 40, kills: 4 });
        made += figures.projects + figures.tasks;
        repeated += figures.repeated;
      } finally {
        await cluster.close();
      }
    }
    reached('keyed creates at several nodes', `${made}, sent again ${repeated} times (seed ${random.seed})`);
  });
});
