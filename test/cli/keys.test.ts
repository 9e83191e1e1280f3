import { expect } from 'chai';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InProcessCommand } from '../support/in-process.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { Shell, shellTestMs } from './planner.ts';

describe('planner login', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  let service: TestService;

  beforeEach(async () => {
    shell = new Shell(scratch.path);
    service = await TestService.start({ directory: shell.directory });
  });
  afterEach(() => service.stop());

  const kept = (): Record<string, string> =>
    JSON.parse(readFileSync(join(shell.home, '.config/planner/credentials.json'), 'utf8')) as Record<string, string>;

  it('stores an owner key by origin, for this user only [D10.login, S.auth.bearer]', async () => {
    const { url, credentials } = await shell.json(['login']);
    expect(url).to.equal(service.url);
    expect(statSync(credentials).mode & 0o777).to.equal(0o600);
    expect(Object.keys(kept())).to.deep.equal([service.url]);
    const key = kept()[service.url]!;
    expect(key).to.match(/^pln_owner_/);
    const { status } = await service.rest.get('/keys', { Authorization: `Bearer ${key}` });
    expect(status).to.equal(200);
    expect(await shell.ok(['login', `${service.url}/`])).to.include('already');
    expect(kept()[service.url]).to.equal(key);
    expect((await service.rest.get('/keys')).body.keys).to.have.length(1);
  });

  it('creates another key if the stored one was revoked', async () => {
    await shell.ok(['login', service.url]);
    const [key] = (await service.rest.get('/keys')).body.keys;
    await shell.ok(['keys', 'revoke', key.id]);
    const former = kept()[service.url];
    await shell.ok(['login', service.url]);
    expect(kept()[service.url]).not.to.equal(former);
  });

  it('stores a given key after checking it', async () => {
    const { body: owner } = await service.rest.post('/keys', { kind: 'owner', name: 'laptop' });
    const project_id = await service.project();
    const { body: agent } = await service.rest.post('/keys', { kind: 'agent', project_id });
    for (const input of ['pln_owner_wrong', agent.secret as string, '']) {
      expect(await shell.refused(1, ['login', service.url, '--with-key'], { input })).to.include(
        'does not accept the key',
      );
    }
    expect(existsSync(join(shell.home, '.config/planner/credentials.json'))).to.equal(false);
    await shell.ok(['login', service.url, '--with-key'], { input: `${owner.secret}\n` });
    expect(kept()).to.deep.equal({ [service.url]: owner.secret });
  });

  it('stores the keys of several services', async () => {
    const other = await TestService.start();
    try {
      await shell.ok(['login', service.url]);
      await shell.ok(['login', other.url]);
      expect(Object.keys(kept()).sort()).to.deep.equal([service.url, other.url].sort());
    } finally {
      await other.stop();
    }
  });

  it('reports the remedy if there is no service', async () => {
    await service.stop();
    expect(await shell.refused(1, ['login'])).to.include('start it with planner serve');
    expect(await shell.refused(1, ['login', 'http://127.0.0.1:9'])).to.include(
      'No service responds at http://127.0.0.1:9',
    );
    expect(await shell.refused(1, ['login', 'plan.example.org'])).to.include('not the URL of a service');
    service = await TestService.start();
  });
});

