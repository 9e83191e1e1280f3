import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { shellTestMs } from '../cli/planner.ts';
import { Blocks } from '../docs/blocks.ts';
import { builtProgram } from '../support/build.ts';
import { environmentWith } from '../support/child-environment.ts';
import { Command } from '../support/command.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort } from '../support/server-process.ts';

const hosted = 'docs/how-to/several-nodes.md';
const blocks = new Blocks();
const shown = {
  database: blocks.take(hosted, 'CREATE DATABASE planner'),
  standby: blocks.take(hosted, 'synchronous_standby_names'),
  nodes: blocks.take(hosted, 'planner serve --hosted'),
  commands: blocks.take(hosted, 'planner export'),
  upgrade: blocks.take(hosted, 'planner migrate'),
};

postgresTests('The program over a database', () => {
  let cluster: PostgresCluster;
  const scratch = scratchDirectory();

  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(() => cluster.remove());

  const environment = (url: string): Record<string, string> =>
    environmentWith({
      HOME: scratch.path,
      XDG_CONFIG_HOME: join(scratch.path, '.config'),
      PATH: `${join(scratch.path, 'bin')}:${process.env['PATH'] ?? ''}`,
      PLANNER_DATABASE: url,
    });

  async function run(script: string, url: string): Promise<string> {
    const options = { cwd: scratch.path, env: environment(url), timeout: 100_000 };
    return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout;
  }

  it('is set up from an empty server as its document says [A.nodes.command]', async () => {
    mkdirSync(join(scratch.path, 'bin'));
    const planner = join(scratch.path, 'bin', 'planner');
    writeFileSync(planner, `#!/bin/sh\nexec "${process.execPath}" "${builtProgram()}" "$@"\n`);
    chmodSync(planner, 0o755);
    for (const block of [shown.database, shown.standby])
      for (const statement of block.split(/;.*\n/).filter((line) => line !== ''))
        await cluster.primary.query(statement);
    const [, , , ...more] = shown.nodes.split('\n');
    expect(more.join('')).to.equal('');
    const written = /^export PLANNER_DATABASE='([^']+)'$/m.exec(shown.nodes)![1]!;
    const [first, second] = cluster.ports;
    const url = written
      .replace('db-1.example.org:5432', `127.0.0.1:${first}`)
      .replace('db-2.example.org:5432', `127.0.0.1:${second}`);
    expect(url).not.to.include('example');
    const secret = (await run(/^planner keys create .*$/m.exec(shown.nodes)![0], url)).trim();
    expect(secret).to.match(/^pln_owner_/);
    const port = await freePort();
    const argv = /^planner (serve \S.*?) +#/m.exec(shown.nodes)![1]!.split(' ');
    const node = new Command([...argv, '--port', String(port)], { cwd: scratch.path, environment: environment(url) });
    expect(await node.firstLine())
      .to.include(`127.0.0.1:${first}`)
      .and.not.include('change');
    const rest = new RestClient(`http://127.0.0.1:${port}`, { Authorization: `Bearer ${secret}` });
    const { body } = await rest.post('/projects', { name: 'Garden' });
    // The commands act outside the node, which sees their changes.
    expect(await run(shown.commands, url)).to.include('Garden');
    await run('planner import garden.json --json', url);
    expect((await rest.get('/projects')).body.projects).to.have.length(2);
    // A node has created the tables: there is nothing to do.
    expect(await run(shown.upgrade, url)).to.match(/^(The tables in the schema planner have version \d+\.\n){3}$/);
    await cluster.failOver();
    expect((await rest.patch(`/projects/${body.id}`, { name: 'Orchard' })).status).to.equal(200);
    expect(await run('planner projects', url)).to.include('Orchard');
    node.signal('SIGTERM');
    // Its balancer finds that it is not ready, while it still serves.
    await cluster.primary.until(async () => (await rest.get('/ready')).status === 503);
    expect((await rest.get('/ready')).body.message).to.include('ending');
    expect((await rest.get('/projects')).status).to.equal(200);
    expect((await node.finished).code).to.equal(0);
  }).timeout(shellTestMs);
});
