import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { Blocks } from '../docs/blocks.ts';
import { builtProgram } from '../support/build.ts';
import { environmentWith } from '../support/child-environment.ts';
import { Command } from '../support/command.ts';
import { git, initRepository } from '../support/git.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { postgresTests } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort } from '../support/server-process.ts';
import { rarely } from '../support/rarely.ts';

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
  let nodes: HostedNodes | undefined;
  const scratch = scratchDirectory();

  before(async () => {
    cluster = await PostgresCluster.startPair();
  });
  after(async () => {
    await nodes?.stop();
    await cluster.remove();
  });

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

  rarely(
    'lets two runners on two machines share a goal: no task is worked twice, and all are merged once [A.run.work, A.run.merge]',
    async () => {
      nodes = await HostedNodes.start(cluster, 2);
      const rest = nodes.rest(0);
      const project = (await rest.post('/projects', { name: 'Garden' })).body.id;
      const surface = { kind: 'gate_command', command: 'ls work-*' };
      const goal = { name: 'Payments', objective: 'Paid.', verification_surface: surface };
      const { id: goal_id } = (await rest.post(`/projects/${project}/goals`, goal)).body;
      const labels = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
      const ids: string[] = [];
      for (const label of labels)
        ids.push((await rest.post(`/projects/${project}/tasks`, { label, goal_id, lane: 'auto' })).body.id);
      // The first agents wait for each other, so that both runners are at work.
      const log = join(scratch.path, 'log');
      const agent = join(scratch.path, 'agent.sh');
      writeFileSync(
        agent,
        `label=$(sed -n 's/^# //p' | head -n 1); echo "$label" >> ${log}; echo "$label" > "work-$label"
n=0; while [ "$(wc -l < ${log})" -lt 2 ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n + 1)); done`,
      );
      const origin = join(scratch.path, 'origin');
      mkdirSync(origin);
      initRepository(origin);
      git(origin, 'commit', '--quiet', '--allow-empty', '--message', 'Begin');
      const machines = nodes.nodes.map(({ url }, at) => {
        const shell = new Shell(join(scratch.path, String(at)), { PLANNER_URL: url });
        git(scratch.path, 'clone', '--quiet', origin, shell.directory);
        for (const member of ['name', 'email']) git(shell.directory, 'config', `user.${member}`, `ada@example.org`);
        const place = join(shell.home, '.config/planner');
        mkdirSync(place, { recursive: true });
        const scripted = { command: '/bin/sh', args: [agent], protocol: 'stdin', env: {} };
        writeFileSync(join(place, 'agents.json'), JSON.stringify({ scripted }));
        return shell;
      });
      const words = ['run', 'Payments', '--agent', 'scripted', '--trust'];
      const ended = await Promise.all(machines.map((shell) => shell.run(words)));
      expect(ended.map(({ code, errors }) => (code === 0 ? 0 : errors))).to.deep.equal([0, 0]);
      expect(readFileSync(log, 'utf8').trim().split('\n')).to.have.members(labels);
      const { runs } = (await rest.get(`/projects/${project}/agent-runs`)).body;
      expect(runs.map(({ task_id }: { task_id: string }) => task_id)).to.have.members(ids);
      const files = machines.map(({ directory }) => git(directory, 'ls-files').trim().split('\n'));
      expect(files.flat()).to.have.members(labels.map((label) => `work-${label}`));
      for (const own of files) expect(own, 'both have worked').to.not.deep.equal(['']);
      for (const id of ids) expect((await rest.get(`/tasks/${id}`)).body).to.include({ status: 'done', branch: null });
      expect((await rest.get(`/goals/${goal_id}`)).body.status, 'no machine has all of it').to.equal('active');
      const [first, second] = machines as [Shell, Shell];
      git(first.directory, 'pull', '--quiet', '--no-edit', '--no-rebase', second.directory, 'main');
      expect(await first.ok(words)).to.include('"Payments" is complete');
    },
  );

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
