import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { postgresTests } from '../../support/postgres.ts';
import { describeLog } from './describe-log.ts';
import { PostgresWorld } from './postgres-world.ts';

postgresTests('PostgreSQL', () => {
  let cluster: PostgresCluster;

  describe('on one server', () => {
    before(async () => {
      cluster = await PostgresCluster.startSingle();
    });
    after(() => cluster.remove());

    describeLog({ name: 'PostgreSQL on one server', make: () => new PostgresWorld(cluster), isShared: true });
  });

  describe('with a synchronous standby', () => {
    before(async () => {
      cluster = await PostgresCluster.startPair();
    });
    after(() => cluster.remove());

    describeLog({ name: 'PostgreSQL with a standby', make: () => new PostgresWorld(cluster), isShared: true });
  });
});
