import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { Line } from '../support/bridge-line.ts';
import { Command, withoutSlowSlices } from '../support/command.ts';
import { FakeMcp, sendEvents } from '../support/fake-mcp.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { TestService } from '../support/service.ts';
import { noProblems } from '../support/no-problems.ts';
import { rarely } from '../support/rarely.ts';

// Tests look into messages of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Received = any;

describe('The protocol of planner mcp [D11.mcp]', () => {
  let stop: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    await Promise.all(stop.map((one) => one()));
    stop = [];
  });

  async function withService(): Promise<{ readonly line: Line; readonly service: TestService }> {
    const service = await TestService.start();
    const line = new Line(service.url);
    stop.push(() => line.end().then(() => service.stop()));
    return { line, service };
  }

  async function withFake(...args: Parameters<typeof FakeMcp.start>): Promise<{ line: Line; fake: FakeMcp }> {
    const fake = await FakeMcp.start(...args);
    const line = new Line(fake.url);
    stop.push(() => line.end().then(() => fake.stop()));
    return { line, fake };
  }

  it('forwards requests of every kind, and the responses unchanged', async () => {
    const { line, service } = await withService();
    const { result } = await line.initialize();
    expect(result).to.include({ protocolVersion: '2025-06-18' });
    expect(result.instructions).to.include('Working a goal');
    line.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await line.ask(1, 'ping')).result).to.deep.equal({});
    expect((await line.ask(2, 'tools/list')).result.tools[0].name).to.equal('list_projects');
    const made = await line.ask('three', 'tools/call', { name: 'create_project', arguments: { name: 'By line' } });
    expect(made.result.structuredContent.project.name).to.equal('By line');
    expect((await service.rest.get('/projects')).body.projects).to.have.length(1);
    const unknown = await line.ask(4, 'logging/setLevel');
    expect(unknown.error).to.include({ code: -32601 });
    const tool = await line.ask(5, 'tools/call', { name: 'drop_everything' });
    expect(tool.error).to.include({ code: -32602 });
    const refused = await line.ask(6, 'tools/call', { name: 'create_project', arguments: { name: ' ' } });
    expect(refused.result).to.include({ isError: true });
    expect(refused.result.structuredContent).to.include({ error: 'invalid_argument', field: 'name' });
    const meta = await line.ask(7, 'tools/call', { name: 'list_projects', _meta: 3 });
    expect(meta.error.data).to.include({ field: 'params._meta' });
  });

  it('responds to an invalid message with an error, and continues', async () => {
    const { line } = await withService();
    await line.initialize();
    line.input.write('{"jsonrpc": \n\r\n   \nnonsense\r\n');
    line.input.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
    line.send([1, 2]);
    line.send({ jsonrpc: '1.0', id: 8, method: 'ping' });
    line.send({ jsonrpc: '2.0', id: 9, method: 'ping', more: true });
    line.input.write('null\n');
    await line.ask(10, 'ping');
    const errors = line.received.filter(({ error }: Received) => error !== undefined);
    expect(errors.map(({ id, error }: Received) => [id, error.code, error.data.error])).to.deep.equal([
      [null, -32700, 'invalid_argument'],
      [null, -32700, 'invalid_argument'],
      [null, -32700, 'invalid_argument'],
      [null, -32600, 'invalid_argument'],
      [8, -32600, 'invalid_argument'],
      [9, -32600, 'invalid_argument'],
      [null, -32600, 'invalid_argument'],
    ]);
  });

  it('rejects a line that is too long, and reads the next', async () => {
    const { line } = await withService();
    line.input.write(`"${'a'.repeat(limits.requestBytesMax)}"\n`);
    const { error } = await line.next((message) => message.error !== undefined);
    expect(error.data).to.include({ error: 'payload_too_large', bytes_max: limits.requestBytesMax });
    await line.ask(1, 'ping');
  });

  it('reads messages that arrive in pieces, several together and without a last line end', async () => {
    const { line } = await withService();
    const text =
      '{"jsonrpc":"2.0","id":"é","method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n{"jsonrpc":"2.0","id":3,"method":"ping"}';
    for (const byte of Buffer.from(text)) line.input.write(Buffer.of(byte));
    line.input.end();
    await line.ended;
    expect(line.received.map(({ id }: Received) => id)).to.have.members(['é', 2, 3]);
  });

  it('responds to a batch with a batch', async () => {
    const { line } = await withService();
    await line.initialize();
    line.send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_projects' } },
    ] as never);
    const batch: Received[] = await line.next(Array.isArray);
    expect(batch.map(({ id }) => id)).to.deep.equal([1, 2]);
  });

  it('gives each call an idempotency key, and keeps one that the client has sent [D1.idempotency]', async () => {
    const { line, fake } = await withFake();
    await line.initialize();
    for (const id of [1, 2]) await line.ask(id, 'tools/call', { name: 'create_task', _meta: { progressToken: 'p' } });
    await line.ask(3, 'tools/call', { name: 'create_task', _meta: { 'planner/key': 'mine' } });
    const [first, second, third] = fake.received
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => params);
    expect(first._meta).to.include({ progressToken: 'p' });
    expect(first._meta['planner/key'])
      .to.match(/^[\w-]{24}$/)
      .and.not.equal(second._meta['planner/key']);
    expect(third._meta).to.deep.equal({ 'planner/key': 'mine' });
  });

  it('uses the session that the service started and the version that it negotiated [D2.sessions]', async () => {
    const { line, fake } = await withFake();
    await line.initialize();
    await line.ask(1, 'tools/list');
    line.input.end();
    await line.ended;
    const [, list, ended] = fake.received;
    expect(list!.headers).to.include({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-06-18' });
    expect(ended).to.deep.include({ method: 'DELETE' });
    expect(ended!.headers).to.include({ 'mcp-session-id': 'session-1' });
  });

  it('starts a new session if the service has ended the last one [D2.session-ended]', async () => {
    const { line, service } = await withService();
    await line.initialize();
    const [session] = await service.store.readService((view) => [...view.list('sessions')]);
    const id = session!.id;
    const ended = await fetch(`${service.url}/mcp`, { method: 'DELETE', headers: { 'Mcp-Session-Id': id } });
    expect(ended.status).to.equal(204);
    expect((await line.ask(1, 'tools/list')).result.tools).to.be.an('array');
  });

  it('forwards progress before the response, also from an event stream', async () => {
    const { line } = await withFake(async ({ id }, response) => {
      const progress = { progressToken: 'p', progress: 1 };
      await sendEvents(response, [
        { jsonrpc: '2.0', method: 'notifications/progress', params: progress },
        { jsonrpc: '2.0', id, result: { done: true } },
      ]);
    });
    await line.initialize();
    const { result } = await line.ask(1, 'tools/call', { name: 'slow', _meta: { progressToken: 'p' } });
    expect(result).to.deep.equal({ done: true });
    expect(line.received.at(-2)).to.deep.include({ method: 'notifications/progress' });
  });

  it('sends no response to a cancelled call, and cancels it at the service', async () => {
    let arrived = (): void => undefined;
    const requested = new Promise<void>((resolve) => (arrived = resolve));
    const { line, fake } = await withFake(({ method }) => {
      if (method !== 'tools/call') return {};
      arrived();
      return new Promise(() => undefined);
    });
    await line.initialize();
    line.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } });
    await requested;
    line.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await line.ask(2, 'tools/list');
    line.input.end();
    await line.ended;
    expect(line.received.map(({ id }: Received) => id)).to.deep.equal(['init', 2]);
    expect(fake.received.filter(({ method }) => method === 'notifications/cancelled')).to.have.length(1);
  });

  it('responds to the calls in flight when the client closes', async () => {
    let answer = (_: unknown): void => undefined;
    const { line, fake } = await withFake(() => new Promise((resolve) => (answer = resolve)));
    await line.initialize();
    line.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow' } });
    while (fake.received.length < 2) await new Promise((resolve) => setImmediate(resolve));
    line.input.end();
    answer({ late: true });
    await line.ended;
    expect(line.received.at(-1)).to.deep.equal({ jsonrpc: '2.0', id: 1, result: { late: true } });
    const brief = new Line(fake.url);
    const initialized = brief.initialize();
    brief.input.end();
    expect((await initialized).result.instructions).to.equal('Fake.');
    await brief.ended;
  });

  it('retries a call whose connection broke with the same key, and returns one response [D11.mcp-takeover]', async () => {
    let tries = 0;
    const { line, fake } = await withFake((_, response) => {
      if (++tries > 3) return { done: true };
      // Before the first byte, in the middle of the response, by a gateway.
      if (tries === 1) response.destroy();
      else if (tries === 2)
        response.writeHead(200, { 'Content-Length': 1000 }).write('{"jso', () => response.destroy());
      else response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>');
      return undefined;
    });
    await line.initialize();
    expect((await line.ask(1, 'tools/call', { name: 'create_task' })).result).to.deep.equal({ done: true });
    const keys = fake.received.flatMap(({ params }) => params?._meta?.['planner/key'] ?? []);
    expect(keys).to.have.length(4);
    expect(new Set(keys).size).to.equal(1);
    expect(line.received.filter(({ id }: Received) => id === 1)).to.have.length(1);
  });
});

