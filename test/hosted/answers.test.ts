import { expect } from 'chai';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { McpClient } from '../support/mcp-client.ts';
import { type NodeLink, PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import type { RestClient, RestResponse } from '../support/rest-client.ts';
import { isAppend } from '../store/log/postgres-world.ts';
import { rarely } from '../support/rarely.ts';

const keyed = (key: string): { 'Idempotency-Key': string } => ({ 'Idempotency-Key': key });

postgresTests('Answers to calls with idempotency keys', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  let keys = 0;
  const newKey = (): string => `key-${keys++}`;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    nodes = await HostedNodes.start(cluster, 2);
  });
  afterEach(() => nodes.stop());

  const make = async (rest: RestClient, name: string): Promise<string> =>
    (await rest.post('/projects', { name })).body.id as string;
  const labels = async (node: number, project: string): Promise<readonly string[]> =>
    (await nodes.rest(node).get(`/projects/${project}/tasks`)).body.tasks.map(({ label }: { label: string }) => label);
  const stored = async (): Promise<number> =>
    (await cluster.primary.query(`SELECT FROM ${nodes.schema}.answer`)).length;
  const statuses = (answers: readonly RestResponse[]): readonly number[] =>
    answers.map(({ status }) => status).sort((a, b) => a - b);

  it('are given to one of two calls with the same key in two projects at two nodes at the same time [A.nodes.once]', async () => {
    const projects = [await make(nodes.rest(0), 'One'), await make(nodes.rest(1), 'Other')];
    for (const node of [0, 1]) await nodes.rest(node).get('/projects');
    for (let round = 0; round < 20; round++) {
      const key = keyed(newKey());
      const answers = await Promise.all(
        projects.map((id, node) => nodes.rest(node).post(`/projects/${id}/tasks`, { label: `${round}` }, key)),
      );
      expect(statuses(answers), `round ${round}`).to.deep.equal([201, 409]);
      expect(answers.find(({ status }) => status === 409)!.body).to.include({ error: 'conflict' });
      // Also afterwards, at either.
      const again = await Promise.all(
        projects.map((id, node) => nodes.rest(1 - node).post(`/projects/${id}/tasks`, { label: `${round}` }, key)),
      );
      expect(again.map(({ status }) => status)).to.deep.equal(answers.map(({ status }) => status));
    }
    const made = [await labels(0, projects[0]!), await labels(0, projects[1]!)];
    expect(made.flat().sort()).to.deep.equal(Array.from({ length: 20 }, (_, round) => `${round}`).sort());
  });

  it('are found at another node immediately, over either transport [A.nodes.once]', async () => {
    const project_id = await make(nodes.rest(0), 'Garden');
    const agents = [await McpClient.connect(nodes.url(0)), await McpClient.connect(nodes.url(1))];
    for (let round = 0; round < 10; round++) {
      const [key, other] = [newKey(), newKey()];
      const [first, second] = round % 2 === 0 ? [0, 1] : [1, 0];
      const body = { label: `Dig ${round}` };
      const made = await nodes.rest(first).post(`/projects/${project_id}/tasks`, body, keyed(key));
      const again = await nodes.rest(second).post(`/projects/${project_id}/tasks`, body, keyed(key));
      expect([again.status, again.body]).to.deep.equal([201, made.body]);
      const wrong = await nodes.rest(second).post(`/projects/${project_id}/tasks`, { label: 'Sow' }, keyed(key));
      expect(wrong.status).to.equal(409);
      const input = { project_id, label: `Sow ${round}` };
      const called = await agents[first]!.call('create_task', input, other);
      expect(await agents[second]!.call('create_task', input, other)).to.deep.equal(called);
      expect((await agents[second]!.call('create_task', { ...input, label: 'Dig' }, other)).value).to.include({
        error: 'conflict',
      });
    }
    expect(await labels(1, project_id)).to.have.length(20);
    await Promise.all(agents.map((agent) => agent.close()));
  });

  it('cover projects, imports, deletions and keys, too [A.nodes.once]', async () => {
    const at = (send: (rest: RestClient) => Promise<RestResponse>): Promise<readonly RestResponse[]> =>
      Promise.all([0, 1, 0, 1].map((node) => send(nodes.rest(node))));
    const [making, importing, changing, deleting, owning] = Array.from({ length: 5 }, () => keyed(newKey()));
    const made = await at((rest) => rest.post('/projects', { name: 'Once' }, making));
    expect(new Set(made.map(({ body }) => body.id as string)).size).to.equal(1);
    const { id } = made[0]!.body as { id: string };
    const plan = (await nodes.rest(0).get(`/projects/${id}/export`)).body as unknown;
    const imported = await at((rest) => rest.post('/projects/import', plan, importing));
    expect(statuses(imported), JSON.stringify(imported[0]!.body)).to.deep.equal([201, 201, 201, 201]);
    expect(new Set(imported.map(({ body }) => body.id as string)).size).to.equal(1);
    // A call without changes has an answer, too.
    const changed = await at((rest) => rest.patch(`/projects/${id}`, { name: 'Once' }, changing));
    expect(statuses(changed)).to.deep.equal([200, 200, 200, 200]);
    const key = await at((rest) => rest.post('/keys', { kind: 'owner', name: 'laptop' }, owning));
    expect(new Set(key.map(({ body }) => body.secret as string)).size, 'one secret').to.equal(1);
    expect(statuses(await at((rest) => rest.delete(`/projects/${id}`, deleting)))).to.deep.equal([204, 204, 204, 204]);
    expect((await nodes.rest(0).delete(`/projects/${id}`)).status, 'without a key').to.equal(404);
    expect((await nodes.rest(1).get('/projects')).body.projects).to.have.length(1);
    expect((await nodes.rest(1).get('/keys')).body.keys).to.have.length(1);
    expect(await stored()).to.equal(5);
  });

  it('do not exist for a refused call: it is executed when it is sent again [D1.idempotency]', async () => {
    const project = await make(nodes.rest(0), 'Garden');
    const key = keyed(newKey());
    const change = (node: number): Promise<RestResponse> =>
      nodes.rest(node).patch('/tasks/later', { label: 'Later' }, key);
    expect((await change(0)).status).to.equal(404);
    expect(await stored()).to.equal(0);
    await nodes.rest(0).put(`/projects/${project}/canvas`, { nodes: [{ id: 'later', label: 'Later' }] });
    expect((await change(1)).status).to.equal(200);
    expect((await change(0)).status).to.equal(200);
    expect(await stored()).to.equal(1);
  });

  it('expire after a day of the database, and are removed by a sweep [D1.idempotency]', async () => {
    const project = await make(nodes.rest(0), 'Garden');
    const [key, other] = [keyed(newKey()), keyed(newKey())];
    const create = async (node: number, of: { 'Idempotency-Key': string }): Promise<string> =>
      (await nodes.rest(node).post(`/projects/${project}/tasks`, { label: 'Dig' }, of)).body.id as string;
    const [first] = [await create(0, key), await create(0, other)];
    const age = (hours: number): Promise<unknown> =>
      cluster.primary.query(`UPDATE ${nodes.schema}.answer SET expires_at = expires_at - interval '${hours} hours'`);
    const [row] = await cluster.primary.query(
      `SELECT extract(epoch FROM min(expires_at) - clock_timestamp()) AS seconds FROM ${nodes.schema}.answer`,
    );
    expect(Number(row!['seconds'])).to.be.within(86_000, 86_400);
    await age(23);
    expect(await create(1, key)).to.equal(first);
    expect(await nodes.nodes[0]!.store.trim()).to.equal(0);
    expect(await stored()).to.equal(2);
    await age(2);
    // The former answer is in the way of the new one until then.
    const again = await create(1, key);
    expect(again).not.to.equal(first);
    expect(await create(0, key)).to.equal(again);
    await nodes.nodes[1]!.store.trim();
    expect(await stored()).to.equal(1);
    expect(await labels(0, project)).to.have.length(3);
  });

  it('are in no replica and no entry [A.nodes.once]', async () => {
    const project = await make(nodes.rest(0), 'Garden');
    await nodes.rest(0).post(`/projects/${project}/tasks`, { label: 'Dig' }, keyed(newKey()));
    for (const { store } of nodes.nodes)
      expect(await store.readService((view) => [...view.list('idempotency')])).to.deep.equal([]);
    const bodies = await cluster.primary.query(`SELECT convert_from(body, 'UTF8') AS body FROM ${nodes.schema}.log`);
    for (const { body } of bodies as readonly { body: string }[]) expect(body).not.to.include('"idempotency"');
  });

  it('that an earlier release has stored among its records are found until they expire [A.nodes.once]', async () => {
    const project = await make(nodes.rest(0), 'Garden');
    const key = keyed(newKey());
    const create = (node: number): Promise<RestResponse> =>
      nodes.rest(node).post(`/projects/${project}/tasks`, { label: 'Dig' }, key);
    const made = await create(0);
    const [row] = await cluster.primary.query(`DELETE FROM ${nodes.schema}.answer RETURNING kept`);
    const [last] = await cluster.primary.query(
      `SELECT seq::float8, id FROM ${nodes.schema}.log WHERE project = $1 ORDER BY seq DESC LIMIT 1`,
      [project],
    );
    const to = JSON.parse(row!['kept'] as string) as { id: string; created_at: string };
    const entry = { at: to.created_at, author: 'human:Ada', source: 'rest', changes: [], revisions: [] };
    const storage = await openPgStorage({ url: cluster.primary.url, schema: nodes.schema, durability: 'disk' });
    const { is } = await storage.log.append({
      ...{ project, after: { seq: last!['seq'] as number, id: last!['id'] as string }, id: 'evt_earlier' },
      body: { ...entry, service: [{ c: 'idempotency', id: to.id, to }] },
    });
    await storage.close();
    expect(is).to.equal('ok');
    await nodes.add();
    for (const node of [1, 2, 0]) expect((await create(node)).body).to.deep.equal(made.body);
    expect(await labels(0, project)).to.deep.equal(['Dig']);
  });

  for (const when of ['before', 'during', 'after'] as const)
    it(`are there if and only if the entry is, when the connection is cut ${when} the commit [A.nodes.once]`, async () => {
      const link: NodeLink = await cluster.link();
      await nodes.add({}, { url: link.url });
      const project = await make(nodes.rest(0), 'Garden');
      expect(await labels(2, project)).to.deep.equal([]);
      const key = keyed(newKey());
      const cut = link.cutNext(when, isAppend);
      const made = await nodes.rest(2).post(`/projects/${project}/tasks`, { label: 'Dig' }, key);
      await cut;
      expect(made.status).to.equal(201);
      const again = await nodes.rest(0).post(`/projects/${project}/tasks`, { label: 'Dig' }, key);
      expect(again.body).to.deep.equal(made.body);
      expect(await labels(1, project)).to.deep.equal(['Dig']);
      await nodes.end(2);
      await link.stop();
    });

  it('are there if and only if the entry is, when the database was lost with an unknown outcome [A.nodes.once]', async () => {
    const link: NodeLink = await cluster.link();
    await nodes.add({}, { url: link.url, resolveMs: 50, answerMs: 300 });
    const project = await make(nodes.rest(0), 'Garden');
    expect(await labels(2, project)).to.deep.equal([]);
    let unknown = 0;
    for (const when of ['before', 'during', 'after'] as const) {
      const key = keyed(newKey());
      const create = (node: number): Promise<RestResponse> =>
        nodes.rest(node).post(`/projects/${project}/tasks`, { label: when }, key);
      // Nothing reaches the database once the connection is cut.
      const cut = link.cutNext(when, isAppend).then(() => link.pause());
      const lost = await create(2);
      await cut;
      if (lost.body.outcome === 'unknown') unknown++;
      const found = await create(0);
      expect(found.status).to.equal(201);
      link.resume();
      const again = await create(2);
      expect([again.status, again.body]).to.deep.equal([201, found.body]);
    }
    expect(unknown).to.be.above(0);
    expect([...(await labels(1, project))].sort()).to.deep.equal(['after', 'before', 'during']);
    await nodes.end(2);
    await link.stop();
  });
});

