import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metaNames } from '../../src/mcp/envelope.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { InProcessTransport } from '../support/bridge.ts';
import { Line, Place } from '../support/bridge-line.ts';
import { builtProgram } from '../support/build.ts';
import { environmentWith } from '../support/child-environment.ts';
import { FakeMcp } from '../support/fake-mcp.ts';
import { InProcessCommand, runCommand } from '../support/in-process.ts';
import { envelope, ModernClient, modernRequest } from '../support/modern-client.ts';
import type { ModernClientOptions } from '../support/modern-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { startService } from '../support/server-process.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';
import { rarely } from '../support/rarely.ts';

describe('planner mcp without a session [D11.mcp-modern]', () => {
  let stop: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    await Promise.all(stop.map((one) => one()));
    stop = [];
  });

  function lineTo(url: string, place?: Place): Line {
    const line = new Line(url, place && (() => place));
    stop.push(() => line.end());
    return line;
  }

  async function withFake(...args: Parameters<typeof FakeMcp.start>): Promise<{ line: Line; fake: FakeMcp }> {
    const fake = await FakeMcp.start(...args);
    const line = new Line(fake.url);
    stop.push(() => line.end().then(() => fake.stop()));
    return { line, fake };
  }

  /** A place that is never to be looked for. */
  class NoPlace extends Place {
    override locate(): never {
      throw new PlannerError('internal', 'Nothing has to be located.');
    }
  }

  it('answers server/discover, and messages that are no requests of a version, without looking for a service', async () => {
    const line = lineTo('', new NoPlace({ url: 'http://127.0.0.1:1' }));
    const { result } = await line.ask('d', 'server/discover', { _meta: envelope() });
    expect(result).to.deep.include({
      supportedVersions: ['2026-07-28'],
      capabilities: {
        ...{ tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        extensions: { 'io.modelcontextprotocol/events': {}, 'io.modelcontextprotocol/skills': {} },
      },
      resultType: 'complete',
      cacheScope: 'private',
    });
    expect(result.ttlMs).to.be.above(0);
    expect(result._meta[metaNames.server]).to.deep.equal({ name: 'planner', title: 'Planner', version: '1.2.3' });
    expect(result.instructions).to.include('Working a goal');
    const unknown = await line.ask(2, 'tools/list', { _meta: envelope('raw', '2099-01-01') });
    expect(unknown.error).to.deep.include({ code: -32022 });
    expect(unknown.error.data).to.deep.include({ supported: ['2026-07-28'], requested: '2099-01-01' });
    const incomplete = await line.ask(3, 'tools/list', { _meta: { [metaNames.version]: '2026-07-28' } });
    expect(incomplete.error).to.include({ code: -32602 });
    line.send([modernRequest(4, 'tools/list')] as never);
    expect((await line.next(({ error, id }) => id === null && error !== undefined)).error.code).to.equal(-32600);
  });

  it('forwards requests with the headers that they need, and no session', async () => {
    const { line, fake } = await withFake();
    await line.ask(1, 'tools/list', { _meta: envelope() });
    await line.ask(2, 'tools/call', { name: 'créer', arguments: {}, _meta: envelope() });
    await line.ask(3, 'tools/call', { name: 'list_projects', _meta: { ...envelope(), 'planner/key': 'mine' } });
    const [list, odd, call] = fake.received;
    expect(list!.headers).to.include({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' });
    expect(list!.headers).not.to.have.any.keys('mcp-session-id', 'mcp-name');
    expect(odd!.headers).to.include({ 'mcp-name': '=?base64?Y3LDqWVy?=' });
    expect(odd!.params._meta['planner/key']).to.match(/^[\w-]{24}$/);
    expect(call!.headers).to.include({ 'mcp-method': 'tools/call', 'mcp-name': 'list_projects' });
    expect(call!.params._meta).to.include({ 'planner/key': 'mine' });
  });

  it('returns results, errors of tools and rejections as the service sent them', async () => {
    const service = await TestService.start();
    stop.push(() => service.stop());
    const line = lineTo(service.url);
    const call = (id: number, name: string, input: object): Promise<{ result: never; error: never }> =>
      line.ask(id, 'tools/call', { name, arguments: input, _meta: envelope() });
    const made = await call(1, 'create_project', { name: 'By line' });
    expect(made.result).to.include({ resultType: 'complete' });
    const refused = await call(2, 'create_project', { name: ' ' });
    expect(refused.result).to.include({ isError: true, resultType: 'complete' });
    expect((await call(3, 'drop_everything', {})).error).to.include({ code: -32602 });
    for (const method of ['ping', 'initialize', 'no/such'])
      expect((await line.ask(method, method, { _meta: envelope() })).error).to.include({ code: -32601 });
    await line.end();
  });

  it('retries a call whose connection broke with the same key, and returns one response', async () => {
    let tries = 0;
    const { line, fake } = await withFake((_, response) => {
      if (++tries > 2) return { resultType: 'complete', done: true };
      if (tries === 1) response.destroy();
      else response.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return undefined;
    });
    const { result } = await line.ask(1, 'tools/call', { name: 'create_task', _meta: envelope() });
    expect(result).to.include({ done: true });
    expect(new Set(fake.received.map(({ params }) => params._meta['planner/key'])).size).to.equal(1);
    expect(fake.received).to.have.length(3);
  });

  it('reports that no service is found as the result of a call, and drops a cancelled one', async () => {
    class Unfound extends Place {
      override locate(): Promise<never> {
        return Promise.reject(new PlannerError('not_found', 'There is no .planner here.'));
      }
    }
    const line = lineTo('', new Unfound({ url: 'http://127.0.0.1:1' }));
    const { result } = await line.ask(1, 'tools/call', { name: 'list_projects', _meta: envelope() });
    expect(result).to.include({ isError: true, resultType: 'complete' });
    expect((await line.ask(2, 'tools/list', { _meta: envelope() })).error.data).to.include({ error: 'not_found' });

    let arrived = (): void => undefined;
    const requested = new Promise<void>((resolve) => (arrived = resolve));
    const { line: slow, fake } = await withFake(({ method }) => {
      if (method !== 'tools/call') return {};
      arrived();
      return new Promise(() => undefined);
    });
    slow.send(modernRequest(1, 'tools/call', { name: 'slow' }));
    await requested;
    slow.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await slow.ask(2, 'tools/list', { _meta: envelope() });
    expect(slow.received.map(({ id }) => id)).to.deep.equal([2]);
    expect(fake.received.map(({ method }) => method)).to.deep.equal(['tools/call', 'tools/list']);
  });
});

describe('planner mcp for a client that negotiates the revision [D11.mcp-modern]', function () {
  this.timeout(120_000);
  const scratch = scratchDirectory();
  let clients: ModernClient[] = [];
  let service: ServerProcess | undefined;

  /** The directory with the plan. */
  let here: string;
  let elsewhere: string;

  beforeEach(async () => {
    [here, elsewhere] = [join(scratch.path, 'here'), join(scratch.path, 'elsewhere')];
    for (const path of [here, elsewhere]) mkdirSync(path);
    expect((await runCommand(['init'], { cwd: here })).code).to.equal(0);
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
    await service?.kill();
    service = undefined;
  });

  const keep = (client: ModernClient): ModernClient => (clients.push(client), client);

  async function openHere(options: ModernClientOptions, cwd = here): Promise<ModernClient> {
    const command = new InProcessCommand(['mcp'], { cwd, environment: { HOME: cwd }, openInput: true });
    return keep(await ModernClient.over(new InProcessTransport(command), options));
  }

  async function openProcess(options: ModernClientOptions): Promise<{ client: ModernClient; pid: number }> {
    const env = environmentWith({ HOME: here });
    const argv = { command: process.execPath, args: [builtProgram(), 'mcp'], cwd: here, env };
    const transport = new StdioClientTransport({ ...argv, stderr: 'ignore' });
    return { client: keep(await ModernClient.over(transport, options)), pid: transport.pid! };
  }

  const holder = (): number =>
    (JSON.parse(readFileSync(join(here, '.planner/local/server.json'), 'utf8')) as { pid: number }).pid;

  const isServed = (mode: 'auto' | 'legacy', version: string) => async (): Promise<void> => {
    service = await startService(here);
    const { client: first, pid } = await openProcess({ mode, name: 'first' });
    expect(first.version).to.equal(version);
    const { id } = (await first.get('create_project', { name: 'Shared' })).project;
    expect(holder()).to.equal(service.pid);
    await service.kill();
    service = undefined;
    await first.get('create_task', { project_id: id, label: 'After the service' });
    expect(holder()).to.equal(pid);
    const { client: second, pid: next } = await openProcess({ mode, name: 'second' });
    await second.get('create_task', { project_id: id, label: 'Through the first' });
    process.kill(pid, 'SIGKILL');
    const calls = ['a', 'b', 'c'].map((label) => second.get('create_task', { project_id: id, label }));
    await Promise.all(calls);
    expect(holder()).to.equal(next);
    const { tasks } = await second.get('list_tasks', { project_id: id });
    const labels = tasks.map(({ label }: { label: string }) => label);
    expect(labels).to.have.members(['After the service', 'Through the first', 'a', 'b', 'c']);
  };

  it(
    'works with the service of a running process and without one, and when either is killed',
    isServed('auto', '2026-07-28'),
  );

  rarely('does so with the earlier version of the protocol', isServed('legacy', '2025-11-25'));

  it('has a session with a client whose directories decide, unless a plan is found without them', async () => {
    const capabilities = { roots: {} };
    expect((await openHere({ capabilities }, elsewhere)).version).to.equal('2025-11-25');
    expect((await openHere({ capabilities })).version).to.equal('2026-07-28');
    expect((await openHere({}, elsewhere)).version).to.equal('2026-07-28');
  });
});
