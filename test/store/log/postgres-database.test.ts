import { expect } from 'chai';
import { hasStandby } from '../../../src/store/hosted/postgres/pg-check.ts';
import { PgConnection } from '../../../src/store/hosted/postgres/pg-connection.ts';
import { PgLog, type PgLogOptions, settledOptions } from '../../../src/store/hosted/postgres/pg-log.ts';
import { schemaVersion } from '../../../src/store/hosted/postgres/pg-schema.ts';
import { PgServers, urlsOf } from '../../../src/store/hosted/postgres/pg-servers.ts';
import { type Append, emptyHead, type Head } from '../../../src/store/record/log.ts';
import { PostgresCluster } from '../../support/postgres-cluster.ts';
import { postgresTests, PostgresServer, type PostgresSettings, sharedPostgres } from '../../support/postgres.ts';
import { Random } from '../../support/random.ts';
import { PostgresWorld } from './postgres-world.ts';

const nodes = 8;

async function errorOf(promise: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  const [result] = await Promise.allSettled([promise]);
  expect(result.status).to.equal('rejected');
  return (result as PromiseRejectedResult).reason as { code: string; message: string };
}

postgresTests('The database of a log', () => {
  const shared = sharedPostgres();
  let schemas = 0;
  const options = (more: Partial<PgLogOptions> = {}): PgLogOptions => ({
    ...{ url: shared.server.url, schema: `database_${schemas}`, durability: 'disk' },
    ...more,
  });
  beforeEach(() => void schemas++);

  it('is prepared once by nodes that start at the same time', async () => {
    const opened = await Promise.all(Array.from({ length: nodes }, () => PgLog.open(options())));
    const outcomes = await Promise.all(
      opened.map((log, at) => log.append({ project: 'a', after: emptyHead, id: `evt_${at}`, body: {} })),
    );
    expect(outcomes.filter(({ is }) => is === 'ok')).to.have.length(1);
    expect(outcomes.filter(({ is }) => is === 'conflict')).to.have.length(nodes - 1);
    const rows = await shared.server.query(`SELECT key, value FROM ${options().schema}.meta ORDER BY key`);
    expect(rows).to.deep.equal([
      { key: 'schema_version', value: String(schemaVersion) },
      { key: 'tables_version', value: String(schemaVersion) },
    ]);
    await Promise.all(opened.map((log) => log.close()));
  });

  it('is left alone if a newer version has prepared it', async () => {
    await (await PgLog.open(options())).close();
    await shared.server.query(`UPDATE ${options().schema}.meta SET value = '${schemaVersion + 1}'`);
    const error = await errorOf(PgLog.open(options()));
    expect(error).to.include({ code: 'conflict' });
    expect(error.message)
      .to.include(`have version ${schemaVersion + 1}, `)
      .and.to.include(`up to ${schemaVersion}`);
    expect(await shared.server.query(`SELECT DISTINCT value FROM ${options().schema}.meta`)).to.deep.equal([
      { value: String(schemaVersion + 1) },
    ]);
  });

  it('may have any name of a schema', async () => {
    const log = await PgLog.open(options({ schema: `Größe "x" ${schemas}` }));
    expect((await log.append({ project: 'a', after: emptyHead, id: 'evt_1', body: {} })).is).to.equal('ok');
    await log.close();
  });

  it('has no workspace whose name PostgreSQL would cut, or has itself [A.nodes.workspace]', async () => {
    const wrong: readonly (readonly [name: string, reason: string])[] = [
      ['x'.repeat(64), 'has 64 bytes; a name has 1 to 63'],
      ['ä'.repeat(32), 'has 64 bytes'],
      ['', 'has 0 bytes'],
      ['pg_catalog', "is PostgreSQL's own"],
      ['pg_planner', "is PostgreSQL's own"],
      ['information_schema', "is PostgreSQL's own"],
    ];
    for (const [schema, reason] of wrong) {
      const error = await errorOf(PgLog.open(options({ schema })));
      expect(error).to.include({ code: 'invalid_argument', field: 'PLANNER_DATABASE_SCHEMA' });
      expect(error.message).to.include(reason);
    }
    const [first, second] = ['a', 'b'].map((end) => 'ö'.repeat(31) + end);
    for (const schema of [first!, second!]) {
      const log = await PgLog.open(options({ schema }));
      expect((await log.append({ project: 'a', after: emptyHead, id: 'evt_1', body: {} })).is).to.equal('ok');
      await log.close();
    }
  });

  it('reports missing rights of its user [A.nodes.workspace]', async () => {
    await shared.server.query('CREATE ROLE guest LOGIN');
    const url = shared.server.url.replace('postgres@', 'guest@');
    const error = await errorOf(PgLog.open(options({ url })));
    expect(error).to.include({ code: 'conflict' });
    expect(error.message).to.match(/permission denied for database postgres.* Give its user the right/);
  });

  for (const reads of ['primary', 'barrier'] as const)
    it(`has its rows found by their keys, also by statements that were prepared when it was empty (${reads})`, async () => {
      const { schema } = options();
      // The counts of a connection arrive when it has ended.
      const scans = async (): Promise<readonly { readonly whole: number; readonly keyed: number }[]> =>
        (
          await shared.server.query(
            `SELECT coalesce(seq_scan, 0)::int AS whole, coalesce(idx_scan, 0)::int AS keyed FROM pg_stat_user_tables
              WHERE schemaname = $1 AND relname IN ('log', 'answer') ORDER BY relname`,
            [schema],
          )
        ).map((row) => row as { whole: number; keyed: number });
      await (await PgLog.open(options({ reads }))).close();
      const before = await scans();
      const log = await PgLog.open(options({ reads }));
      const heads: Head[] = [emptyHead];
      let { mark } = await log.changes(undefined);
      for (let at = 1; at <= 20; at++) {
        const id = `evt_${at}`;
        const beside = { answers: [{ id: `call-${at}`, kept: '{}' }] };
        const { is } = await log.append({ project: 'a', after: heads.at(-1)!, id, body: {}, beside });
        expect(is).to.equal('ok');
        heads.push({ seq: at, id });
        const known = heads[Math.max(0, at - 3)]!;
        const { entries } = await log.catchUp(new Map([['a', known]]));
        expect(entries).to.have.length(at - known.seq);
        expect(await log.isAnswered(`call-${at}`)).to.equal(true);
        const changes = await log.changes(mark);
        expect(changes.entries).to.deep.equal([{ project: 'a', seq: at, id }]);
        ({ mark } = changes);
      }
      await log.close();
      let after = await scans();
      while (after.some(({ keyed }, table) => keyed < before[table]!.keyed + 20)) after = await scans();
      expect(after.map(({ whole }) => whole)).to.deep.equal(before.map(({ whole }) => whole));
    });

  const unsafe: Readonly<Record<string, PostgresSettings>> = {
    'fsync is off': { fsync: 'off' },
    'full_page_writes is off': { full_page_writes: 'off' },
    'synchronous_commit is off': { synchronous_commit: 'off' },
  };
  for (const [reason, settings] of Object.entries(unsafe))
    it(`is refused if ${reason}`, async () => {
      await shared.server.reload(settings);
      const error = await errorOf(PgLog.open(options()));
      for (const name of Object.keys(settings)) await shared.server.reload({ [name]: 'on' });
      expect(error).to.include({ code: 'conflict' });
      expect(error.message).to.include(reason).and.to.include('set it to on');
      expect(await shared.server.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [options().schema])).to.be
        .empty;
    });

  it('is refused if it is to be replicated and has no standby', async () => {
    for (const durability of ['replicated', undefined] as const) {
      const { durability: _, ...others } = options();
      const error = await errorOf(PgLog.open(durability === undefined ? others : { ...others, durability }));
      expect(error.code).to.equal('conflict');
      expect(error.message).to.include('synchronous_standby_names is empty');
    }
    await shared.server.reload({ synchronous_standby_names: 'other' });
    const error = await errorOf(PgLog.open(options({ durability: 'replicated' })));
    await shared.server.reload({ synchronous_standby_names: '', synchronous_commit: 'local' });
    expect(error.message).to.include('synchronous_standby_names is other').and.to.include('No standby');
    const local = await errorOf(PgLog.open(options({ durability: 'replicated' })));
    await shared.server.reload({ synchronous_commit: 'on' });
    expect(local.message).to.include('synchronous_commit is local');
    const asserted = await PgLog.open(options({ durability: 'asserted' }));
    expect(asserted.traits.durability).to.equal('replicated');
    await asserted.close();
  });

  it('is not read from a standby', async () => {
    const [primary, standby] = await PostgresServer.startPair();
    try {
      const error = await errorOf(PgLog.open({ url: standby.url }));
      expect(error.code).to.equal('unavailable');
      expect(error.message).to.include(`127.0.0.1:${standby.port} is a standby (pg_is_in_recovery)`);
      const both = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
      const log = await PgLog.open({ url: both });
      expect(log.traits.durability).to.equal('replicated');
      await log.close();
    } finally {
      await Promise.all([primary.remove(), standby.remove()]);
    }
  });

  it('shows whether a synchronous standby is connected, to those who may see it', async () => {
    const [primary, standby] = await PostgresServer.startPair();
    await primary.query('CREATE ROLE stranger LOGIN');
    const connect = (url: string): PgConnection => {
      const settled = settledOptions({ url });
      return new PgConnection(new PgServers(url, settled), settled);
    };
    const [own, hidden] = [connect(primary.url), connect(primary.url.replace('postgres@', 'stranger@'))];
    try {
      expect(await hasStandby(own)).to.equal(true);
      expect(await hasStandby(hidden)).to.equal(undefined);
      await standby.kill();
      await primary.until(async () => (await hasStandby(own)) === false);
    } finally {
      await Promise.all([own.close(), hidden.close()]);
      await Promise.all([primary.remove(), standby.remove()]);
    }
  });

  it('is unavailable if no server can be reached', async () => {
    const error = await errorOf(PgLog.open(options({ url: 'postgres://postgres@127.0.0.1:1/postgres' })));
    expect(error.code).to.equal('unavailable');
    expect(error.message).to.include('127.0.0.1:1 does not answer');
  });

  it('is named by a URL with one host or several', () => {
    expect(urlsOf('postgres://a:b@one/db')).to.deep.equal(['postgres://a:b@one/db']);
    expect(urlsOf('postgres://a:p%40,x@one:1,[::1]:2,three/db?sslmode=require')).to.deep.equal(
      ['one:1', '[::1]:2', 'three'].map((host) => `postgres://a:p%40,x@${host}/db?sslmode=require`),
    );
    expect(urlsOf('postgres://one,two')).to.deep.equal(['postgres://one', 'postgres://two']);
  });
});

