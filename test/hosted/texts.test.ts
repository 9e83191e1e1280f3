import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import type { RestClient } from '../support/rest-client.ts';

/** A Markdown text over 64 KiB that contains a word. */
const large = (word: string): string =>
  `${randomBytes(8).toString('hex')}\n\n${'Nothing of it here. '.repeat(limits.residentTextBytesMax / 10)}\n\n${word} at the end.\n`;

postgresTests('Large texts at nodes over one database', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  let [one, two] = [] as unknown as [RestClient, RestClient];
  let project: string;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    nodes = await HostedNodes.start(cluster, 2, { snapshots: { entries: 10, characters: Infinity, keepMs: 0 } });
    [one, two] = [nodes.rest(0), nodes.rest(1)];
    project = (await one.post('/projects', { name: 'Garden' })).body.id as string;
  });
  afterEach(() => nodes.stop());

  const made = async (path: string, body: object, at = one): Promise<string> => {
    const answer = await at.post(`/projects/${project}/${path}`, body);
    expect(answer.status, JSON.stringify(answer.body).slice(0, 300)).to.equal(201);
    return answer.body.id as string;
  };
  const rows = async (query: string): Promise<readonly Record<string, unknown>[]> =>
    await cluster.primary.query(query.replaceAll('$', `${nodes.schema}.`));

  /** Compares the answers of all nodes to these requests; one of them was started just now. */
  async function expectSame(...paths: readonly string[]): Promise<void> {
    await nodes.add();
    const fresh = nodes.rest(nodes.nodes.length - 1);
    for (const path of paths) {
      const [answer, ...others] = await Promise.all([one, two, fresh].map((node) => node.get(path)));
      expect(answer!.status, path).to.equal(200);
      for (const other of others) {
        expect(JSON.stringify(other.body) === JSON.stringify(answer!.body), path).to.equal(true);
        expect(other.headers.get('etag'), path).to.equal(answer!.headers.get('etag'));
      }
    }
  }

  it('are answered, listed, searched, shown in history and exported alike [A.nodes.texts]', async () => {
    const [body, changed] = [large('Lacewings'), large('Ladybirds')];
    const document = await made('documents', { title: 'Insects', body });
    const task = await made('tasks', { label: 'Dig', description: large('Spades') }, two);
    const note = await made('notes', { title: 'Soil', body: large('Worms') });
    // The goal is listed by the beginning of its text.
    const goal = await made('goals', { objective: `Compost for all. ${large('Peelings')}` });
    expect((await two.get(`/documents/${document}`)).body.body).to.equal(body);
    expect((await two.patch(`/documents/${document}`, { body: changed })).status).to.equal(200);
    expect((await one.patch(`/documents/${document}`, { title: 'Beetles' })).body.body).to.equal(changed);
    const found = async (node: RestClient, word: string): Promise<readonly object[]> =>
      (await node.get(`/search?bodies=true&q=${word}&project_id=${project}`)).body.documents as object[];
    for (const node of [one, two]) {
      expect(await found(node, 'Ladybirds')).to.have.length(1);
      expect(await found(node, 'Lacewings')).to.deep.equal([]);
    }
    expect((await one.patch(`/documents/${document}`, { body })).status).to.equal(200);
    for (const node of [one, two]) {
      const [hit] = await found(node, 'Lacewings');
      expect(hit).to.have.property('excerpt').that.includes('Lacewings at the end.');
      expect(await found(node, 'Ladybirds')).to.deep.equal([]);
    }
    const goals = await two.get(`/search?q=Compost&type=goal&project_id=${project}`);
    expect(goals.body.goals).to.have.length(1);
    const { body: history } = await two.get(`/projects/${project}/revisions`);
    const revision = (history.revisions as { id: string }[])[0]!.id;
    await expectSame(
      ...[`/documents/${document}`, `/tasks/${task}`, `/notes/${note}`, `/goals/${goal}`, `/revisions/${revision}`],
      ...['tasks', 'goals', 'documents', 'notes', 'canvas', 'revisions', 'export', 'events'].map(
        (name) => `/projects/${project}/${name}`,
      ),
      `/search?bodies=true&q=Lacewings&project_id=${project}`,
      `/search?q=Compost&type=goal&project_id=${project}`,
    );
    // They are in one table of the database: no entry, revision or snapshot has them.
    for (const table of ['log', 'revision'])
      expect(await rows(`SELECT FROM $${table} WHERE octet_length(body) > 20000`), table).to.have.length(0);
    expect(await rows('SELECT FROM $blob')).to.have.length(5);
  });

  it('stay while a project references them, and are swept otherwise [A.nodes.texts]', async () => {
    const body = large('Lacewings');
    const document = await made('documents', { title: 'Insects', body });
    const other = (await two.post('/projects', { name: 'Other' })).body.id as string;
    await two.post(`/projects/${other}/documents`, { title: 'Insects', body });
    expect(await rows('SELECT FROM $blob_use')).to.have.length(2);
    expect(await rows('SELECT FROM $blob_part')).to.have.length(1);
    await rows("UPDATE $blob SET staged_at = staged_at - interval '25 hours'");
    const { store } = nodes.nodes[0]!;
    await store.trim();
    await expectSame(`/documents/${document}`);
    await rows('DELETE FROM $blob_use');
    await store.trim();
    expect(await rows('SELECT FROM $blob')).to.have.length(0);
    // Stored again by the next entry that has it.
    const again = await made('documents', { title: 'Again', body }, two);
    await expectSame(`/documents/${again}`);
  });

  it('stay in entries and snapshots while nodes of an earlier version may read them [A.nodes.texts]', async () => {
    await rows("UPDATE $meta SET value = '1' WHERE key = 'schema_version'");
    await nodes.add();
    const upgraded = nodes.rest(nodes.nodes.length - 1);
    const document = await made('documents', { title: 'Insects', body: large('Lacewings') }, upgraded);
    for (let at = 0; at < 12; at++) await made('tasks', { label: `Dig ${at}` }, upgraded);
    await nodes.nodes.at(-1)!.store.whenSnapshotsTaken();
    expect(await rows('SELECT FROM $blob')).to.have.length(0);
    expect(await rows('SELECT FROM $log WHERE v <> 1')).to.have.length(0);
    expect(await rows(`SELECT FROM $snapshot WHERE project = '${project}' AND format = 2`)).not.to.have.length(0);
    await rows("UPDATE $meta SET value = '2' WHERE key = 'schema_version'");
    await expectSame(`/documents/${document}`, `/projects/${project}/export`);
    const finished = nodes.rest(nodes.nodes.length - 1);
    expect((await finished.patch(`/documents/${document}`, { title: 'Beetles' })).status).to.equal(200);
    expect(await rows('SELECT FROM $blob')).to.have.length(1);
    expect(await rows('SELECT FROM $log WHERE v = 2')).to.have.length(1);
    expect((await upgraded.patch(`/documents/${document}`, { title: 'Ladybirds' })).status).to.equal(200);
    await expectSame(`/documents/${document}`, `/projects/${project}/export`);
  });

  it('are written by nodes at the same time, and no text is lost [A.nodes.texts]', async () => {
    const document = await made('documents', { title: 'Insects', body: large('Lacewings') });
    const bodies = Array.from({ length: 6 }, (_, at) => large(`Beetle ${at}`));
    const answers = await Promise.all(
      bodies.flatMap((body, at) => [
        (at % 2 === 0 ? one : two).patch(`/documents/${document}`, { body }),
        made('documents', { title: `Copy ${at}`, body }, at % 2 === 0 ? two : one),
      ]),
    );
    for (const answer of answers) if (typeof answer === 'object') expect(answer.status).to.equal(200);
    const { body: history } = await one.get(`/projects/${project}/revisions`);
    expect(history.revisions).to.have.length(6);
    await expectSame(`/documents/${document}`, `/projects/${project}/documents`, `/projects/${project}/export`);
    expect(await rows('SELECT FROM $blob')).to.have.length(7);
  });
});
