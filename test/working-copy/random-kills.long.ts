import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { Random, roundsOf } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { HostedCopy } from './hosted-copy.ts';
import { randomKills } from './random-kills.ts';

postgresTests('planner sync, killed at random times', () => {
  const scratch = scratchDirectory();
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());

  it('is completed by the next one: both sides are equal, and nothing is lost [A.nodes.sync]', async () => {
    const random = Random.announced('kills of planner sync');
    const copy = await HostedCopy.start(cluster, scratch.path);
    try {
      const { killed, ended } = await randomKills(copy, random, roundsOf(60));
      reached('synchronisations killed, and ended before', `${killed}, ${ended} (seed ${random.seed})`);
    } finally {
      await copy.stop();
    }
  });
});