describe('planner keys', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  /** Made, listed and revoked, wherever the keys are kept. */
  async function manage(shell: Shell): Promise<void> {
    await shell.ok(['call', 'create_project', '{"name": "Web shop"}']);
    const { key } = await shell.json(['keys', 'create', '--agent', '--project', 'Web shop', '--name', 'ci']);
    expect(key).to.deep.include({ kind: 'agent', name: 'ci' });
    const secret = (await shell.ok(['keys', 'create', '--name', 'laptop'])).trim();
    expect(secret).to.match(/^pln_owner_/);
    const listed = await shell.ok(['keys']);
    expect(listed).to.include('laptop').and.include('ci').and.not.include(secret);
    expect(await shell.ok(['keys', 'revoke', key.id])).to.equal(`${key.id} is revoked.\n`);
    expect((await shell.json(['keys', 'list'])).keys).to.have.length(1);
    expect(await shell.refused(1, ['keys', 'revoke', key.id])).to.include('There is no key');
    expect(await shell.refused(2, ['keys', 'create', '--project', 'Web shop'])).to.include('--agent');
  }

  it('are created, listed and revoked in the files, and are valid for a service that starts later [D10.keys-rest, D11.either]', async () => {
    const shell = new Shell(scratch.path);
    await shell.ok(['init']);
    await manage(shell);
    const secret = (await shell.ok(['keys', 'create'])).trim();
    const service = await TestService.start({ directory: shell.directory });
    try {
      expect((await service.rest.get('/projects', { Authorization: `Bearer ${secret}` })).status).to.equal(200);
    } finally {
      await service.stop();
    }
  });

  it('are created, listed and revoked at the running service, where revocation applies immediately [D10.keys-rest, D11.either]', async () => {
    const shell = new Shell(scratch.path);
    const service = await TestService.start({ directory: shell.directory });
    try {
      await manage(shell);
      const { key } = await shell.json(['keys', 'create']);
      const headers = { Authorization: `Bearer ${key.secret}` };
      expect((await service.rest.get('/projects', headers)).status).to.equal(200);
      await shell.ok(['keys', 'revoke', key.id]);
      expect((await service.rest.get('/projects', headers)).status).to.equal(401);
    } finally {
      await service.stop();
    }
  });
});

describe('PLANNER_URL and PLANNER_MCP_TOKEN', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();

  it('let commands use a service from any directory, with the rights of the key', async () => {
    const shell = new Shell(scratch.path);
    const service = await TestService.start();
    try {
      const project_id = await service.project('Web shop');
      await service.project('Warehouse');
      const { body: agent } = await service.rest.post('/keys', { kind: 'agent', project_id, name: 'ci' });
      const environment = { PLANNER_URL: service.url, PLANNER_MCP_TOKEN: agent.secret };
      const { task } = await shell.json(['task', 'add', 'From a build'], { environment });
      expect(task.project_id).to.equal(project_id);
      expect(await shell.refused(1, ['keys'], { environment })).to.match(/owner|person/);
      expect(await shell.refused(1, ['flush'], { environment })).to.include('for owners only');
      expect(existsSync(join(shell.directory, '.planner'))).to.equal(false);
    } finally {
      await service.stop();
    }
  });
});

describe('A hosted service, on its own host', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let running: InProcessCommand | undefined;

  afterEach(() => running?.stop());

  it('authenticates those who can read the root as its owner [D10.admin, D10.login]', async () => {
    const shell = new Shell(scratch.path);
    const argv = [
      'serve',
      '--root',
      shell.directory,
      '--port',
      '0',
      '--hosted',
      '--base-url',
      'https://plan.example.org',
    ];
    running = new InProcessCommand(argv);
    const url = /listening at (\S+)/.exec(await running.firstLine())![1]!;
    expect((await new RestClient(url).get('/projects')).status).to.equal(401);
    await shell.ok(['call', 'create_project', '{"name": "Web shop"}']);
    const { key } = await shell.json(['keys', 'create', '--agent', '--project', 'Web shop']);
    const { body } = await new RestClient(url).get('/projects', { Authorization: `Bearer ${key.secret}` });
    expect(body.projects).to.have.length(1);
    expect((await shell.json(['login'])).url).to.equal(new URL(url).origin);
    await shell.ok(['connect']);
    expect(await shell.problems()).to.deep.equal([]);
    // A user who cannot read the root has no credential.
    const stranger = new Shell(`${scratch.path}/stranger`);
    expect(await stranger.refused(1, ['login', url])).to.include('planner keys create');
    expect(await stranger.refused(1, ['task', 'list'], { environment: { PLANNER_URL: url } })).to.include(
      'planner login',
    );
  });
});

describe('A service with a password', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let running: InProcessCommand | undefined;

  afterEach(() => running?.stop());

  it('accepts commands of those who can read the root, or know the password', async () => {
    const shell = new Shell(scratch.path);
    const environment = { PLANNER_AUTH_PASSWORD: 'open sesame' };
    running = new InProcessCommand(['serve', '--root', shell.directory, '--port', '0'], { environment });
    await running.firstLine();
    await shell.ok(['call', 'create_project', '{"name": "Web shop"}']);
    rmSync(join(shell.directory, '.planner/local/admin'));
    await shell.ok(['task', 'add', 'By password'], { environment });
    expect((await shell.run(['task', 'list'])).code).to.equal(1);
  });
});
