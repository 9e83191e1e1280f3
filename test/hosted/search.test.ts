import { expect } from 'chai';
import { search } from '../../src/domain/search/search.ts';
import { atOnce } from '../../src/base/slices.ts';
import type { SearchAnswer } from '../../src/domain/records/collections.ts';
import { migrateDatabase } from '../../src/store/hosted/postgres/pg-migrate.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { fixtureOfVersion3, layOutTables } from '../upgrades/database-fixture.ts';
import { Random } from '../support/random.ts';
import { rarely } from '../support/rarely.ts';

const words = [
  'bed',
  'beds',
  'bedding',
  'winter',
  'prepare',
  'prepares',
  'the',
  'for',
  'Größe',
  'crème',
  '42',
  '7a',
  '東京都',
];
const queries = [
  ...[
    'bed',
    'wint',
    'prepare winter',
    'prepair wintre',
    'grosse',
    'größe',
    'creme',
    'the bed for winter',
    '4',
    '7a bed',
  ],
  ...['zebra', 'bde', 'zebra bed', '東京', "the 'bed' \\ for:*", 'preperes the beds'],
];
const kinds = ['document', 'task', 'note', 'goal'] as const;

postgresTests('A search over all projects of a database', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    nodes = await HostedNodes.start(cluster, 0);
  });
  afterEach(() => nodes.stop());

  const found = async (node: number, query: string, more = ''): Promise<SearchAnswer> =>
    (await nodes.rest(node).get(`/search?q=${encodeURIComponent(query)}${more}`)).body;
  /** The result of a search that reads every project. */
  const whole = (node: number, input: Parameters<typeof search>[1]): Promise<SearchAnswer> =>
    nodes.nodes[node]!.store.readAll((views) => atOnce(search(views, input)));

  rarely('finds what one that reads all of them finds, in the same order [A.nodes.search]', async () => {
    // Nothing stays in memory that is not in use.
    await nodes.add({ memoryBytes: 1 });
    await nodes.add({ memoryBytes: 1 });
    const random = new Random(7);
    const next = (below: number): number => random.integer(0, below - 1);
    const title = (): string => Array.from({ length: 1 + next(5) }, () => words[next(words.length)]!).join(' ');
    const rest = nodes.rest(0);
    const projects: string[] = [];
    for (let at = 0; at < 12; at++) {
      const { body } = await rest.post('/projects', { name: `Garden ${at}` });
      projects.push(body.id as string);
      const tasks = Array.from({ length: 4 }, (_, nth) => ({ key: `t${nth}`, label: title() }));
      await rest.post('/scaffold', { project_id: body.id, tasks });
      await rest.post(`/projects/${body.id}/notes`, { title: at % 2 === 0 ? title() : '', body: title() });
      await rest.post(`/projects/${body.id}/documents`, { title: title() });
    }
    const same = async (): Promise<void> => {
      for (const query of queries) {
        expect(await found(1, query, '&limit=3'), query).to.deep.equal(await whole(0, { query, limit: 3 }));
        const types = [...kinds];
        expect(await found(1, query, `&type=${kinds.join('&type=')}`), query).to.deep.equal(
          await whole(0, { query, types }),
        );
      }
    };
    await same();
    expect((await found(1, 'bed')).tasks).to.not.be.empty;
    // Titles change, records and projects are deleted, at either node.
    for (const [at, project] of projects.entries()) {
      const other = nodes.rest(at % 2);
      const { tasks } = (await other.get(`/projects/${project}/tasks`)).body as { tasks: { id: string }[] };
      await other.patch(`/tasks/${tasks[0]!.id}`, { label: title() });
      await other.delete(`/tasks/${tasks[1]!.id}`);
      await other.patch(`/tasks/${tasks[2]!.id}`, { description: 'No other title.' });
    }
    await rest.delete(`/projects/${projects[0]}`);
    await same();
    const [left] = await cluster.primary.query(
      `SELECT (SELECT count(*) FROM ${nodes.schema}.title WHERE project = $1)::int AS titles,
        (SELECT count(*) FROM ${nodes.schema}.titled WHERE project = $1)::int AS titled`,
      [projects[0]],
    );
    expect(left).to.deep.equal({ titles: 0, titled: 0 });
  });

  rarely(
    'says that it is incomplete until the titles of an earlier version are stored [A.nodes.search, A.nodes.migrate]',
    async () => {
      await layOutTables(cluster.primary, fixtureOfVersion3, nodes.schema);
      const options = { url: cluster.primary.url, schema: nodes.schema, durability: 'disk' as const, dryRun: false };
      await migrateDatabase({ ...options, finish: false });
      // Nodes that store no titles may be running.
      await nodes.add();
      expect((await found(0, 'snapshots')).incomplete).to.equal(undefined);
      await nodes.end(0);
      await migrateDatabase({ ...options, finish: true });
      await nodes.add();
      expect((await found(0, 'snapshots')).incomplete).to.equal(true);
      let answer: SearchAnswer;
      do answer = await found(0, 'snapshots');
      while (answer.incomplete === true);
      expect(answer.tasks.map(({ label }) => label)).to.deep.equal(['Behind the snapshots']);
      expect(answer).to.deep.equal(await whole(0, { query: 'snapshots' }));
    },
  );

  it('ranks 5,000 titles of more, and says so [A.nodes.search]', async () => {
    await nodes.add();
    const { body } = await nodes.rest(0).post('/projects', { name: 'Garden' });
    await nodes.rest(0).post(`/projects/${body.id}/tasks`, { label: 'Bed' });
    const more = async (count: number): Promise<unknown> =>
      cluster.primary.query(
        `INSERT INTO ${nodes.schema}.title SELECT 'prj_gone', n::text, 'task', '', array_to_tsvector(ARRAY['bed'])
          FROM generate_series(1, ${count}) n ON CONFLICT DO NOTHING`,
      );
    await more(4_999);
    expect((await found(0, 'bed')).incomplete).to.equal(undefined);
    await more(5_000);
    expect((await found(0, 'bed')).incomplete).to.equal(true);
    expect((await found(0, 'winter')).incomplete).to.equal(undefined);
  });
});
