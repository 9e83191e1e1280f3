import { expect } from 'chai';
import { HeldLog } from '../support/held-log.ts';
import { Random } from '../support/random.ts';
import { reached } from '../support/reached.ts';
import type { SharedLog } from '../../src/store/hosted/storage/shared-log.ts';
import { RestClient, type RestResponse } from '../support/rest-client.ts';
import { expectExactlyOnce } from './ledger.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { rarely } from '../support/rarely.ts';

describe('Records made with idempotency keys', () => {
  rarely('exists once, however often and at whichever nodes they send the call [A.nodes.once]', async () => {
    const random = Random.announced('ledger of nodes');
    const cluster = await SimulatedCluster.start({ random });
    try {
      const { projects, tasks, repeated } = await expectExactlyOnce({ random, cluster, made: 20, kills: 2 });
      reached(
        'keyed creates at several nodes',
        `${projects} projects, ${tasks} tasks, ${repeated} repeats (seed ${random.seed})`,
      );
    } finally {
      await cluster.close();
    }
  });

  it('is answered as the first time, although another node has carried out the call before [A.nodes.once]', async () => {
    const logs: HeldLog[] = [];
    const wrap = (log: SharedLog): SharedLog => {
      const held = new HeldLog(log);
      logs.push(held);
      return held;
    };
    const cluster = await SimulatedCluster.start({ random: new Random(1), nodes: 2, wrap });
    try {
      const [one, other] = cluster.nodes.map(({ url }) => new RestClient(url)) as [RestClient, RestClient];
      const { id } = (await other.post('/projects', { name: 'Gone' })).body as { id: string };
      expect((await one.get(`/projects/${id}`)).status).to.equal(200);
      const remove = (at: RestClient): Promise<RestResponse> =>
        at.delete(`/projects/${id}`, { 'Idempotency-Key': 'k' });
      const { promise: held, resolve } = Promise.withResolvers<void>();
      logs[0]!.hold(resolve);
      const late = remove(one);
      await held;
      expect((await remove(other)).status).to.equal(204);
      logs[0]!.release('through');
      expect((await late).status).to.equal(204);
    } finally {
      await cluster.close();
    }
  });
});
