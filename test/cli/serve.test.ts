import { expect } from 'chai';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BridgeWindow } from '../support/bridge.ts';
import { Command } from '../support/command.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { RootLock } from '../../src/store/files/lock/lock.ts';
import { InProcessCommand, runCommand } from '../support/in-process.ts';
import type { CommandOptions } from '../support/command.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort } from '../support/server-process.ts';
import { noProblems } from '../support/no-problems.ts';
import { shellTestMs } from './planner.ts';
import { rarely } from '../support/rarely.ts';

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((turn) => setTimeout(turn, 5));
};
const urlIn = (line: string): string => /http:\/\/[^\s)]+/.exec(line)![0];

describe('planner serve', function () {
  this.timeout(shellTestMs);
  let ends: (() => Promise<unknown>)[] = [];
  // Before the scratch directory's own hook, which removes the files.
  afterEach(async () => {
    await Promise.all(ends.map((end) => end()));
    ends = [];
  });
  const scratch = scratchDirectory();

  /** Starts it and returns the URL that its line names. */
  async function serve(
    argv: readonly string[],
    options?: CommandOptions,
  ): Promise<{ command: InProcessCommand; url: string }> {
    const command = new InProcessCommand(['serve', ...argv], options);
    ends.push(() => command.stop());
    return { command, url: urlIn(await command.firstLine()) };
  }

  it('prints one line with the URL when it is ready, and serves there [D11.serve, S.conformance.1]', async () => {
    const port = await freePort();
    const { command, url } = await serve(['--root', scratch.path, '--host', '127.0.0.1', '--port', String(port)]);
    expect(url).to.equal(`http://127.0.0.1:${port}`);
    expect((await new RestClient(url).get('/health')).body).to.deep.equal({ ok: true });
    expect((await command.stop()).output.trim().split('\n')).to.have.length(1);
  });

  it('shows at a terminal who changes what, and problems of files, and no requests [A.terminal]', async () => {
    // Too low for the first lines, which no pager may hold back.
    const terminal = { columns: 80, rows: 2 };
    const command = new InProcessCommand(['serve', '--root', scratch.path, '--port', '0', '--no-color'], { terminal });
    ends.push(() => command.stop());
    await until(() => command.printed.includes(' demo '));
    const rest = new RestClient(urlIn(command.printed));
    const { body: project } = await rest.post('/projects', { name: 'web-shop' });
    await rest.post(`/projects/${project.id}/tasks`, { label: 'Take payments' });
    await until(() => command.printed.includes('payments" in web-shop'));
    const tasks = (): readonly string[] => globSync(join(scratch.path, '.planner/projects/*/tasks/*.md'));
    await until(() => tasks().length === 1);
    writeFileSync(tasks()[0]!, '---\nlabel: "Red \\x1b[31m"\n---\n');
    await until(() => command.printed.includes('"Red \\u001b[31m"'));
    writeFileSync(tasks()[0]!, '<<<<<<< HEAD\n=======\n>>>>>>> theirs\n');
    await until(() => /Problem: .*\.md:1: Conflict markers .* resolve/.test(command.printed));
    const { output, errors } = await command.stop();
    expect(output).to.match(/^\d\d:\d\d \S.* created the project "web-shop"$/m);
    expect(output + errors).not.to.match(/[{}]|\/api\/v1\/projects/);
  });

  rarely('writes everything to its file on SIGTERM and SIGINT, and exits 0 [D11.drain]', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const command = new Command(['serve', '--root', scratch.path, '--port', '0']);
      ends.push(() => command.kill());
      const url = urlIn(await command.firstLine());
      const server = join(scratch.path, '.planner/local/server.json');
      expect(JSON.parse(readFileSync(server, 'utf8'))).to.include({ url });
      const { body } = await new RestClient(url).post('/projects', { name: `Drained by ${signal}` });
      command.signal(signal);
      expect((await command.finished).code).to.equal(0);
      expect(existsSync(server)).to.equal(false);
      const { output } = await runCommand(['doctor', '--root', scratch.path]);
      expect(output).to.equal(noProblems);
      const again = await serve(['--root', scratch.path, '--port', '0']);
      expect((await new RestClient(again.url).get(`/projects/${body.id}`)).body.name).to.equal(`Drained by ${signal}`);
      await again.command.stop();
    }
  });

  it('leaves the address of a service that has taken the root over, though its pid and its address are the same [A.root.lost]', async () => {
    const { command, url } = await serve(['--root', scratch.path, '--port', '0']);
    const server = join(scratch.path, '.planner/local/server.json');
    const theirs = JSON.stringify({ url, pid: process.pid, written: 'by another' });
    writeFileSync(server, theirs);
    await command.stop();
    expect(readFileSync(server, 'utf8')).to.equal(theirs);
  });

  rarely('is shut down by a signal that arrives while it opens, too [D11.drain]', async () => {
    const command = new Command(['serve', '--root', scratch.path, '--port', '0']);
    ends.push(() => command.kill());
    while (!existsSync(join(scratch.path, '.planner/local'))) await new Promise((resolve) => setTimeout(resolve, 1));
    command.signal('SIGTERM');
    expect((await command.finished).code).to.equal(0);
    expect(existsSync(join(scratch.path, '.planner/local/server.json'))).to.equal(false);
  });

  it('waits for a command that has the root open, and says so; a signal ends the wait [A.root.waits]', async () => {
    const open = (): RootLock => RootLock.acquire({ disk: nodeDisk, directory: join(scratch.path, '.planner/local') });
    await (await serve(['--root', scratch.path, '--port', '0'])).command.stop();
    const untilWaiting = async (command: InProcessCommand): Promise<void> => {
      while (!command.errors.includes('Waiting until it has ended')) await new Promise((turn) => setTimeout(turn, 5));
    };
    const held = open();
    const waiting = new InProcessCommand(['serve', '--root', scratch.path, '--port', '0']);
    ends.push(() => waiting.stop());
    await untilWaiting(waiting);
    expect(waiting.errors).to.include(`process ${process.pid}`);
    held.release();
    expect((await new RestClient(urlIn(await waiting.firstLine())).get('/health')).status).to.equal(200);
    await waiting.stop();
    const again = open();
    const ended = new InProcessCommand(['serve', '--root', scratch.path, '--port', '0']);
    await untilWaiting(ended);
    expect((await ended.stop()).code).to.equal(0);
    again.release();
  });

  it('uses the nearest .planner in the parent directories, else creates one in the working directory [D11.root]', async () => {
    const below = join(scratch.path, 'a/b');
    mkdirSync(below, { recursive: true });
    const made = await serve(['--port', '0'], { cwd: below });
    await made.command.stop();
    expect(existsSync(join(below, '.planner/config.json'))).to.equal(true);
    const deeper = join(below, 'c/d');
    mkdirSync(deeper, { recursive: true });
    const found = await serve(['--port', '0'], { cwd: deeper });
    expect(await found.command.firstLine()).to.include(`${join(below, '.planner')} `);
    expect(existsSync(join(deeper, '.planner'))).to.equal(false);
  });

  it('listens on PLANNER_PORT if no --port is given, on the next free port if that is in use, and there the next time [D11.port]', async () => {
    const port = await freePort();
    const environment = { PLANNER_PORT: String(port) };
    const first = await serve(['--root', join(scratch.path, 'one')], { environment });
    expect(first.url).to.equal(`http://127.0.0.1:${port}`);
    const second = await serve(['--root', join(scratch.path, 'two')], { environment });
    const { errors } = await second.command.stop();
    expect(errors).to.equal(`Port ${port} is in use by another program: the address is ${second.url} instead.\n`);
    await first.command.stop();
    const again = await serve(['--root', join(scratch.path, 'two')]);
    expect(again.url).to.equal(second.url).and.not.to.equal(first.url);
    const window = await BridgeWindow.open({ cwd: join(scratch.path, 'one') });
    ends.push(() => window.close());
    const server = join(scratch.path, 'one/.planner/local/server.json');
    expect(JSON.parse(readFileSync(server, 'utf8')).url).to.equal(first.url);
  });

  it('keeps its port from windows if it is hosted, since its proxy passes them the requests of everybody [D11.port]', async () => {
    const hosted = ['--hosted', '--base-url', 'https://plan.example.org', '--root', scratch.path];
    const { command } = await serve([...hosted, '--port', String(await freePort())]);
    const server = join(scratch.path, '.planner/local/server.json');
    const { url } = JSON.parse(readFileSync(server, 'utf8'));
    // A window that is open uses it, and serves the root after it.
    const window = await BridgeWindow.open({ cwd: scratch.path });
    ends.push(() => window.close());
    await command.stop();
    await window.get('list_projects');
    expect(JSON.parse(readFileSync(server, 'utf8')).url).not.to.equal(url);
    // Nor does it wait for the end of the window to be hosted again.
    const again = await serve([...hosted, '--port', new URL(url).port]);
    expect(JSON.parse(readFileSync(server, 'utf8')).url).to.equal(url);
    await window.get('list_projects');
    await again.command.stop();
  });

  it('names the project that config.json binds [S.rule.8]', async () => {
    const first = await serve(['--root', scratch.path, '--port', '0']);
    const { body: project } = await new RestClient(first.url).post('/projects', { name: 'Bound' });
    await first.command.stop();
    const config = join(scratch.path, '.planner/config.json');
    writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), project_id: project.id }));
    const { url } = await serve(['--root', scratch.path, '--port', '0']);
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_goals', arguments: {} },
      }),
    });
    const { result } = (await response.json()) as {
      result: { structuredContent: { goals: { project_id: string }[] } };
    };
    expect(result.structuredContent.goals.map((goal) => goal.project_id)).to.deep.equal([project.id]);
  });

  describe('ends with a clear message', () => {
    it('if the port is in use', async () => {
      const { url } = await serve(['--root', join(scratch.path, 'one'), '--port', '0']);
      const { port } = new URL(url);
      const { code, errors } = await runCommand(['serve', '--root', join(scratch.path, 'two'), '--port', port]);
      expect(code).to.equal(1);
      expect(errors).to.equal(
        `planner: Port ${port} on 127.0.0.1 is already in use. Choose another with --port or PLANNER_PORT.\n`,
      );
    });

    it('if another service holds the root, with the address of that service [A.lock.one]', async () => {
      const { url } = await serve(['--root', scratch.path, '--port', '0']);
      const { code, errors } = await runCommand(['serve', '--root', scratch.path, '--port', '0']);
      expect(code).to.equal(1);
      expect(errors)
        .to.match(/^planner: .*in use/)
        .and.include(url);
    });

    it('if what has the root hands none over: it is of another version, or does not respond [D11.takeover]', async () => {
      await (await serve(['--root', scratch.path, '--port', '0'])).command.stop();
      const lock = RootLock.acquire({ disk: nodeDisk, directory: join(scratch.path, '.planner/local') });
      const { instance } = lock.holder;
      const other = createServer((_, response) => response.end(JSON.stringify({ version: '0.0.1', pid, instance })));
      const { pid } = process;
      try {
        await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
        lock.setAddress(`http://127.0.0.1:${(other.address() as AddressInfo).port}`);
        const older = await runCommand(['serve', '--root', scratch.path, '--port', '0']);
        expect([older.code, older.errors.includes(`kill ${pid} on`)]).to.deep.equal([1, true]);
        expect(older.errors).to.include('It is Planner 0.0.1, which hands over no root');
        await new Promise((resolve) => other.close(resolve));
        const silent = await runCommand(['serve', '--root', scratch.path, '--port', '0']);
        expect([silent.code, silent.errors.endsWith('It does not respond.\n')]).to.deep.equal([1, true]);
        // One that is ending responds no more.
        const waiting = serve(['--root', scratch.path, '--port', '0']);
        await new Promise((resolve) => setTimeout(resolve, 200));
        lock.release();
        await waiting;
      } finally {
        lock.release();
        other.close();
      }
    });

    it('if it listens for other machines and has no base URL [D10.base-url]', async () => {
      for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org']) {
        const { code, errors } = await runCommand(['serve', '--root', scratch.path, '--host', host, '--port', '0']);
        expect(code, host).to.equal(2);
        expect(errors).to.include(`--host ${host}`).and.include('--base-url');
      }
      expect(existsSync(join(scratch.path, '.planner'))).to.equal(false);
    });

    it('if a port or config.json is invalid', async () => {
      const port = await runCommand(['serve', '--root', scratch.path, '--port', '99999']);
      expect(port).to.include({ code: 2 });
      expect(port.errors).to.include('--port is "99999"');
      const variable = await runCommand(['serve', '--root', scratch.path], { environment: { PLANNER_PORT: 'web' } });
      expect(variable.errors).to.include('PLANNER_PORT is "web"');
      mkdirSync(join(scratch.path, '.planner'));
      writeFileSync(join(scratch.path, '.planner/config.json'), '{"project_id": ');
      const config = await runCommand(['serve', '--root', scratch.path, '--port', '0']);
      expect(config).to.include({ code: 1 });
      expect(config.errors).to.include('config.json');
      expect(config.errors).not.to.include('    at ');
    });
  });
});