describe('The process of planner mcp', () => {
  const scratch = scratchDirectory();

  rarely(
    'exits with 0 at the end of its input and on SIGTERM, and writes only protocol messages to its output [D11.mcp, D11.drain]',
    async () => {
      const init = new Command(['init'], { cwd: scratch.path });
      await init.finished;
      const input = [
        {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
        },
        {
          jsonrpc: '2.0',
          id: 2,
          method: 'tools/call',
          params: { name: 'create_project', arguments: { name: 'Piped' } },
        },
      ].map((message) => JSON.stringify(message));
      const { code, output, errors } = await new Command(['mcp'], { cwd: scratch.path, input: input.join('\n') })
        .finished;
      expect({ code, errors: withoutSlowSlices(errors) }).to.deep.equal({ code: 0, errors: '' });
      const ids = output
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id);
      expect(ids).to.deep.equal([1, 2]);
      const { output: listed } = await new Command(['call', 'list_projects', '--json'], { cwd: scratch.path }).finished;
      expect(JSON.parse(listed).projects[0].name).to.equal('Piped');
    },
  );

  it('exits on SIGTERM while a service does not respond, and reports it to the client [D11.drain]', async function () {
    this.timeout(60_000);
    const silent = await FakeMcp.start(() => new Promise(() => undefined));
    try {
      const environment = { PLANNER_URL: silent.url };
      const command = new Command(['mcp'], { cwd: scratch.path, openInput: true, environment });
      command.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_projects"}}\n');
      while (silent.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      command.signal('SIGTERM');
      const { code, output } = await command.finished;
      expect(code).to.equal(0);
      expect(JSON.parse(output).result.structuredContent).to.include({ error: 'unavailable', outcome: 'unknown' });
    } finally {
      await silent.stop();
    }
  });

  rarely('writes acknowledged changes to their files on SIGTERM [D11.drain]', async () => {
    const init = new Command(['init'], { cwd: scratch.path });
    await init.finished;
    const command = new Command(['mcp'], { cwd: scratch.path, openInput: true });
    command.write(
      `${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'create_project', arguments: { name: 'Held' } } })}\n`,
    );
    expect(JSON.parse(await command.firstLine()).result.structuredContent.project.name).to.equal('Held');
    command.signal('SIGTERM');
    expect((await command.finished).code).to.equal(0);
    const doctor = await new Command(['doctor'], { cwd: scratch.path }).finished;
    expect(doctor.output).to.equal(noProblems);
  });
});
