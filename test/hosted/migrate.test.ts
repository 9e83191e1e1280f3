import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import { openStorage } from '../../src/main/hosted-service.ts';
import {
  type MigrateOptions,
  migrateDatabase,
  type MigrationReport,
} from '../../src/store/hosted/postgres/pg-migrate.ts';
import { migrations } from '../../src/store/hosted/postgres/pg-migrations.ts';
import { PgTables, schemaVersion } from '../../src/store/hosted/postgres/pg-schema.ts';
import type { PgLogOptions } from '../../src/store/hosted/postgres/pg-log.ts';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import { runProcess } from '../support/command.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import {
  fixtureOfVersion1 as fixture,
  fixtureOfVersion2,
  fixtureOfVersion3,
  layOutTables,
} from '../upgrades/database-fixture.ts';
import { differences, laterFieldsOfRuns, movedTasks, readEverything, unreported } from '../upgrades/fixture.ts';
import { rarely } from '../support/rarely.ts';

interface Expected extends Record<string, unknown> {
  readonly projects: readonly { readonly id: string }[];
}

const expectedOf = (of: string): Expected => JSON.parse(readFileSync(join(of, 'expected.json'), 'utf8')) as Expected;
const expected = expectedOf(fixture);
/** The versions that a migration from version 1 passes. */
const versions = Array.from({ length: schemaVersion - 1 }, (_, at) => at + 2);

