import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { migrateDatabase } from '../../src/store/hosted/postgres/pg-migrate.ts';
import { schemaVersion } from '../../src/store/hosted/postgres/pg-schema.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests, unprivileged } from '../support/postgres.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort } from '../support/server-process.ts';
import { fixtureOfVersion1, layOutTables } from '../upgrades/database-fixture.ts';

const program = ((): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'PATH="$PATH:/usr/sbin"; command -v pgbouncer']).toString().trim();
  } catch {
    return undefined;
  }
})();

postgresTests('Nodes behind PgBouncer in transaction mode', () => {
  let cluster: PostgresCluster;
  let bouncer: ChildProcess | undefined;
  const scratch = scratchDirectory();

  before(async () => {
    cluster = await PostgresCluster.startSingle();
  });
  after(() => cluster.remove());
  afterEach(() => void bouncer?.kill('SIGKILL'));

  async function start(port: number): Promise<void> {
    const settings = join(scratch.path, 'pgbouncer.ini');
    writeFileSync(
      settings,
      `[databases]
* = host=127.0.0.1 port=${cluster.primary.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
ignore_startup_parameters = extra_float_digits
`,
    );
    chmodSync(scratch.path, 0o755);
    bouncer = spawn(program!, [settings], { stdio: ['ignore', 'ignore', 'pipe'], ...unprivileged() });
    let log = '';
    const { promise: up, resolve } = Promise.withResolvers<void>();
    bouncer.stderr!.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('process up')) resolve();
    });
    const exit = once(bouncer, 'exit').then(() => expect.fail(log));
    await Promise.race([up, exit]);
    exit.catch(() => undefined);
  }

  if (program === undefined) it('share its few sessions (skipped: pgbouncer is not installed)');
  else
    it('share its few sessions, and go on when it was lost [A.nodes.pooler]', async () => {
      const port = await freePort();
      await start(port);
      const nodes = await HostedNodes.start(cluster, 0);
      const database = { url: `postgres://postgres@127.0.0.1:${port}/postgres`, prepare: false };
      for (let node = 0; node < 3; node++) await nodes.add({}, database);
      const project = (await nodes.rest(0).post('/projects', { name: 'Garden' })).body.id as string;
      const create = async (count: number): Promise<void> => {
        const made = await Promise.all(
          Array.from({ length: count }, (_, at) =>
            nodes.rest(at % 3).post(`/projects/${project}/tasks`, { label: `Task ${at}` }),
          ),
        );
        expect(made.filter(({ status }) => status !== 201)).to.deep.equal([]);
      };
      await create(60);
      const content_base64 = Buffer.alloc(300_000, 'x').toString('base64');
      const file = { filename: 'plan.txt', mime: 'text/plain', content_base64 };
      expect((await nodes.rest(1).post(`/projects/${project}/files`, file)).body.size).to.equal(300_000);
      bouncer!.kill('SIGKILL');
      await once(bouncer!, 'exit');
      const waiting = create(6);
      await start(port);
      await waiting;
      for (const node of [0, 1, 2])
        expect((await nodes.rest(node).get(`/projects/${project}/tasks?limit=100`)).body.tasks).to.have.length(66);
      await nodes.stop();
    });

  if (program !== undefined)
    it('have their tables migrated through it [A.nodes.pooler, A.nodes.migrate]', async () => {
      const port = await freePort();
      await start(port);
      const schema = 'migrated_through_pooler';
      await layOutTables(cluster.primary, fixtureOfVersion1, schema);
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
      for (const finish of [false, true]) {
        const reports = await Promise.all(
          Array.from({ length: 3 }, () =>
            migrateDatabase({ url, schema, finish, dryRun: false, durability: 'disk', prepare: false }),
          ),
        );
        expect(reports.flatMap(({ steps }) => steps)).to.have.length(schemaVersion - 1);
        const programs = finish ? schemaVersion : 1;
        for (const { versions } of reports) expect(versions).to.deep.equal({ tables: schemaVersion, programs });
      }
    });
});
