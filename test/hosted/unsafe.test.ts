import { expect } from 'chai';
import { schemaVersion } from '../../src/store/hosted/postgres/pg-schema.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import type { RestClient } from '../support/rest-client.ts';

postgresTests('A database that stops being safe while nodes run', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  /** The node that is asked. */
  let rest: RestClient;
  let url: string;
  let project: string;

  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    nodes = await HostedNodes.start(cluster, 1);
    use(0);
    project = (await rest.post('/projects', { name: 'Garden' })).body.id as string;
  });
  afterEach(() => nodes.stop());

  const use = (node: number): void => {
    rest = nodes.rest(node);
    url = nodes.url(node);
  };
  const plant = (idempotencyKey?: string): ReturnType<RestClient['post']> =>
    rest.post(
      `/projects/${project}/tasks`,
      { label: 'Dig' },
      idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    );
  const tasks = async (): Promise<unknown> => (await rest.get(`/projects/${project}/tasks`)).body.tasks;
  const refusals = async (): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^planner_append_seconds_count\{outcome="unsafe"\} (.*)$/m.exec(text)?.[1] ?? 0);
  };
  const isRefused = async (reason: string): Promise<void> => {
    const [before, counted] = [await tasks(), await refusals()];
    const { status, body, headers } = await plant();
    expect([status, body.error], JSON.stringify(body)).to.deep.equal([503, 'unavailable']);
    expect(body.message).to.include(reason).and.to.include('Nothing was changed');
    expect(body).not.to.have.property('outcome');
    expect(Number(headers.get('retry-after'))).to.be.at.least(1);
    const ready = await rest.get('/ready');
    expect([ready.status, ready.body.ready]).to.deep.equal([503, false]);
    expect(ready.body.message).to.include(reason);
    // The election of the node is a change, too.
    expect(await refusals()).to.be.at.least(counted + 1);
    expect(await tasks()).to.deep.equal(before);
  };
  const isAccepted = async (): Promise<void> => {
    expect((await plant()).status).to.equal(201);
    expect((await rest.get('/ready')).body).to.deep.equal({ ready: true });
  };

  const settings: readonly (readonly [name: string, value: string, safe: string])[] = [
    ['fsync', 'off', 'on'],
    ['full_page_writes', 'off', 'on'],
    ['synchronous_commit', 'off', 'on'],
    ['synchronous_commit', 'local', 'on'],
    ['synchronous_standby_names', '', '*'],
  ];
  it('gets no change acknowledged, by whatever setting, is read, and is written to again once it is safe [A.nodes.safe, A.nodes.ready, A.metrics]', async () => {
    for (const [name, value, safe] of settings) {
      await cluster.primary.reload({ [name]: value });
      await isRefused(`The database is not safe for plans: ${name} is ${value === '' ? 'empty' : value}.`);
      await cluster.primary.reload({ [name]: safe });
      if (name === 'synchronous_standby_names') await cluster.primary.whenReplicating();
      await isAccepted();
    }
  });

  it('gets no change of a program for which its tables are too new [A.nodes.safe, A.nodes.migrate]', async () => {
    const finish = (version: number): Promise<unknown> =>
      cluster.primary.query(`UPDATE ${nodes.schema}.meta SET value = $1 WHERE key = 'schema_version'`, [
        String(version),
      ]);
    await finish(schemaVersion + 1);
    await isRefused(`have version ${schemaVersion + 1}, written by a newer Planner`);
    await finish(schemaVersion);
    await isAccepted();
  });

  it('acknowledges no earlier change either, and answers no strict read [A.nodes.safe, A.nodes.once]', async () => {
    expect((await plant('once')).status).to.equal(201);
    await nodes.add({}, { reads: 'barrier' });
    const strict = nodes.rest(1);
    await cluster.primary.reload({ synchronous_standby_names: '' });
    expect((await plant('once')).status).to.equal(503);
    expect((await strict.get(`/projects/${project}`)).status).to.equal(503);
    expect((await rest.get(`/projects/${project}`)).status).to.equal(200);
    await cluster.primary.reload({ synchronous_standby_names: '*' });
    await cluster.primary.whenReplicating();
    expect((await plant('once')).status).to.equal(201);
    expect((await strict.get(`/projects/${project}`)).status).to.equal(200);
    expect(await tasks()).to.have.length(1);
  });

  it('has an unknown outcome in a bounded time if no standby answers [A.nodes.safe]', async () => {
    await nodes.add({}, { answerMs: 200, resolveMs: 200 });
    use(1);
    cluster.standby.pause();
    const { status, body } = await plant();
    expect([status, body.error, body.outcome]).to.deep.equal([503, 'unavailable', 'unknown']);
    expect((await rest.get(`/projects/${project}`)).status).to.equal(200);
    cluster.standby.resume();
    use(0);
    await isAccepted();
  });

  it('after a fail-over is one, too: unreplicated changes of the lost primary are not acknowledged there [A.nodes.safe, A.nodes.once]', async () => {
    const link = await cluster.link();
    await nodes.add({}, { url: link.url, answerMs: 300, resolveMs: 300 });
    await nodes.end(0);
    use(0);
    expect((await plant('before')).status).to.equal(201);
    await cluster.promoteStandby();
    link.cutAll();
    await isRefused('synchronous_standby_names is empty');
    expect((await plant('after')).status).to.equal(503);
    expect(await tasks()).to.have.length(1);
    await cluster.replaceStandby();
    link.cutAll();
    for (const key of ['before', 'after']) expect((await plant(key)).status).to.equal(201);
    await isAccepted();
    expect(await tasks()).to.have.length(3);
    await nodes.stop();
    await link.stop();
  });
});
