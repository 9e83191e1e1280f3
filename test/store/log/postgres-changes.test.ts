import { expect } from 'chai';
import { changesIn } from '../../../src/store/hosted/postgres/pg-changes.ts';
import { PgLog } from '../../../src/store/hosted/postgres/pg-log.ts';
import { definitions, PgTables } from '../../../src/store/hosted/postgres/pg-schema.ts';
import { emptyHead, type Head } from '../../../src/store/record/log.ts';
import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { postgresTests, PostgresServer } from '../../support/postgres.ts';

const schema = 'changes';
const projects = 200;

postgresTests('What was appended to any log of PostgreSQL', () => {
  let cluster: PostgresCluster;
  let log: PgLog;
  let mark: string | undefined;
  let ids = 0;

  beforeEach(async () => {
    cluster = await PostgresCluster.startSingle({ max_prepared_transactions: '4' });
    log = await PgLog.open({ url: cluster.primary.url, schema, durability: 'disk' });
    await append('a', emptyHead);
    expect(await changed()).to.equal(undefined);
  });
  afterEach(async () => {
    await log.close();
    await cluster.remove();
  });

  const query = (text: string): Promise<unknown> => cluster.primary.query(text);
  async function append(project: string, after: Head): Promise<Head> {
    const appended = await log.append({ project, after, id: `evt_${++ids}`, body: {} });
    if (appended.is !== 'ok') return expect.fail(appended.is);
    return appended.head;
  }
  /** The entries since this was last asked; undefined if it cannot be said. */
  async function changed(): Promise<readonly string[] | undefined> {
    const { entries, mark: next } = await log.changes(mark);
    mark = next;
    return entries?.map(({ project, seq }) => `${project} ${seq}`).sort();
  }
  /** Appends an entry of another program. */
  const late = `INSERT INTO ${schema}.log (project, seq, id, v, body) VALUES ('late', 1, 'evt_late', 1, '{}')`;
  /** How many transactions the server counts from now on. */
  const spend = async (transactions: number): Promise<void> => {
    for (let at = 0; at < transactions; at++) await query('SELECT pg_current_xact_id()');
  };

  it('is listed once, whatever the number of logs [A.nodes.catch-up]', async () => {
    const heads = await Promise.all(Array.from({ length: projects }, (_, at) => append(`p${at}`, emptyHead)));
    expect(await changed()).to.have.length(projects);
    expect(await changed()).to.deep.equal([]);
    await append('p7', heads[7]!);
    expect(await changed()).to.deep.equal(['p7 2']);
  });

  it('is listed when it commits, however much was committed and listed before [A.nodes.catch-up]', async () => {
    const open = await cluster.primary.hold(late);
    let head = await append('b', emptyHead);
    expect(await changed()).to.deep.equal(['b 1']);
    for (let at = 0; at < 20; at++) {
      head = await append('b', head);
      expect(await changed()).to.deep.equal([`b ${head.seq}`]);
    }
    await open.commit();
    expect(await changed()).to.deep.equal(['late 1']);
    expect(await changed()).to.deep.equal([]);
  });

  it('costs no more while a prepared transaction hangs, and has its entry once it commits [A.nodes.catch-up]', async () => {
    await query(`BEGIN; ${late}; PREPARE TRANSACTION 'hangs'`);
    // Something else is prepared, too, and rolled back: it is asked for in vain.
    await query(`BEGIN; ${late.replace("'late'", "'never'")}; PREPARE TRANSACTION 'never'`);
    const heads = await Promise.all(Array.from({ length: projects }, (_, at) => append(`p${at}`, emptyHead)));
    expect(await changed()).to.have.length(projects);
    for (let at = 0; at < 3; at++) expect(await changed()).to.deep.equal([]);
    await append('p0', heads[0]!);
    expect(await changed()).to.deep.equal(['p0 2']);
    await query(`ROLLBACK PREPARED 'never'`);
    await query(`COMMIT PREPARED 'hangs'`);
    expect(await changed()).to.deep.equal(['late 1']);
    expect(await changed()).to.deep.equal([]);
  });

  it('cannot be said after a restart, a crash, or a restored backup: each head is asked for [A.nodes.catch-up, A.nodes.restored]', async () => {
    const { primary } = cluster;
    const restore = await primary.backup();
    await changed();
    await append('b', emptyHead);
    expect(await changed()).to.deep.equal(['b 1']);
    for (const replaced of [
      () => primary.stop().then(() => primary.start()),
      () => primary.kill().then(() => primary.start()),
      restore,
    ]) {
      await replaced();
      expect(await changed()).to.equal(undefined);
      expect(await changed()).to.deep.equal([]);
    }
    await append('b', emptyHead);
    expect(await changed()).to.deep.equal(['b 1']);
  });

  it('cannot be said after a dump was loaded in place of the tables, and is listed as before then [A.nodes.catch-up]', async () => {
    const head = await append('b', emptyHead);
    expect(await changed()).to.deep.equal(['b 1']);
    await query(`CREATE TABLE ${schema}.dump AS TABLE ${schema}.log`);
    await append('b', head);
    await query(`DROP TABLE ${schema}.log; ${definitions(new PgTables(schema))};
      INSERT INTO ${schema}.log TABLE ${schema}.dump`);
    expect(await changed()).to.equal(undefined);
    expect(await changed()).to.deep.equal([]);
    await append('b', head);
    expect(await changed()).to.deep.equal(['b 2']);
  });

  it('cannot be said after a dump was loaded into another server, which is behind or ahead, and is listed then [A.nodes.catch-up]', async () => {
    const link = await cluster.link();
    const distant = await PgLog.open({ url: link.url, schema, durability: 'disk' });
    await log.close();
    log = distant;
    // Numbers of transactions that the other server has yet to reach.
    await spend(60);
    let head = await append('b', emptyHead);
    mark = undefined;
    await changed();
    const rows = (await query(
      `SELECT project, seq, id, prev_id, v, body, at, xact::text FROM ${schema}.log`,
    )) as readonly Record<string, unknown>[];
    const other = await PostgresServer.start();
    try {
      await (await PgLog.open({ url: other.url, schema, durability: 'disk' })).close();
      for (const row of rows)
        await other.query(
          `INSERT INTO ${schema}.log (project, seq, id, prev_id, v, body, at, xact) VALUES ($1, $2, $3, $4, $5, $6, $7, $8::xid8)`,
          Object.values(row),
        );
      link.follow([other.port]);
      link.cutAll();
      expect(await changed()).to.equal(undefined);
      head = await append('b', head);
      expect(await changed()).to.deep.equal(['b 2']);
      // It passes the numbers in the dump: entries of it may be listed again, and none is left out.
      for (let at = 0; at < 80; at++) {
        head = await append('b', head);
        expect(await changed()).to.include(`b ${head.seq}`);
      }
      expect(await changed()).to.deep.equal([]);
    } finally {
      await log.close();
      await link.stop();
      await other.remove();
    }
  });

  it('is not listed if it is too much: each head is asked for [A.nodes.catch-up]', async () => {
    await query(`INSERT INTO ${schema}.log (project, seq, id, v, body)
      SELECT 'p' || n, 1, 'evt', 1, '{}' FROM generate_series(1, 2000) n`);
    expect(await changed()).to.have.length(2000);
    await query(`INSERT INTO ${schema}.log (project, seq, id, v, body)
      SELECT 'q' || n, 1, 'evt', 1, '{}' FROM generate_series(1, 2001) n`);
    expect(await changed()).to.equal(undefined);
    expect(await changed()).to.deep.equal([]);
  });

  it('cannot be said if the server has gone back, or another connection is used [A.nodes.catch-up]', () => {
    const row = (next: number, open = ''): readonly unknown[] => [0, false, null, 'S', `1:${next}:${open}`, null];
    const entriesAfter = (before: number, next: number, session: number): unknown =>
      changesIn([row(next)], changesIn([row(before, '5,7')], undefined, 1).mark, session).entries;
    expect(entriesAfter(100, 100, 1)).to.deep.equal([]);
    expect(entriesAfter(100, 99, 1)).to.equal(undefined);
    expect(entriesAfter(100, 101, 2)).to.equal(undefined);
  });
});