postgresTests('Appends of several calls to PostgreSQL', () => {
  let cluster: PostgresCluster;
  let world: PostgresWorld;
  let log: PgLog;
  let ids = 0;
  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    world = new PostgresWorld(cluster);
    log = await world.open();
  });
  afterEach(async () => {
    await log.close();
    await world.remove();
  });

  const next = (project: string, after: Head, more: Partial<Append> = {}): Append => ({
    ...{ project, after, id: `evt_${++ids}`, body: { ids } },
    ...more,
  });
  const behind = ({ after, id }: Append): Head => ({ seq: after.seq + 1, id });
  const outcomes = async (appends: readonly Append[]): Promise<readonly string[]> =>
    (await Promise.all(appends.map((append) => log.append(append)))).map(({ is }) => is);
  /** Entries of a project, each after the one before. */
  const chain = (project: string, length: number, from: Head = emptyHead): readonly Append[] => {
    const appends: Append[] = [];
    for (let at = 0; at < length; at++) appends.push(next(project, at === 0 ? from : behind(appends[at - 1]!)));
    return appends;
  };

  it('conflict with all entries after another entry in a place of theirs', async () => {
    const other = await world.open();
    const [first, ...rest] = chain('a', 5);
    expect(await outcomes([first!])).to.deep.equal(['ok']);
    expect((await other.append(next('a', behind(first!)))).is).to.equal('ok');
    expect(await outcomes([...rest, ...chain('b', 3)])).to.deep.equal([
      ...rest.map(() => 'conflict'),
      ...['ok', 'ok', 'ok'],
    ]);
    await other.close();
  });

  it('are rejected alone for the data stored with them, with later entries', async () => {
    const stored = next('a', emptyHead, { beside: { answers: [{ id: 'once', kept: '1' }] } });
    expect(await outcomes([stored])).to.deep.equal(['ok']);
    const repeat = next('b', emptyHead, { beside: { answers: [{ id: 'once', kept: '2' }] } });
    const missing = next('c', emptyHead, { beside: { blobs: ['none'] } });
    const appends = [
      ...[repeat, next('b', behind(repeat)), missing, next('c', behind(missing))],
      ...[next('a', behind(stored)), next('d', emptyHead, { beside: { answers: [{ id: 'other', kept: '3' }] } })],
    ];
    expect(await outcomes(appends)).to.deep.equal(['repeat', 'conflict', 'missing', 'conflict', 'ok', 'ok']);
    const kept = await cluster.primary.query(`SELECT id, project, kept FROM ${world.schema}.answer ORDER BY id`);
    expect(kept).to.deep.equal([
      { id: 'once', project: 'a', kept: '1' },
      { id: 'other', project: 'd', kept: '3' },
    ]);
  });

  it('are rejected with later entries from the middle of a chain, too, and leave no gap', async () => {
    const stored = next('a', emptyHead, { beside: { answers: [{ id: 'once', kept: '1' }] } });
    expect(await outcomes([stored])).to.deep.equal(['ok']);
    const [first, ...others] = chain('b', 2);
    const repeat = next('b', behind(others[0]!), { beside: { answers: [{ id: 'once', kept: '2' }] } });
    const later = next('b', behind(repeat));
    const ofC = chain('c', 2);
    const missing = next('c', behind(ofC[1]!), { beside: { blobs: ['none'] } });
    const appends = [first!, ...others, repeat, later, next('b', behind(later)), ...ofC, missing];
    expect(await outcomes([...appends, next('c', behind(missing))])).to.deep.equal([
      ...['ok', 'ok', 'repeat', 'conflict', 'conflict'],
      ...['ok', 'ok', 'missing', 'conflict'],
    ]);
    expect(
      await cluster.primary.query(`SELECT project, seq::int FROM ${world.schema}.log ORDER BY 1, 2`),
    ).to.deep.equal([
      ...[
        { project: 'a', seq: 1 },
        { project: 'b', seq: 1 },
        { project: 'b', seq: 2 },
      ],
      ...[
        { project: 'c', seq: 1 },
        { project: 'c', seq: 2 },
      ],
    ]);
  });

  it('with the same answer are decided one after the other', async () => {
    const beside = { answers: [{ id: 'same', kept: '{}' }] };
    expect(await outcomes([next('a', emptyHead, { beside }), next('b', emptyHead, { beside })])).to.deep.equal([
      'ok',
      'repeat',
    ]);
  });

  it('wait for a large entry of their project, and not for one of another project', async () => {
    const place = `INSERT INTO ${world.schema}.log (project, seq, id, v, body) VALUES ('a', 1, 'other', 1, '')`;
    const blocker = await cluster.primary.hold(place);
    const large = next('a', emptyHead, { body: { text: 'x'.repeat(1024 * 1024) }, large: true });
    const ofA = outcomes([large, next('a', behind(large))]);
    expect(await outcomes(chain('b', 3))).to.deep.equal(['ok', 'ok', 'ok']);
    await blocker.release();
    expect(await ofA).to.deep.equal(['ok', 'ok']);
  });

  it('are returned in answers of limited size, which every project has a part of', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const projects = ['a', 'b', 'c'];
    for (const project of projects)
      expect(await outcomes(chain(project, 3).map((append) => ({ ...append, body: text })))).to.not.include('conflict');
    const known = new Map<string, Head>(projects.map((project) => [project, emptyHead]));
    const found: string[] = [];
    for (let answers = 1; ; answers++) {
      const { entries, more } = await log.catchUp(known);
      expect(entries.length).to.be.within(1, 4);
      for (const { project, seq, id, body } of entries) {
        expect(body).to.equal(text);
        known.set(project, { seq, id });
        found.push(`${project}${seq}`);
      }
      if (answers === 1)
        expect(entries.map(({ project, seq }) => `${project}${seq}`)).to.include.members(['a1', 'b1', 'c1']);
      if (more.length === 0) break;
    }
    expect(found.sort()).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']);
  });

  it('are returned to each caller after its own head, by one statement for all who wait', async () => {
    const [first, second, third] = chain('a', 3) as [Append, Append, Append];
    await outcomes([first, second, third]);
    const asked = [emptyHead, behind(first), behind(second), behind(third), { seq: 2, id: 'other' }];
    const answers = await Promise.all(asked.map((head) => log.catchUp(new Map([['a', head]]))));
    expect(answers.map(({ entries }) => entries.map(({ seq }) => seq))).to.deep.equal([[1, 2, 3], [2, 3], [3], [], []]);
    expect(answers.map(({ forked }) => forked)).to.deep.equal([[], [], [], [], ['a']]);
    expect(new Set(answers.map(({ now }) => now)).size).to.equal(1);
  });

  it('of four nodes with many projects, in any order, do not deadlock', async () => {
    const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? 13));
    const all = [log, await world.open(), await world.open(), await world.open()];
    const heads = new Map<string, Head>(Array.from({ length: 24 }, (_, at) => [`p${at}`, emptyHead]));
    const before = await deadlocks();
    for (let round = 0; round < 20; round++) {
      const won = await Promise.all(
        all.map(async (node) => {
          const order = [...heads.keys()].sort(() => random.next() - 0.5);
          const appends = order.map((project) => next(project, heads.get(project)!));
          const appended = await Promise.all(appends.map((append) => node.append(append)));
          return appends.filter((_, at) => appended[at]!.is === 'ok');
        }),
      );
      expect(
        won
          .flat()
          .map(({ project }) => project)
          .sort(),
      ).to.deep.equal([...heads.keys()].sort());
      for (const append of won.flat()) heads.set(append.project, behind(append));
    }
    expect(await deadlocks()).to.equal(before);
    for (const node of all.slice(1)) await node.close();
  });
  const deadlocks = async (): Promise<unknown> => {
    const [row] = await cluster.primary.query(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    return row!['deadlocks'];
  };

  it('are sent again when the server has cancelled them', async () => {
    const blocker = await cluster.primary.hold(`LOCK TABLE ${world.schema}.log IN ACCESS EXCLUSIVE MODE`);
    const appended = log.append(next('a', emptyHead));
    const ofAppend = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO%'`;
    await cluster.primary.until(async () => (await cluster.primary.query(ofAppend)).length > 0);
    await cluster.primary.query(`SELECT pg_cancel_backend(pid) FROM (${ofAppend}) waiting`);
    await blocker.release();
    expect((await appended).is).to.equal('ok');
  });

  it('refuse an entry that is too large, and nothing else', async () => {
    const large = next('a', emptyHead, { body: 'x'.repeat(log.traits.entryBytesMax) });
    const appended = await Promise.all([large, next('b', emptyHead)].map((append) => log.append(append)));
    expect(appended.map(({ is }) => is)).to.deep.equal(['refused', 'ok']);
    expect(appended[0]).to.include({ isUndecided: false });
    expect((await log.append(next('a', emptyHead))).is).to.equal('ok');
  });
});
