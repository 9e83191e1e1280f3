import { expect } from 'chai';
import type { AccessSettings } from '../../src/base/config.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import type { RestClient } from '../support/rest-client.ts';
import { until } from '../web/support/until.ts';

const admin = 'pln_admin_of-this-test';
const access: AccessSettings = { admin, hosted: { baseUrl: 'https://plan.example.org', trustedProxies: 0 } };
const bearer = (secret: string): { Authorization: string } => ({ Authorization: `Bearer ${secret}` });

postgresTests('Nodes whose database is restored from a backup', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;

  beforeEach(async () => {
    cluster = await PostgresCluster.startSingle();
    nodes = await HostedNodes.start(cluster, 2, { access });
  });
  afterEach(async () => {
    await nodes.stop();
    await cluster.remove();
  });

  const newKey = async (owner: RestClient, name: string): Promise<{ readonly id: string; readonly secret: string }> =>
    (await owner.post('/keys', { kind: 'owner', name })).body;
  const namesAt = async (node: number): Promise<readonly string[]> =>
    (await nodes.rest(node, bearer(admin)).get('/projects')).body.projects.map(({ name }: { name: string }) => name);

  it('go on with the keys, the projects and the tasks that it has, without a restart [A.nodes.restored]', async () => {
    const owner = nodes.rest(0, bearer(admin));
    const kept = await newKey(owner, 'kept');
    const project = (await owner.post('/projects', { name: 'Garden' })).body.id as string;
    const task = (await owner.post(`/projects/${project}/tasks`, { label: 'Dig' })).body.id as string;
    const restore = await cluster.primary.backup();
    await until(async () => (await owner.patch(`/tasks/${task}`, { label: 'Dig deep' })).status === 200);
    expect((await owner.delete(`/keys/${kept.id}`)).status).to.equal(204);
    const lost = await newKey(owner, 'lost');
    await owner.post('/projects', { name: 'Orchard' });
    expect(await namesAt(1)).to.have.members(['Garden', 'Orchard']);
    await restore();
    for (const node of [0, 1]) {
      await until(async () => (await fetch(`${nodes.url(node)}/api/v1/ready`)).status === 200);
      expect(await namesAt(node), String(node)).to.deep.equal(['Garden']);
      const statusOf = async (secret: string): Promise<number> =>
        (await nodes.rest(node, bearer(secret)).get(`/tasks/${task}`)).status;
      expect([await statusOf(kept.secret), await statusOf(lost.secret)], String(node)).to.deep.equal([200, 401]);
      expect((await nodes.rest(node, bearer(admin)).get(`/tasks/${task}`)).body.label).to.equal('Dig');
    }
    for (const node of [0, 1]) {
      const name = `Made at ${node}`;
      expect((await nodes.rest(node, bearer(kept.secret)).post('/projects', { name })).status).to.equal(201);
      expect(await namesAt(1 - node)).to.include(name);
    }
    expect(nodes.nodes.map(({ store }) => store.measures().forks > 0)).to.deep.equal([true, true]);
    expect(JSON.stringify(nodes.log)).to.include('The log of $service does not continue what this node has (forked)');
  });
});