postgresTests('Answers to calls with idempotency keys, with a synchronous standby', () => {
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(() => cluster.remove());

  rarely('survive a fail-over with their entries [A.nodes.once]', async () => {
    const links = [await cluster.link(), await cluster.link()];
    const nodes = await HostedNodes.start(cluster, 0);
    for (const { url } of links) await nodes.add({}, { url });
    const project = (await nodes.rest(0).post('/projects', { name: 'Garden' })).body.id as string;
    const create = async (node: number, number: number): Promise<string | undefined> => {
      const label = `Task ${number}`;
      const { status, body } = await nodes
        .rest(node)
        .post(`/projects/${project}/tasks`, { label }, keyed(`task-${number}`));
      expect(status === 201 || status === 503, `${status}`).to.equal(true);
      return status === 201 ? (body.id as string) : undefined;
    };
    const numbers = Array.from({ length: 60 }, (_, number) => number);
    const under = numbers.map((number) => create(number % 2, number));
    const over = cluster.failOver();
    const answered = await Promise.all(under);
    await over;
    for (const number of numbers) {
      const ids = new Set<string>();
      for (let id = answered[number]; ids.size === 0 || id === undefined; id = await create(1 - (number % 2), number))
        if (id !== undefined) ids.add(id);
      const again = await create(number % 2, number);
      if (again !== undefined) ids.add(again);
      expect(ids.size, `task ${number}`).to.equal(1);
    }
    const { tasks } = (await nodes.rest(0).get(`/projects/${project}/tasks?limit=200`)).body;
    expect(tasks.map(({ label }: { label: string }) => label).sort()).to.deep.equal(
      numbers.map((number) => `Task ${number}`).sort(),
    );
    await nodes.stop();
    await Promise.all(links.map((link) => link.stop()));
  });
});