postgresTests('The migration of a database', () => {
  let cluster: PostgresCluster;
  let nodes: HostedNodes;
  let schema: string;

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  beforeEach(async () => {
    nodes = await HostedNodes.start(cluster, 0);
    ({ schema } = nodes);
  });
  afterEach(() => nodes.stop());

  const query = (text: string, values: readonly unknown[] = []): ReturnType<PostgresCluster['primary']['query']> =>
    cluster.primary.query(text, values);
  const optionsOf = (): PgLogOptions => ({ url: cluster.primary.url, schema, durability: 'disk' });
  const migrate = (how: Partial<MigrateOptions> = {}): Promise<MigrationReport> =>
    migrateDatabase({ ...optionsOf(), dryRun: false, finish: false, ...how });
  const errorOf = (promise: Promise<unknown>): Promise<PlannerError> =>
    promise.then(
      () => expect.fail('was not refused'),
      (error: unknown) => error as PlannerError,
    );
  const meta = async (): Promise<Readonly<Record<string, string>>> => {
    const rows = await query(`SELECT key, value FROM ${schema}.meta ORDER BY key`);
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
  };
  const set = (key: string, value: number): Promise<unknown> =>
    query(`INSERT INTO ${schema}.meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, [
      key,
      String(value),
    ]);
  const exists = async (relation: string): Promise<boolean> =>
    (await query('SELECT to_regclass($1) IS NOT NULL AS there', [`${schema}.${relation}`]))[0]!['there'] as boolean;
  /** Returns whether a program of version 1 starts: it asks only this. */
  const isStartedByFormer = async (): Promise<boolean> => Number((await meta())['schema_version']) <= 1;
  /** Everything that defines the tables of a schema, but for their names. */
  const definitionsIn = async (of: string): Promise<object> => {
    const columns = await query(
      `SELECT table_name, column_name, ordinal_position, data_type, collation_name, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = $1 ORDER BY 1, 3`,
      [of],
    );
    const indexes = await query(
      `SELECT indexname, replace(indexdef, $1 || '.', '') AS is FROM pg_indexes WHERE schemaname = $1 ORDER BY 1`,
      [of],
    );
    const constraints = await query(
      `SELECT conname, replace(pg_get_constraintdef(oid), $1 || '.', '') AS is FROM pg_constraint
        WHERE connamespace = $1::regnamespace ORDER BY 1`,
      [of],
    );
    return { columns, indexes, constraints };
  };

  rarely(
    'of version 1 is required before a node starts, which then serves all that was there [A.nodes.migrate, D7.run-fields, A.rank.age]',
    async () => {
      await layOutTables(cluster.primary, fixture, schema);
      const settings = { ...optionsOf(), schema, durability: 'disk', reads: 'primary', prepare: true } as const;
      const refused = await errorOf(openStorage({ ...settings, memoryBytes: undefined }));
      expect(refused.code).to.equal('conflict');
      expect(refused.message).to.include('have version 1').and.to.include(`needs version ${schemaVersion}`);
      expect(refused.message).to.include('planner migrate');
      expect(await meta()).to.deep.equal({ schema_version: '1' });
      for (const finish of [false, true]) {
        await migrate({ finish });
        await nodes.add();
        const shown = await readEverything({ rest: nodes.rest(0) });
        expect(differences(expected, shown), String(finish)).to.deep.equal([]);
        expect(laterFieldsOfRuns(shown)).to.deep.equal([unreported]);
        expect(movedTasks(shown)).to.deep.equal([]);
        await nodes.end(0);
      }
      await nodes.add();
      const rest = nodes.rest(0);
      for (const { id } of expected.projects) {
        const { revisions } = (await rest.get(`/projects/${id}/revisions`)).body as { revisions: { id: string }[] };
        for (const revision of revisions)
          expect((await rest.post(`/revisions/${revision.id}/restore`)).status).to.be.oneOf([200, 201]);
        expect((await rest.post(`/projects/${id}/tasks`, { label: 'Later' })).status).to.equal(201);
      }
      expect((await rest.get('/doctor')).body.problems).to.deep.equal([]);
    },
  );

  it('of version 2 keeps all that was there, and entries of its nodes are found by those of this one [A.nodes.migrate]', async () => {
    const former = expectedOf(fixtureOfVersion2);
    await layOutTables(cluster.primary, fixtureOfVersion2, schema);
    expect((await errorOf(openPgStorage(optionsOf()))).message).to.include('have version 2');
    await migrate();
    await nodes.add();
    expect(differences(former, await readEverything({ rest: nodes.rest(0) }))).to.deep.equal([]);
    const [{ id } = { id: '' }] = former.projects;
    // The node may find the entry by itself before it is asked to read.
    const applied = nodes.nodes[0]!.store.measures().entriesApplied;
    // A program of version 2 names its columns, and does not know the new one.
    await query(
      `INSERT INTO ${schema}.log (project, seq, id, prev_id, v, body)
        SELECT project, seq + 1, 'evt_former', id, v, convert_to(jsonb_build_object('at', '2030-01-01T00:00:00.000Z',
          'author', 'Ada', 'source', 'rest', 'changes', '[]'::jsonb, 'revisions', '[]'::jsonb)::text, 'UTF8')
        FROM ${schema}.log WHERE project = $1 ORDER BY seq DESC LIMIT 1`,
      [id],
    );
    await nodes.nodes[0]!.store.readAll(() => undefined);
    expect(nodes.nodes[0]!.store.measures().entriesApplied).to.equal(applied + 1);
    await migrate({ finish: true });
    expect(await meta()).to.deep.equal({
      schema_version: String(schemaVersion),
      tables_version: String(schemaVersion),
    });
  });

  it('makes the tables that a node creates in an empty database [A.nodes.migrate]', async () => {
    await nodes.add();
    const created = await definitionsIn(schema);
    expect(await meta()).to.deep.equal({
      schema_version: String(schemaVersion),
      tables_version: String(schemaVersion),
    });
    const former = [fixture, fixture, fixtureOfVersion2, fixtureOfVersion3];
    for (const [at, tables] of former.entries()) {
      schema = `${nodes.schema}_migrated_${at}`;
      await layOutTables(cluster.primary, tables, schema);
      if (at === 1) await query(`DROP TABLE ${schema}.blob_object`);
      await migrate();
      await migrate({ finish: true });
      expect(await definitionsIn(schema)).to.deep.equal(created);
    }
  });

  it('is done once, step by step, however many run at the same time [A.nodes.migrate]', async () => {
    await layOutTables(cluster.primary, fixture, schema);
    for (const finish of [false, true]) {
      const reports = await Promise.all(Array.from({ length: 6 }, () => migrate({ finish })));
      const steps = reports.flatMap((report) => report.steps.map(({ version, part }) => `${part} ${version}`));
      expect(steps.sort()).to.deep.equal(versions.map((version) => `${finish ? 'contract' : 'expand'} ${version}`));
      const reached = { tables: schemaVersion, programs: finish ? schemaVersion : 1 };
      for (const report of reports) expect(report.versions).to.deep.equal(reached);
      expect((await migrate({ finish })).steps).to.deep.equal([]);
    }
  });

  it('leaves the former version if a step fails in the middle [A.nodes.migrate]', async () => {
    await layOutTables(cluster.primary, fixture, schema);
    // The last statement of the step fails.
    await query(`DROP TABLE ${schema}.blob_object; CREATE TYPE ${schema}.blob_object AS ENUM ()`);
    const error = await errorOf(migrate());
    expect(error.code).to.equal('conflict');
    expect(error.message).to.include('version 2').and.to.include('blob_object').and.to.include('rolled back');
    expect([await meta(), await exists('rate')]).to.deep.equal([{ schema_version: '1' }, false]);
    await query(`DROP TYPE ${schema}.blob_object`);
    await migrate();
    expect(await exists('rate')).to.equal(true);
  });

  /** Makes a revision; returns the status. */
  const changeDocument = async (): Promise<number> => {
    const [{ id } = { id: '' }] = expected.projects;
    const { documents } = expected[`export of ${id}`] as { readonly documents: readonly { readonly id: string }[] };
    const { status } = await nodes.rest(0).patch(`/documents/${documents[0]!.id}`, { body: 'Meanwhile.\n' });
    return status;
  };
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DROP INDEX%'`;

  it('gives up while a table is in use, without stopping the nodes, and is done later [A.nodes.migrate]', async () => {
    await layOutTables(cluster.primary, fixture, schema);
    await migrate();
    await nodes.add();
    const reader = await cluster.primary.hold(`LOCK TABLE ${schema}.revision IN ACCESS SHARE MODE`);
    const given = errorOf(migrate({ finish: true, resolveMs: 100 }));
    await cluster.primary.until(async () => (await query(waiting)).length > 0);
    // Its revision waits until after the migration, which ends.
    expect(await changeDocument()).to.equal(200);
    expect((await given).code).to.equal('unavailable');
    expect((await given).message)
      .to.include('rolled back')
      .and.to.include('pg_stat_activity');
    expect([(await meta())['schema_version'], await exists('revision_target')]).to.deep.equal(['1', true]);
    await reader.release();
    await migrate({ finish: true });
    expect([(await meta())['schema_version'], await exists('revision_target')]).to.deep.equal([
      String(schemaVersion),
      false,
    ]);
  });

  it('goes on after its connection was killed in the middle of a step [A.nodes.migrate]', async () => {
    await layOutTables(cluster.primary, fixture, schema);
    await migrate();
    const reader = await cluster.primary.hold(`LOCK TABLE ${schema}.revision IN ACCESS SHARE MODE`);
    const finished = migrate({ finish: true });
    await cluster.primary.until(async () => (await query(waiting)).length > 0);
    await query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) blocked`);
    expect((await meta())['schema_version']).to.equal('1');
    await reader.release();
    expect((await finished).versions).to.deep.equal({ tables: schemaVersion, programs: schemaVersion });
    expect([await exists('revision_target'), await exists('revision_at')]).to.deep.equal([false, false]);
  });

  it('does not hold up the nodes if it is paused in the middle of a step, and goes on later [A.nodes.migrate]', async () => {
    await layOutTables(cluster.primary, fixture, schema);
    await migrate();
    await nodes.add();
    const link = await cluster.link();
    const reader = await cluster.primary.hold(`LOCK TABLE ${schema}.revision IN ACCESS SHARE MODE`);
    const finished = migrate({ finish: true, url: link.url });
    await cluster.primary.until(async () => (await query(waiting)).length > 0);
    link.pause();
    await reader.release();
    // The index is dropped, and its table locked.
    await cluster.primary.until(
      async () =>
        (await query(`SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE 'DROP INDEX%'`))
          .length > 0,
    );
    expect(await changeDocument()).to.equal(200);
    expect((await meta())['schema_version']).to.equal('1');
    link.resume();
    expect((await finished).versions).to.deep.equal({ tables: schemaVersion, programs: schemaVersion });
    await link.stop();
  });

  rarely('lets nodes of the former version run and start until it is finished [A.nodes.migrate]', async () => {
    await layOutTables(cluster.primary, fixture, schema);
    // A node that does not look at the version, as one that was started before. It uses what versions 3 and 4 add.
    const used = migrations.filter(({ version }) => version >= 3);
    for (const { statement } of used.flatMap(({ expand }) => expand(new PgTables(schema)))) await query(statement);
    await set('tables_version', schemaVersion);
    await nodes.add();
    await query(`DELETE FROM ${schema}.meta WHERE key = 'tables_version'`);
    const rest = nodes.rest(0);
    const [{ id } = { id: '' }] = expected.projects;
    const end = new AbortController();
    let changes = 0;
    const writer = (async (): Promise<void> => {
      for (; !end.signal.aborted; changes++) {
        const { status } = await rest.post(`/projects/${id}/tasks`, { label: `Task ${changes}` });
        expect(status).to.equal(201);
      }
    })();
    const further = async (): Promise<void> => {
      const before = changes;
      await cluster.primary.until(() => Promise.resolve(changes > before + 5));
    };
    expect(await isStartedByFormer()).to.equal(true);
    await further();
    await migrate();
    expect(await isStartedByFormer()).to.equal(true);
    await further();
    // A node of the new version, next to the former one.
    await nodes.add();
    await migrate({ finish: true });
    expect(await isStartedByFormer()).to.equal(false);
    await further();
    end.abort();
    await writer;
    const { tasks } = (await nodes.rest(1).get(`/projects/${id}/tasks`)).body as { tasks: { label: string }[] };
    expect(tasks.filter(({ label }) => label.startsWith('Task '))).to.have.length(changes);
  });

  it('to a newer version lets this one start until it is finished, and not after [A.nodes.migrate]', async () => {
    await nodes.add();
    await nodes.end(0);
    await set('tables_version', schemaVersion + 1);
    await nodes.add();
    expect((await nodes.rest(0).post('/projects', { name: 'Garden' })).status).to.equal(201);
    await nodes.end(0);
    expect(await migrate()).to.deep.equal({
      versions: { tables: schemaVersion + 1, programs: schemaVersion },
      steps: [],
    });
    expect((await errorOf(migrate({ finish: true }))).message).to.include('Use the newer Planner');
    await set('schema_version', schemaVersion + 1);
    const newer = `have version ${schemaVersion + 1}, written by a newer Planner; this one knows versions up to ${schemaVersion}. Install the newer one.`;
    expect((await errorOf(openPgStorage(optionsOf()))).message).to.include(newer);
    expect((await errorOf(migrate())).message).to.include(newer);
  });

  it('is not finished before it is begun [A.nodes.migrate]', async () => {
    await layOutTables(cluster.primary, fixture, schema);
    const error = await errorOf(migrate({ finish: true }));
    expect(error.code).to.equal('conflict');
    expect(error.message).to.include('have version 1').and.to.include('without finishing');
    expect(await meta()).to.deep.equal({ schema_version: '1' });
  });

  it('is a command, which shows its steps, also before they run with --dry-run [A.nodes.migrate]', async () => {
    const run = (...argv: string[]): ReturnType<typeof runProcess> =>
      runProcess(['migrate', ...argv], {
        environment: {
          PLANNER_DATABASE: cluster.primary.url,
          PLANNER_DATABASE_SCHEMA: schema,
          PLANNER_DURABILITY: 'disk',
        },
      });
    const empty = await run();
    expect([empty.code, empty.output]).to.deep.equal([
      0,
      `The schema ${schema} has no tables: the first node creates them.\n`,
    ]);
    await layOutTables(cluster.primary, fixture, schema);
    const before = [await definitionsIn(schema), await meta()];
    const dry = await run('--dry-run');
    expect(dry.code).to.equal(0);
    expect(dry.output).to.include('Would, for version 2: create the table rate').and.to.include('have version 1.');
    expect([await definitionsIn(schema), await meta()]).to.deep.equal(before);
    const early = await run('--finish');
    expect([early.code, early.output]).to.deep.equal([1, '']);
    const done = await run();
    expect(done.code).to.equal(0);
    expect(done.output)
      .to.include('Done, for version 2: create the table rate')
      .and.to.include(`have version ${schemaVersion}, and`);
    const unfinished = [await definitionsIn(schema), await meta()];
    expect(JSON.parse((await run('--finish', '--dry-run', '--json')).output)).to.deep.include({
      ...{ schema, dry_run: true, version: schemaVersion, program_version_min: 1 },
    });
    expect([await definitionsIn(schema), await meta()]).to.deep.equal(unfinished);
    const finished = await run('--finish');
    expect(finished.output).to.include('drop the index revision_at').and.to.include(`have version ${schemaVersion}.\n`);
    const again = await run('--json');
    expect(again.code).to.equal(0);
    expect(JSON.parse(again.output)).to.deep.include({
      ...{ version: schemaVersion, program_version_min: schemaVersion, steps: [] },
    });
    const nowhere = await runProcess(['migrate'], { environment: { PLANNER_DATABASE: '' } });
    expect([nowhere.code, nowhere.output]).to.deep.equal([2, '']);
    expect(nowhere.errors).to.include('--database');
  });
});
