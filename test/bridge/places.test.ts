import { expect } from 'chai';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { BridgeWindow, closeWindows } from '../support/bridge.ts';
import type { BridgeWindowOptions } from '../support/bridge.ts';
import { Command } from '../support/command.ts';
import { runCommand } from '../support/in-process.ts';
import { HostedService } from '../support/hosted-service.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

describe('The root or service of planner mcp', function () {
  this.timeout(60_000);
  const scratch = scratchDirectory();
  let running: { stop(): Promise<unknown> }[] = [];

  afterEach(async () => {
    await closeWindows();
    await Promise.all(running.map((one) => one.stop()));
    running = [];
  });

  /** Creates a directory with a plan that holds one project of the same name; returns the project's id. */
  async function plan(name: string): Promise<{ readonly path: string; readonly id: string }> {
    const path = join(scratch.path, name);
    mkdirSync(path, { recursive: true });
    await runCommand(['init'], { cwd: path });
    const { output } = await runCommand(['call', 'create_project', JSON.stringify({ name }), '--json'], { cwd: path });
    return { path, id: JSON.parse(output).project.id };
  }

  /** The names of the projects that a window sees. */
  async function seen(options: BridgeWindowOptions): Promise<string[]> {
    const window = await BridgeWindow.open(options);
    return (await window.get('list_projects')).projects.map(({ name }: { name: string }) => name);
  }

  /** A directory without a plan in or above it. */
  function elsewhere(): string {
    const path = join(scratch.path, 'elsewhere');
    mkdirSync(path, { recursive: true });
    return path;
  }

  function configure(path: string, settings: object): void {
    const file = join(path, '.planner/config.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...settings }));
  }

  async function messageOf(promise: Promise<unknown>): Promise<string> {
    try {
      await promise;
    } catch (error) {
      return (error as Error).message;
    }
    return expect.fail('It was not refused.');
  }

  it('is the root of --root, of PLANNER_ROOT, of the client, of the directory upwards, in this order [D11.mcp-root]', async () => {
    const [option, variable, client, here] = await Promise.all(['option', 'variable', 'client', 'here'].map(plan));
    const below = join(here!.path, 'a/b');
    mkdirSync(below, { recursive: true });
    const environment = { PLANNER_ROOT: variable!.path };
    const roots = [elsewhere(), join(client!.path, 'not/there'), client!.path];
    const all = { cwd: below, environment, roots };
    expect(await seen({ ...all, argv: ['--root', option!.path] })).to.deep.equal(['option']);
    expect(await seen(all)).to.deep.equal(['variable']);
    expect(await seen({ cwd: below, roots })).to.deep.equal(['client']);
    expect(await seen({ cwd: below, roots: [elsewhere()] })).to.deep.equal(['here']);
    expect(await seen({ cwd: below, roots: [] })).to.deep.equal(['here']);
    expect(await seen({ cwd: below })).to.deep.equal(['here']);
  });

  it('is never created: if it is missing, the error reports it, and a root that is created later is found [D11.mcp-root, D11.mcp]', async () => {
    const cwd = elsewhere();
    const message = await messageOf(BridgeWindow.open({ cwd }));
    expect(message).to.include('There is no .planner').and.include('--root').and.include('PLANNER_ROOT');
    expect(await messageOf(BridgeWindow.open({ cwd, argv: ['--root', cwd] }))).to.include(
      `There is no .planner at ${cwd}`,
    );
    // A client that has roots is asked for them after the response to initialize: the first call reports missing roots.
    const window = await BridgeWindow.open({ cwd, roots: [cwd] });
    expect(window.sdk.getInstructions()).to.include('leave project_id out');
    const { isError, value } = await window.call('list_projects');
    expect(isError).to.equal(true);
    expect(value).to.include({ error: 'not_found' });
    expect(value.message).to.include('There is no .planner').and.include(cwd);
    expect(await messageOf(window.sdk.listTools())).to.include('There is no .planner');
    expect(existsSync(join(cwd, '.planner'))).to.equal(false);
    await runCommand(['init'], { cwd });
    expect(await window.get('list_projects')).to.deep.equal({ projects: [] });
  });

  rarely(
    'is the service of PLANNER_URL with PLANNER_MCP_TOKEN, whatever plan is nearby [D11.mcp, S.auth.bearer]',
    async () => {
      const hosted = await HostedService.start();
      running.push(hosted);
      const { path } = await plan('nearby');
      const project_id = await hosted.project('Hosted');
      await hosted.project('Another');
      const { id, secret } = await hosted.key('agent', { project_id, name: 'ci' });
      const environment = { PLANNER_URL: hosted.url, PLANNER_MCP_TOKEN: secret };
      const window = await BridgeWindow.open({ cwd: path, environment, roots: [path] });
      expect(window.sdk.getInstructions()).to.include('The bound project is "Hosted"');
      expect((await window.sdk.listTools()).tools.length).to.be.greaterThan(8);
      expect((await window.get('list_projects')).projects).to.have.length(1);
      expect((await window.get('get_project')).project.id).to.equal(project_id);
      expect(existsSync(join(path, '.planner/local/server.json'))).to.equal(false);
      await hosted.owner.delete(`/keys/${id}`);
      const { isError, value } = await window.call('list_projects');
      expect(isError).to.equal(true);
      expect(value.error).to.equal('unauthorized');
      const bare = { PLANNER_URL: hosted.url };
      expect(await messageOf(BridgeWindow.open({ cwd: path, environment: bare }))).to.include(
        'A credential is required',
      );
    },
  );

  it('reports an invalid PLANNER_URL and PLANNER_MCP_TOKEN [D11.mcp]', async () => {
    const open = (environment: Record<string, string>): Promise<string> =>
      messageOf(BridgeWindow.open({ cwd: elsewhere(), environment }));
    expect(await open({ PLANNER_URL: 'plan.example.org' })).to.include('PLANNER_URL is "plan.example.org"');
    const token = await open({ PLANNER_URL: 'http://127.0.0.1:9', PLANNER_MCP_TOKEN: 'two words' });
    expect(token).to.include('PLANNER_MCP_TOKEN').and.not.include('two words');
  });

  describe('in a connected repository', () => {
    /** A repository that `planner connect` has bound. */
    async function connected(name: string): Promise<{ readonly path: string; readonly id: string }> {
      const made = await plan(name);
      await runCommand(['call', 'create_project', '{"name": "Another"}'], { cwd: made.path });
      const { code, errors } = await runCommand(['connect', '--project', made.id], {
        cwd: made.path,
        environment: { HOME: scratch.path },
      });
      expect(code, errors).to.equal(0);
      return made;
    }

    it('is the bound project, with the key of .planner/token [D2.project-key, S.rule.8]', async () => {
      const { path, id } = await connected('bound');
      const window = await BridgeWindow.open({ cwd: path });
      expect(window.sdk.getInstructions()).to.include(`The bound project is "bound" (${id})`);
      const { task } = await window.get('create_task', { label: 'Without a project' });
      expect(task.project_id).to.equal(id);
      expect((await window.get('list_projects')).projects).to.have.length(1);
      const { value } = await window.call('create_project', { name: 'Mine' });
      expect(value.error).to.equal('forbidden');
      await window.get('update_task', { task_id: task.id, label: 'Changed' });
      const { revisions } = await window.get('list_revisions', { target_type: 'task', target_id: task.id });
      expect(revisions[0].author).to.match(/^agent:window \(bound on .+\)$/);
    });

    rarely(
      'is the bound project without a key too, at a service that was started before [D2.project-key]',
      async () => {
        const { path, id } = await plan('bound');
        const service: ServerProcess = await startService(path);
        running.push(service);
        await fetch(`${service.url}/api/v1/projects`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"name": "Another"}',
        });
        configure(path, { project_id: id });
        const window = await BridgeWindow.open({ cwd: path, roots: [path] });
        expect((await window.get('create_task', { label: 'Bound' })).task.project_id).to.equal(id);
        expect((await window.get('get_next_task')).next.next_task.label).to.equal('Bound');
        expect((await window.get('list_projects')).projects).to.have.length(2);
      },
    );

    it('is rejected with a revoked key [S.auth.1]', async () => {
      const { path } = await connected('bound');
      const window = await BridgeWindow.open({ cwd: path });
      await window.get('list_tasks');
      const { keys } = JSON.parse((await runCommand(['keys', 'list', '--json'], { cwd: path })).output);
      await runCommand(['keys', 'revoke', keys[0].id], { cwd: path });
      expect((await window.call('list_tasks')).value.error).to.equal('unauthorized');
      // After a new connect it goes on without a restart.
      await runCommand(['connect'], { cwd: path, environment: { HOME: scratch.path } });
      expect((await window.get('list_tasks')).tasks).to.deep.equal([]);
    });

    it('sends nothing to a service that a repository names and the user has not confirmed [A.trust.outgoing, A.hostile.service]', async () => {
      const received: unknown[] = [];
      const server: Server = createServer((request, response) => {
        received.push(request.headers.authorization);
        response.end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      running.push({ stop: () => new Promise((resolve) => server.close(resolve)) });
      const { path } = await connected('bound');
      const { port } = server.address() as { port: number };
      configure(path, { server_url: `http://planner.localhost:${port}` });
      const message = await messageOf(BridgeWindow.open({ cwd: path }));
      expect(message).to.include('you have not confirmed it').and.include('planner login');
      expect(received).to.deep.equal([]);
    });

    it('goes to the service that config.json names, with the key for it [D2.project-key, D11.mcp]', async () => {
      const service = await TestService.start();
      running.push(service);
      const id = await service.project('Elsewhere');
      await service.project('Another');
      const { body } = await service.rest.post('/keys', { kind: 'agent', project_id: id, name: 'agent' });
      const { path } = await plan('local');
      configure(path, { server_url: service.url, project_id: id });
      const environment = { HOME: path };
      expect((await runCommand(['login', service.url], { cwd: path, environment })).code).to.equal(0);
      writeFileSync(join(path, '.planner/token'), `${body.secret}\n`, { mode: 0o600 });
      const window = await BridgeWindow.open({ cwd: path });
      expect((await window.get('get_project')).project.name).to.equal('Elsewhere');
      // The credential also works with PLANNER_URL, if it names the service that the repository is connected to.
      const named = await BridgeWindow.open({ cwd: path, environment: { PLANNER_URL: service.url } });
      expect((await named.get('list_projects')).projects).to.have.length(1);
    });

    it('follows no link to a key, and rejects text that is not a key [A.trust.links]', async () => {
      const { path } = await connected('bound');
      const token = join(path, '.planner/token');
      const secret = readFileSync(token);
      rmSync(token);
      writeFileSync(join(scratch.path, 'secret'), secret);
      symlinkSync(join(scratch.path, 'secret'), token);
      expect(await messageOf(BridgeWindow.open({ cwd: path })))
        .to.include(token)
        .and.include('planner connect');
      rmSync(token);
      writeFileSync(token, 'no key at all\n');
      const message = await messageOf(BridgeWindow.open({ cwd: path }));
      expect(message).to.include('contains no key').and.not.include('no key at all');
    });
  });

  rarely(
    'is authenticated by a service with a password, with the credential in the root [D10.admin, D10.basic]',
    async () => {
      const { path } = await plan('guarded');
      const environment = { PLANNER_AUTH_PASSWORD: 'correct horse' };
      const service = new Command(['serve', '--port', '0'], { cwd: path, environment });
      running.push({ stop: () => service.kill() });
      const url = /http:\/\/[^\s)]+/.exec(await service.firstLine())![0];
      expect((await fetch(`${url}/api/v1/projects`)).status).to.equal(401);
      const window = await BridgeWindow.open({ cwd: path });
      const [project] = (await window.get('list_projects')).projects;
      await service.kill();
      await window.get('create_task', { project_id: project.id, label: 'After it' });
    },
  );

  it('reports a root that cannot be opened, and retries at the next call [A.open.corrupt]', async () => {
    const { path } = await plan('broken');
    const config = join(path, '.planner/config.json');
    const text = readFileSync(config);
    writeFileSync(config, '{"project_id": ');
    const window = await BridgeWindow.open({ cwd: path, roots: [path] });
    const { value } = await window.call('list_projects');
    expect(value.message).to.include(config);
    writeFileSync(config, text);
    chmodSync(config, 0o644);
    expect((await window.get('list_projects')).projects).to.have.length(1);
  });
});