describe('planner flush and doctor', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let running: InProcessCommand | undefined;

  afterEach(() => running?.stop());

  async function serve(): Promise<RestClient> {
    running = new InProcessCommand(['serve', '--root', scratch.path, '--port', '0']);
    return new RestClient(urlIn(await running.firstLine()));
  }

  it('use the running service', async () => {
    const rest = await serve();
    await rest.post('/projects', { name: 'Written' });
    expect(await runCommand(['flush', '--root', scratch.path])).to.include({
      code: 0,
      output: 'All changes are written to their files.\n',
    });
    expect(await runCommand(['doctor', '--root', scratch.path])).to.include({ code: 0, output: noProblems });
  });

  it('open the files if no service runs, also after one that was killed', async () => {
    const killed = new Command(['serve', '--root', scratch.path, '--port', '0']);
    const rest = new RestClient(urlIn(await killed.firstLine()));
    const { body } = await rest.post('/projects', { name: 'Left behind' });
    await killed.kill();
    expect(await runCommand(['flush', '--root', scratch.path])).to.include({ code: 0 });
    const doctor = await runCommand(['doctor', '--json', '--root', scratch.path]);
    // The Node that runs the tests may lack fixes.
    const { problems, node } = JSON.parse(doctor.output);
    expect(node.version).to.equal(process.versions.node);
    expect(problems.filter(({ kind }: { kind: string }) => kind !== 'node_version')).to.deep.equal([]);
    expect((await (await serve()).get(`/projects/${body.id}`)).body.name).to.equal('Left behind');
  });

  it('doctor names the invalid file, and exits 1', async () => {
    const rest = await serve();
    const { body } = await rest.post('/projects', { name: 'Broken' });
    await running!.stop();
    const directory = join(scratch.path, '.planner/projects', `broken-${body.id.slice(4, 10)}`);
    await runCommand(['flush', '--root', scratch.path]);
    mkdirSync(join(directory, 'tasks'), { recursive: true });
    writeFileSync(
      join(directory, 'tasks/bad.md'),
      '---\n<<<<<<< HEAD\nlabel: a\n=======\nlabel: b\n>>>>>>> other\n---\n',
    );
    const { code, output } = await runCommand(['doctor', '--root', scratch.path]);
    expect(code).to.equal(1);
    expect(output).to.include('tasks/bad.md');
  });

  it('never create a .planner', async () => {
    for (const name of ['flush', 'doctor']) {
      const { code, errors } = await runCommand([name, '--root', scratch.path]);
      expect(code).to.equal(1);
      expect(errors).to.include('There is no .planner at').and.include('--root');
    }
    expect(existsSync(join(scratch.path, '.planner'))).to.equal(false);
  });
});
