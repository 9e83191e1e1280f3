import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import type { RestClient } from '../support/rest-client.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PgConnection } from '../../src/store/hosted/postgres/pg-connection.ts';
import { PgDeletedLogs } from '../../src/store/hosted/postgres/pg-deleted-logs.ts';
import { settledOptions } from '../../src/store/hosted/postgres/pg-log.ts';
import { PgPool } from '../../src/store/hosted/postgres/pg-pool.ts';
import { RetryLimit } from '../../src/store/hosted/postgres/pg-retry.ts';
import { PgTables } from '../../src/store/hosted/postgres/pg-schema.ts';
import { PgServers } from '../../src/store/hosted/postgres/pg-servers.ts';
import type { StoredRecord } from '../../src/store/index.ts';

const dayMs = 24 * 3_600_000;
const perProject = ['log', 'revision', 'snapshot', 'blob_use'];

postgresTests('What nodes remove from their database', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    // Snapshots after few entries.
    nodes = await HostedNodes.start(cluster, 2, { snapshots: { entries: 10, characters: 1e9, keepMs: 1e12 } });
  });
  afterEach(() => nodes.stop());

  const query = (text: string, values: readonly unknown[] = []): ReturnType<PostgresCluster['primary']['query']> =>
    cluster.primary.query(text, values);
  const make = async (rest: RestClient, name: string): Promise<string> =>
    (await rest.post('/projects', { name })).body.id as string;
  /** The tables that have rows of a project. */
  const tablesWith = async (project: string): Promise<readonly string[]> => {
    const found: string[] = [];
    for (const table of perProject) {
      const rows = await query(`SELECT 1 FROM ${nodes.schema}.${table} WHERE project = $1 LIMIT 1`, [project]);
      if (rows.length > 0) found.push(table);
    }
    return found;
  };
  const age = (project: string, days: number): Promise<unknown> =>
    query(`UPDATE ${nodes.schema}.log SET at = at - $2 * interval '1 day' WHERE project = $1`, [project, days]);
  const deletedLogs = (): { readonly logs: PgDeletedLogs; readonly pool: PgPool } => {
    const settled = settledOptions({ url: cluster.primary.url, schema: nodes.schema, durability: 'disk' });
    const pool = new PgPool([new PgConnection(new PgServers(settled.url, settled), settled)]);
    return {
      logs: new PgDeletedLogs({ pool, tables: new PgTables(nodes.schema), retries: new RetryLimit(settled) }),
      pool,
    };
  };

  /** A project with rows in all tables, and the file that only it has. */
  async function filled(rest: RestClient, name: string): Promise<{ readonly id: string; readonly sha256: string }> {
    const id = await make(rest, name);
    const { body } = await rest.post(`/projects/${id}/documents`, { title: 'Guide', body: 'First\n' });
    for (let at = 0; at < 12; at++) await rest.patch(`/documents/${body.id}`, { body: `Version ${at}\n` });
    const { store } = nodes.nodes[0]!;
    const staged = await store.stage([Buffer.from(name)]);
    await store.update(id, { author: 'human:Ada', source: 'rest' }, (tx) =>
      tx.put('file', { id: tx.newId('file'), created_at: tx.now, filename: 'a.txt', mime: 'text/plain', ...staged }),
    );
    for (const node of nodes.nodes) await node.store.whenSnapshotsTaken();
    return { id, sha256: staged.sha256 };
  }

  it('is all that a project has left 30 days after it was deleted, its bytes included [A.nodes.sweeps]', async () => {
    const [kept, gone, young] = [
      await filled(nodes.rest(0), 'Kept'),
      await filled(nodes.rest(0), 'Gone'),
      await filled(nodes.rest(0), 'Young'),
    ];
    for (const { id } of [kept, gone, young]) expect(await tablesWith(id)).to.deep.equal(perProject);
    for (const { id } of [gone, young]) expect((await nodes.rest(1).delete(`/projects/${id}`)).status).to.equal(204);
    for (const { id } of [kept, gone]) await age(id, 31);
    await age(young.id, 29);
    await query(`UPDATE ${nodes.schema}.blob SET staged_at = staged_at - interval '31 days'`);
    await nodes.nodes[0]!.store.trim();
    expect(await tablesWith(gone.id)).to.deep.equal([]);
    for (const { id } of [kept, young]) expect(await tablesWith(id)).to.deep.equal(perProject);
    const blobs = await query(`SELECT sha256 FROM ${nodes.schema}.blob`);
    expect(blobs.map(({ sha256 }) => sha256 as string)).to.have.members([kept.sha256, young.sha256]);
    for (const rest of [nodes.rest(0), nodes.rest(1)]) {
      const { body } = await rest.get('/projects');
      expect(body.projects.map(({ id }: { id: string }) => id)).to.deep.equal([kept.id]);
      expect((await rest.get(`/projects/${gone.id}`)).status).to.equal(404);
    }
    await nodes.add();
    expect((await nodes.rest(2).get(`/projects/${kept.id}/documents`)).body.documents).to.have.length(1);
  });

  it('is removed some rows at a time, by several nodes together, and the last entry last [A.nodes.sweeps]', async () => {
    const id = await make(nodes.rest(0), 'Large');
    await nodes.rest(0).delete(`/projects/${id}`);
    const rows = 2_500;
    await query(
      `INSERT INTO ${nodes.schema}.revision (project, id, at, target, type, author, body)
        SELECT $1, 'rev_' || n, now(), 't', 't', 'a', '{}' FROM generate_series(1, $2::int) n`,
      [id, rows],
    );
    await age(id, 31);
    const { logs, pool } = deletedLogs();
    const [{ count } = { count: 0 }] = await query(`SELECT count(*)::int FROM ${nodes.schema}.log WHERE project = $1`, [
      id,
    ]);
    expect(await logs.remove(id, 32 * dayMs)).to.equal(0);
    // Another node is interrupted after its first statement.
    const first = await logs.remove(id, 30 * dayMs);
    expect(first).to.be.within(1, 1_000 + Number(count));
    expect(await tablesWith(id)).to.deep.equal(['log', 'revision']);
    await Promise.all(nodes.nodes.map(({ store }) => store.trim()));
    expect(await tablesWith(id)).to.deep.equal([]);
    expect(await logs.remove(id, 30 * dayMs)).to.equal(0);
    await pool.close();
  });

  it('is found by the names of all logs, however many there are [A.nodes.sweeps]', async () => {
    await query(
      `INSERT INTO ${nodes.schema}.log (project, seq, id, v, body)
        SELECT 'p' || to_char(n, 'FM0000'), s, 'e', 1, '{}' FROM generate_series(1, 1234) n, generate_series(1, 3) s`,
    );
    const { logs, pool } = deletedLogs();
    const found: string[] = [];
    for (let names = await logs.names(''); names.length > 0; names = await logs.names(names.at(-1)!))
      found.push(...names);
    const all = await query(`SELECT DISTINCT project COLLATE "C" AS project FROM ${nodes.schema}.log ORDER BY 1`);
    expect(found).to.deep.equal(all.map(({ project }) => project as string));
    expect(found).to.have.length.above(1234);
    await pool.close();
  });

  it('is removed every hour by the elected node [A.nodes.sweeps]', async () => {
    const { id } = await filled(nodes.rest(0), 'Gone');
    await nodes.rest(0).delete(`/projects/${id}`);
    await age(id, 31);
    await nodes.stop();
    const hourly: (() => void)[] = [];
    const clock = Object.create(systemClock, {
      every: {
        value: (ms: number, run: () => void) => {
          if (ms === 3_600_000) hourly.push(run);
          return systemClock.every(ms, run);
        },
      },
    }) as typeof systemClock;
    for (let node = 0; node < 2; node++) await nodes.add({ clock });
    await cluster.primary.until(() => Promise.resolve(hourly.length > 0));
    expect(hourly).to.have.length(1);
    hourly[0]!();
    await cluster.primary.until(async () => (await tablesWith(id)).length === 0);
  });

  it('is gone for a node that was paused all the time, which goes on [A.nodes.sweeps]', async () => {
    const gone = await filled(nodes.rest(0), 'Gone');
    const id = await make(nodes.rest(0), 'Stays');
    const link = await cluster.link();
    await nodes.add({}, { url: link.url });
    expect((await nodes.rest(2).get(`/projects/${gone.id}/documents`)).body.documents).to.have.length(1);
    link.pause();
    expect((await nodes.rest(0).delete(`/projects/${gone.id}`)).status).to.equal(204);
    await nodes.rest(0).patch(`/projects/${id}`, { name: 'Renamed' });
    await age(gone.id, 31);
    await nodes.nodes[0]!.store.trim();
    expect(await tablesWith(gone.id)).to.deep.equal([]);
    // Callers that wait together for the answer of the database: the first of them has the project removed.
    const asked = Array.from({ length: 3 }, () => nodes.rest(2).get(`/projects/${gone.id}/documents`));
    await nodes.rest(2).get('/health');
    link.resume();
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([404, 404, 404]);
    expect((await nodes.rest(2).patch(`/projects/${gone.id}`, { name: 'Again' })).status).to.equal(404);
    const { body } = await nodes.rest(2).get('/projects');
    expect(body.projects.map(({ name }: { name: string }) => name)).to.deep.equal(['Renamed']);
    expect((await nodes.rest(2).post(`/projects/${id}/tasks`, { label: 'Dig' })).status).to.equal(201);
    expect(nodes.nodes[2]!.store.status().writable).to.equal(true);
    // Nothing else was in the place of its entries.
    expect(nodes.nodes[2]!.store.measures().forks).to.equal(0);
  });

  it('are records of the service that have expired, on every node, in whichever log they are [A.nodes.sweeps]', async () => {
    const project = await make(nodes.rest(0), 'Garden');
    const system = { author: 'system', source: 'system' } as const;
    const at = (ms: number): string => new Date(Date.now() + ms).toISOString();
    const many = 1_200;
    const dates = (ms: number): { created_at: string; updated_at: string; drop_at: string } => ({
      ...{ created_at: at(0), updated_at: at(0), drop_at: at(ms) },
    });
    const signIn = (id: string, ms: number): StoredRecord => {
      const secret = { secret_sha256: createHash('sha256').update(id).digest('hex'), by: 'key', by_id: 'key_a' };
      return { ...dates(ms), ...secret, id, name: 'Ada' } as StoredRecord;
    };
    const share = (id: string, ms: number): StoredRecord =>
      ({ ...dates(ms), id, project, kind: 'participants', token_sha256: id, target_id: null }) as StoredRecord;
    const { store } = nodes.nodes[0]!;
    await store.updateService(system, (tx) => {
      for (let n = 0; n < many; n++) tx.put('sign_ins', signIn(`old${n}`, -1000));
      tx.put('sign_ins', signIn('young', dayMs));
    });
    await store.update(project, system, (tx) => {
      tx.service.put('shares', share('shr_old', -1000));
      tx.service.put('shares', share('shr_young', dayMs));
    });
    const ids = (node: number): Promise<readonly string[]> =>
      nodes.nodes[node]!.store.readService((view) =>
        ['sign_ins', 'shares'].flatMap((name) => [...view.list(name)].map(({ id }) => id)),
      );
    expect(await ids(1)).to.have.length(many + 3);
    const [{ seq: before } = { seq: 0 }] = await query(
      `SELECT max(seq)::int AS seq FROM ${nodes.schema}.log WHERE project = '$service'`,
    );
    // On the node that has not changed them.
    await nodes.nodes[1]!.store.trim();
    for (const node of [0, 1]) expect(await ids(node)).to.deep.equal(['young', 'shr_young']);
    const bodies = await query(
      `SELECT convert_from(body, 'UTF8') AS body FROM ${nodes.schema}.log WHERE project = '$service' AND seq > $1`,
      [before],
    );
    const removals = bodies.map(
      ({ body }) => (JSON.parse(body as string) as { service?: { c: string; to?: unknown }[] }).service ?? [],
    );
    const sizes = removals.map((some) => some.filter(({ c }) => c === 'sign_ins').length).filter((size) => size > 0);
    expect(sizes).to.deep.equal([500, 500, 200]);
    await nodes.add();
    expect(await ids(2)).to.deep.equal(['young', 'shr_young']);
    // Nothing is appended if nothing has expired.
    const count = async (): Promise<unknown> =>
      (await query(`SELECT count(*)::int AS n FROM ${nodes.schema}.log WHERE project <> '$service'`))[0]!['n'];
    const entries = await count();
    await nodes.nodes[0]!.store.trim();
    expect(await count()).to.equal(entries);
  });
});
