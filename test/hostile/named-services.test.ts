import { expect } from 'chai';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { McpLocator } from '../../src/cli/bridge/mcp-locator.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { ProgramDeps } from '../../src/cli/call/program-deps.ts';
import { readEnvironment } from '../../src/base/config.ts';
import { Shell, shellTestMs } from '../cli/planner.ts';
import { InProcessCommand } from '../support/in-process.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { repository } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';
import { linesOf, planner, unknown } from './every-command.ts';

describe('A service that a repository names [A.hostile.service]', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: Shell;
  beforeEach(() => (shell = new Shell(scratch.path)));

  const at = (path: string): string => join(scratch.path, path);
  const write = (path: string, content: unknown): void =>
    writeFileSync(join(shell.directory, '.planner', path), JSON.stringify(content));

  /** Counts the connections to a port of this machine. */
  async function counting(use: (url: string, count: () => number) => Promise<void>): Promise<void> {
    let connections = 0;
    const server: Server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await use(`http://127.0.0.1:${port}`, () => connections);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }

  const planCommands = ['flush', 'projects', 'keys', 'task list', 'task add', 'doc set', 'next', 'export', 'events'];

  /** The members of a repository that can name where requests go, and the calls that try them. */
  const members: Readonly<Record<string, (url: string, count: () => number) => Promise<void>>> = {
    server_url: async (url, count) => {
      for (const named of [url, url.replace('127.0.0.1', 'localhost'), `${url}/`, `${url}/mounted`]) {
        write('config.json', { format: 1, server_url: named });
        const error = await shell.refused(1, ['task', 'list']);
        expect(error).to.include('you have not confirmed it for this directory').and.include(`in ${shell.directory}`);
      }
      const parts: ProgramDeps = {
        ...planner(shell.directory),
        environment: () => readEnvironment({ XDG_CONFIG_HOME: join(shell.home, '.config') }),
      };
      // Disconnecting takes the name of the service out.
      const { disconnect: _, ...all } = await linesOf(parts, unknown);
      const lines = { ...all, push: ['push'], pull: ['pull'], 'sync watch': ['sync', '--watch'] };
      const refusing: string[] = [];
      for (const [name, argv] of Object.entries(lines)) {
        await runProgram(parts, argv, (line) => void (/not confirmed/.test(line) && refusing.push(name)));
        process.exitCode = undefined;
        expect(count(), `planner ${argv.join(' ')}`).to.equal(0);
      }
      expect(refusing).to.include.members(planCommands.map((name) => (name === 'keys' ? 'keys create' : name)));
      const locating = new McpLocator(parts, {}, async () => []).locate(undefined);
      expect(await locating.catch((error: unknown) => String(error))).to.include('you have not confirmed it');
    },
    remote: async (url) => {
      const { project } = await shell.json(['call', 'create_project', '{"name":"Plan"}']);
      for (const named of [url, url.replace('127.0.0.1', 'localhost')]) {
        write('config.json', { format: 1, remote: { url: named, project_id: project.id } });
        for (const argv of [['push'], ['push', '--copy'], ['pull'], ['sync'], ['pull', '--into', shell.directory]])
          expect(await shell.refused(1, argv), argv.join(' ')).to.include('you have not confirmed it');
        const pull = ['call', 'sync_pull', JSON.stringify({ project_id: project.id })];
        expect(await shell.refused(1, pull)).to.include('You have not logged in');
      }
    },
    'local/': async (url) => {
      mkdirSync(join(shell.directory, '.planner/local'), { recursive: true });
      write('local/server.json', { url, pid: process.pid });
      write('local/lock.json', { pid: process.pid, address: url });
      expect(await shell.refused(1, ['task', 'list'])).to.include('was not created for you');
    },
  };

  for (const [member, tried] of Object.entries(members))
    it(`gets nothing from any command by ${member}, until the user confirms it`, () =>
      counting(async (url, count) => {
        // The user has used Planner before, and has logged in to the service elsewhere.
        await shell.ok(['init'], { cwd: shell.home });
        const credentials = join(shell.home, '.config/planner/credentials.json');
        writeFileSync(credentials, JSON.stringify({ [url]: 'pln_owner_x' }), { mode: 0o600 });
        if (member === 'local/') mkdirSync(join(shell.directory, '.planner'));
        else await shell.ok(['init']);
        await tried(url, count);
        expect(count()).to.equal(0);
      }));

  it('is listed in docs/explanation/security.md by the file that names it', () => {
    const text = readFileSync(join(repository, 'docs/explanation/security.md'), 'utf8');
    const [, section = ''] = /\n### Where requests go\n(.*?)\n##/s.exec(text) ?? [];
    const listed = [...section.matchAll(/^- `([^`]+)`/gm)].map(([, name]) => name);
    expect(listed).to.deep.equal([...Object.keys(members), 'planner.root']);
  });

  it('is confirmed by planner login in that directory, by connect, or by PLANNER_URL', async () => {
    const service = await TestService.start();
    try {
      const id = await service.project('Private');
      await shell.ok(['init']);
      write('config.json', { format: 1, server_url: service.url });
      const unconfirmed = `run planner login ${service.url} in ${shell.directory}`;
      expect(await shell.refused(1, ['keys', 'create'])).to.include(unconfirmed);
      expect((await service.rest.get('/keys')).body.keys).to.deep.equal([]);
      // A login elsewhere does not count for this directory.
      expect(await shell.json(['login', service.url], { cwd: shell.home })).to.not.have.property('root');
      expect(await shell.refused(1, ['projects'])).to.include(unconfirmed);
      const environment = { PLANNER_URL: service.url };
      expect((await shell.json(['projects'], { environment })).projects).to.have.length(1);
      expect(await shell.ok(['login', service.url])).to.include(`Commands in ${shell.directory} use it`);
      expect((await shell.json(['projects'])).projects).to.have.length(1);
      expect((await shell.json(['task', 'add', 'A', '--project', id])).task.project_id).to.equal(id);
      expect(statSync(join(shell.home, '.config/planner/services.json')).mode & 0o777).to.equal(0o600);
      // Another clone is another directory.
      cpSync(join(shell.directory, '.planner/config.json'), at('other/.planner/config.json'));
      const cwd = at('other');
      expect(await shell.refused(1, ['projects'], { cwd })).to.include('you have not confirmed it');
      await shell.ok(['connect', '--url', service.url], { cwd });
      expect((await shell.json(['projects'], { cwd })).projects).to.have.length(1);
    } finally {
      await service.stop();
    }
  });

  it('is confirmed by naming it to push or pull, for sync and sync_pull too [D8.sync-origin]', async () => {
    const service = await TestService.start();
    try {
      await shell.ok(['init']);
      const { project } = await shell.json(['call', 'create_project', '{"name":"Plan"}']);
      await shell.ok(['push', service.url]);
      await shell.ok(['push']);
      await shell.ok(['sync']);
      const into = at('pulled');
      await shell.ok(['pull', service.url, '--into', into]);
      await shell.ok(['sync'], { cwd: into });
      const pull = ['call', 'sync_pull', JSON.stringify({ project_id: project.id })];
      await shell.ok(['login', service.url], { cwd: shell.home });
      expect((await shell.json(pull)).pulled).to.equal(0);
      // A copy of the directory is another directory.
      cpSync(join(into, '.planner/config.json'), at('copy/.planner/config.json'));
      cpSync(join(into, '.planner/projects'), at('copy/.planner/projects'), { recursive: true });
      for (const argv of [['sync'], ['pull'], ['push']])
        expect(await shell.refused(1, argv, { cwd: at('copy') })).to.include('you have not confirmed it');
    } finally {
      await service.stop();
    }
  });

  it('needs no confirmation if it serves this root', async () => {
    await shell.ok(['init']);
    const service = new InProcessCommand(['serve', '--port', '0'], shell.options());
    try {
      const url = /at (http:\S+)/.exec(await service.firstLine())![1]!;
      for (const named of [url, url.replace('127.0.0.1', 'localhost')]) {
        write('config.json', { format: 1, server_url: named });
        expect((await shell.json(['projects'])).projects).to.deep.equal([]);
      }
      expect(existsSync(join(shell.home, '.config/planner/services.json'))).to.equal(false);
      const bridge = new InProcessCommand(['mcp'], {
        ...shell.options(),
        input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } })}\n`,
      });
      expect((await bridge.finished).output).to.include('"projects":[]');
    } finally {
      await service.stop();
    }
  });
});
