import { expect } from 'chai';
import { emptyHead } from '../../../src/store/record/log.ts';
import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { postgresTests } from '../../support/postgres.ts';
import { TransactionPooler } from '../../support/transaction-pooler.ts';
import { describeLog } from './describe-log.ts';
import { describeChanges } from './describe-changes.ts';
import { PostgresWorld } from './postgres-world.ts';

postgresTests('PostgreSQL', () => {
  let cluster: PostgresCluster;

  describe('on one server', () => {
    before(async () => {
      cluster = await PostgresCluster.startSingle();
    });
    after(() => cluster.remove());

    // Not the one that loses the server six times: with a standby it does so, too.
    const without = [10];
    describeLog({ name: 'PostgreSQL on one server', make: () => new PostgresWorld(cluster), isShared: true, without });
    describeChanges('PostgreSQL on one server', () => new PostgresWorld(cluster));

    it('24: through a pooler it needs no session: its statements are answered by changing ones', async () => {
      const pooler = await TransactionPooler.start(cluster.primary.port, 3);
      const world = new PostgresWorld(cluster, { url: pooler.url, prepare: false });
      const nodes = await Promise.all([world.open(), world.open()]);
      let head = emptyHead;
      for (let at = 0; at < 20; at++) {
        const [one, other] = [nodes[at % 2]!, nodes[(at + 1) % 2]!];
        const appended = await one.append({ project: 'a', after: head, id: `evt_${at}`, body: { at } });
        const { entries } = await other.catchUp(new Map([['a', head]]));
        expect(entries.map(({ id, body }) => ({ id, body }))).to.deep.equal([{ id: `evt_${at}`, body: { at } }]);
        expect(appended).to.deep.equal({ is: 'ok', head: { seq: at + 1, id: `evt_${at}` } });
        head = { seq: at + 1, id: `evt_${at}` };
      }
      expect(new Set(pooler.sessions).size).to.equal(3);
      await Promise.all(nodes.map((node) => node.close()));
      await pooler.stop();
    });
  });

  describe('with a synchronous standby', () => {
    before(async () => {
      cluster = await PostgresCluster.startPair();
    });
    after(() => cluster.remove());

    // The tests that lose the server. `postgres-log.long.ts` runs all.
    const only = [10, 16];
    describeLog({ name: 'PostgreSQL with a standby', make: () => new PostgresWorld(cluster), isShared: true, only });
    describeChanges('PostgreSQL with a standby', () => new PostgresWorld(cluster));
  });
});
