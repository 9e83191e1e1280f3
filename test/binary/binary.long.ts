import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { firstLineOf } from '../support/first-line.ts';
import { initRepository } from '../support/git.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';

const run = promisify(execFile);

describe('The single executable', function () {
  const scratch = scratchDirectory();
  let built: string;
  let planner: string;
  let environment: Record<string, string>;

  before(async () => {
    built = mkdtempSync(join(tmpdir(), 'planner-binary-test-'));
    await run(process.execPath, ['src/binary/build.ts', '--to', built], { cwd: repository });
  });
  after(() => rmSync(built, { recursive: true, force: true }));

  /** A home of its own, and a PATH with git alone: no node, no other planner. */
  beforeEach(() => {
    planner = join(built, 'planner');
    const [home, bin] = ['home', 'bin'].map((name) => join(scratch.path, name)) as [string, string];
    mkdirSync(home);
    mkdirSync(bin);
    symlinkSync(programOnPath('git'), join(bin, 'git'));
    environment = { HOME: home, PATH: bin, GIT_CONFIG_SYSTEM: '/dev/null' };
    initRepository(directory());
  });

  function directory(): string {
    const path = join(scratch.path, 'repository');
    mkdirSync(path, { recursive: true });
    return path;
  }

  const options = (): { readonly cwd: string; readonly env: Record<string, string> } => ({
    cwd: directory(),
    env: environment,
  });
  const output = async (...given: string[]): Promise<string> => (await run(planner, given, options())).stdout;
  const unpackedTo = (): string => {
    const cache = join(environment['HOME']!, '.cache/planner');
    const [name] = readdirSync(cache).filter((one) => one !== 'compiled');
    return join(cache, name!);
  };

  function git(...given: string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    const { status, stdout, stderr } = spawnSync(join(environment['PATH']!, 'git'), [...identity, ...given], {
      ...options(),
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    return stdout;
  }

  it('runs commands without node, and unpacks its files once for all starts at a time [D11.binary]', async () => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
    expect(await Promise.all([1, 2, 3, 4].map(() => output('--version')))).to.deep.equal(Array(4).fill(`${version}\n`));
    expect(readdirSync(join(environment['HOME']!, '.cache/planner'))).to.have.length(2);
    expect(await output('--help')).to.contain('Usage: planner ');
    const wrong = spawnSync(planner, ['no-such-command'], { ...options(), encoding: 'utf8' });
    expect(wrong.status).not.to.equal(0);
    expect(wrong.stderr).to.contain('no-such-command').and.not.to.contain('    at ');
    expect(readdirSync(join(environment['HOME']!, '.cache/planner/compiled')), 'compiled code').not.to.deep.equal([]);
  });

  it('has the licences of Node and of the packages in it, and next to it [D11.binary]', async () => {
    await output('--version');
    const licenses = readFileSync(join(built, 'LICENSES.txt'), 'utf8');
    expect(licenses).to.match(/^Node\.js v\d/);
    expect(licenses).to.contain('Node.js is licensed for use as follows').and.contain('libuv');
    expect(licenses).to.contain(readFileSync(join(repository, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8'));
    expect(readFileSync(join(unpackedTo(), 'LICENSES.txt'), 'utf8')).to.equal(licenses);
  });

  it('names files and lines of the sources in the trace of an internal error [D11.binary]', () => {
    // No command expects a directory there.
    mkdirSync(join(directory(), '.planner/config.json'), { recursive: true });
    const { status, stderr } = spawnSync(planner, ['task', 'list'], { ...options(), encoding: 'utf8' });
    expect(status).to.equal(1);
    const source = 'src/store/files/disk/disk.ts';
    const lines = readFileSync(join(repository, source), 'utf8').split('\n');
    const line = lines.findIndex((one) => one.includes('readSync(fd, buffer, length')) + 1;
    expect(stderr).to.contain('EISDIR');
    expect(stderr).to.match(
      new RegExp(`at readFromStart \\(file://\\S+/${source.replaceAll('.', '\\.')}:${line}:\\d+\\)`),
    );
  });

  it('replaces its files if one was changed [D11.binary]', async () => {
    await output('--version');
    appendFileSync(join(unpackedTo(), 'main.js'), '\nconsole.log("changed");\n');
    expect(await output('--version')).to.match(/^[\d.]+\n$/);
    expect(readFileSync(join(unpackedTo(), 'main.js'), 'utf8')).not.to.contain('changed');
  });

  it('serves REST and the page, imports an export and finds no problem in it [D11.binary]', async () => {
    await output('init');
    const service = spawn(planner, ['serve', '--port', '0'], { ...options(), stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    service.stdout.setEncoding('utf8').on('data', (data: string) => (printed += data));
    const log = text(service.stderr);
    try {
      const line = await firstLineOf({ printed: () => printed, stream: service.stdout, ended: log });
      const url = / at (http:\S+)/.exec(line)![1]!;
      const project = await post(`${url}/api/v1/projects`, { name: 'Web shop' });
      // Rendered by the thread for texts, and written by the one for files.
      const task = { label: 'Take payments', description: 'Cards *first*.' };
      await post(`${url}/api/v1/projects/${project.id}/tasks`, task);
      expect(await output('export', project.id, '--output', '../export.json')).not.to.contain('problem');
      const page = await (await fetch(url)).text();
      const script = /<script[^>]+src="([^"]+)"/.exec(page)![1]!;
      const got = await fetch(new URL(script, url));
      expect([got.status, got.headers.get('content-type')]).to.deep.equal([200, 'text/javascript; charset=utf-8']);
      expect((await got.text()).length).to.be.greaterThan(10_000);
      expect((await fetch(`${url}/api/v1/docs`)).status).to.equal(200);
    } finally {
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
    expect([service.exitCode, await log]).to.have.property('0', 0);
    const imported = JSON.parse(await output('import', '../export.json', '--json')) as object;
    expect(JSON.stringify(imported)).to.contain('prj_');
    expect(await output('task', 'list', '--all', '--project', await secondProject())).to.contain('Take payments');
    expect(await output('doctor')).to.contain('No problems');
  });

  /** The project that was imported: it has a new id. */
  async function secondProject(): Promise<string> {
    const { projects } = JSON.parse(await output('call', 'list_projects', '--json')) as {
      readonly projects: readonly { readonly id: string }[];
    };
    expect(projects).to.have.length(2);
    return projects[1]!.id;
  }

  it('serves a client of MCP on standard input and output [D11.binary]', async () => {
    await output('init');
    const client = new Client({ name: 'test', version: '1' });
    const { cwd, env } = options();
    await client.connect(new StdioClientTransport({ command: planner, args: ['mcp'], cwd, env }));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).to.include.members(['create_task', 'get_next_task']);
      const made = await client.callTool({ name: 'create_project', arguments: { name: 'By an agent' } });
      const project_id = (made.structuredContent as { project: { id: string } }).project.id;
      const task = await client.callTool({ name: 'create_task', arguments: { project_id, label: 'Ship it' } });
      expect(task.isError ?? false).to.equal(false);
      expect(task.structuredContent).to.have.nested.property('task.label', 'Ship it');
    } finally {
      await client.close();
    }
  });

  it('registers itself as the merge driver of git, which merges two branches with it [D11.binary]', async () => {
    // A path that the shell has to be given in quotes.
    planner = join(scratch.path, "it's planner");
    copyFileSync(join(built, 'planner'), planner);
    expect(await output('init')).to.contain('the merge driver is registered');
    expect(git('config', 'merge.planner.driver')).not.to.contain('main.js');
    const task = '.planner/projects/plan-abc123/tasks/pay.tsk_abc1230000000001.md';
    const base = '---\nstatus: todo\nid: tsk_abc1230000000001\nkind: build\nlabel: Pay\n---\n';
    mkdirSync(join(directory(), task, '..'), { recursive: true });
    const commit = (content: string, message: string): void => {
      writeFileSync(join(directory(), task), content);
      git('add', '-A');
      git('commit', '--quiet', '-m', message);
    };
    commit(base, 'base');
    git('switch', '--quiet', '-c', 'other');
    commit(base.replace('kind: build', 'kind: decision'), 'other');
    git('switch', '--quiet', '-');
    commit(base.replace('label: Pay', 'label: Pay it'), 'ours');
    git('merge', '--quiet', '--no-edit', 'other');
    expect(readFileSync(join(directory(), task), 'utf8')).to.contain('kind: decision\nlabel: Pay it\n');
  });
});

async function post(url: string, body: object): Promise<{ readonly id: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).to.equal(201);
  const made = (await response.json()) as Record<string, unknown>;
  return (made['project'] ?? made['task'] ?? made) as { readonly id: string };
}

function programOnPath(name: string): string {
  return spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
}
