import { expect } from 'chai';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket, connect } from 'node:net';
import { PlannerError } from '../../src/base/errors.ts';
import { countBodyFor, leaseBody } from '../../src/http/body-budget.ts';
import { limits } from '../../src/base/limits.ts';
import { HostedService, bearer } from '../support/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

const mebibyte = 1024 * 1024;

describe('Concurrent request bodies', () => {
  let hosted: HostedService;
  let sockets: Socket[] = [];
  beforeEach(async () => {
    hosted = await HostedService.start();
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await hosted.stop();
  });

  /** Announces a body of 16 MiB and sends the beginning of it. Returns a function that returns the received data. */
  const begin = (secret: string, path: string): (() => string) => {
    const { hostname, port, host } = new URL(hosted.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => (received += chunk.toString()));
    sockets.push(socket);
    const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${secret}`];
    const type = ['Content-Type: application/json', `Content-Length: ${16 * mebibyte}`];
    socket.write(`${[...head, ...type].join('\r\n')}\r\n\r\n[${' '.repeat(1000)}`);
    return () => received;
  };

  it('leave one credential no more memory than its share, and other callers theirs [A.hostile.body-budget]', async () => {
    const project = await hosted.project();
    const keys = [
      await hosted.key('agent', { project_id: project }),
      await hosted.key('agent', { project_id: project }),
    ];
    const share = limits.bodiesOfOneBytesMax / (16 * mebibyte);
    for (const path of [`/api/v1/projects/${project}/tasks`, '/mcp']) {
      const answers = Array.from({ length: 100 }, () => begin(keys[0]!.secret, path));
      while (answers.filter((received) => received() !== '').length < 100 - share)
        await new Promise((resolve) => setTimeout(resolve, 10));
      for (const received of answers.map((each) => each()).filter((text) => text !== ''))
        expect(received).to.match(/^HTTP\/1.1 429 .*\r\nRetry-After: \d+\r\n.*"rate_limited"/s);
      expect(answers.filter((received) => received() === '')).to.have.length(share);
      const refused = await new RestClient(hosted.url, bearer(keys[0]!.secret)).post(`/projects/${project}/tasks`, {});
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '5']);
      const other = new RestClient(hosted.url, bearer(keys[1]!.secret));
      expect((await other.post(`/projects/${project}/tasks`, { label: 'Dig' })).status).to.equal(201);
      for (const socket of sockets) socket.destroy();
      const again = (): Promise<{ status: number }> =>
        new RestClient(hosted.url, bearer(keys[0]!.secret)).post(`/projects/${project}/tasks`, { label: 'Dig' });
      while ((await again()).status !== 201) await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });

  it('are limited in total too, by received bytes, and release their memory [A.hostile.body-budget]', () => {
    const lease = (by: string): ReturnType<typeof leaseBody> => {
      const request = new IncomingMessage(new Socket());
      countBodyFor(request, by);
      return leaseBody(request);
    };
    const codeOf = (run: () => void): string | undefined => {
      try {
        run();
      } catch (thrown) {
        return thrown instanceof PlannerError ? thrown.code : String(thrown);
      }
      return undefined;
    };
    const leases = ['a', 'b', 'c'].map(lease);
    for (const each of leases) each.grow(limits.bodiesBytesMax / 3);
    const last = lease('d');
    expect(codeOf(() => last.grow(1))).to.equal('unavailable');
    expect(codeOf(() => leases[0]!.grow(1))).to.equal('unavailable');
    leases.pop()!.release();
    expect(codeOf(() => last.grow(1))).to.equal(undefined);
    expect(codeOf(() => leases[0]!.grow(1))).to.equal('rate_limited');
    for (const each of [...leases, last]) each.release();
    const whole = lease('a');
    expect(codeOf(() => whole.grow(limits.bodiesOfOneBytesMax))).to.equal(undefined);
    whole.release();
  });
});

describe('JSON bodies', () => {
  let service: TestService;
  let project: string;
  before(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  after(() => service.stop());

  const call = (input: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":${input}}}`;
  const mcp = async (body: string): Promise<{ status: number; text: string }> => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const response = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };
  const wide = (members: number): string =>
    `{"label":"Dig",${Array.from({ length: members }, (_, at) => `"m${at}":1`).join(',')}}`;

  it('with too many values, or members of one object, are rejected before they are parsed [A.hostile.wide]', async () => {
    const { bodyValuesMax: values_max, objectMembersMax: members_max } = limits;
    const list = (of: string): string => `[${`${of},`.repeat(values_max / 2)}${of}]`;
    for (const [body, bound] of [
      [list('[]'), { values_max }],
      [list('1,1'), { values_max }],
      [list('{"a":1}'), { members_max: limits.bodyMembersMax }],
      [wide(members_max), { members_max }],
      [`{"x":[${wide(members_max)}]}`, { members_max }],
    ] as const) {
      const { status, body: answer } = await service.rest.post(`/projects/${project}/tasks`, body);
      expect([status, answer.error]).to.deep.equal([413, 'payload_too_large']);
      expect(answer).to.include(bound);
      expect((await mcp(call(body))).status).to.equal(413);
    }
    const most = await service.rest.post(`/projects/${project}/tasks`, wide(members_max - 1));
    expect([most.status, most.body.error]).to.deep.equal([400, 'invalid_argument']);
  });

  it('with too many members in all, or a long name, are rejected before they have arrived, also in _meta [A.hostile.wide, A.loop.turns]', async () => {
    const { bodyMembersMax: members_max, memberNameBytesMax: name_bytes_max } = limits;
    // A small body is read as a whole.
    const named = `{"y":"${'p'.repeat(20_000)}","${'n'.repeat(name_bytes_max + 1)}":1}`;
    const many = `[${Array.from({ length: members_max / 9000 + 1 }, () => wide(8999)).join(',')}]`;
    const { port } = new URL(service.url);
    /** The answer to a body of which the last bytes are never sent. */
    const answerTo = async (path: string, body: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      const type = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream';
      socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${type}\r\n`);
      socket.write(`Content-Length: ${Buffer.byteLength(body) + 100}\r\n\r\n${body}`);
      try {
        const [answer] = (await once(socket, 'data')) as [Buffer];
        return answer.toString();
      } finally {
        socket.destroy();
      }
    };
    const meta = (member: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":${member}}}}`;
    for (const [of, bound] of [
      [named, `"name_bytes_max":${name_bytes_max}`],
      [many, `"members_max":${members_max}`],
    ] as const) {
      for (const [path, body] of [
        [`/api/v1/projects/${project}/tasks`, `{"label":"Dig","x":${of}`],
        ['/mcp', call(`{"x":${of}}`)],
        ['/mcp', meta(of)],
      ] as const) {
        const answer = await answerTo(path, body);
        expect(answer).to.match(/^HTTP\/1.1 413 /);
        expect(answer).to.include(bound);
      }
    }
  });

  it('with hundreds of thousands of unknown members are rejected at the first one [A.hostile.wide]', async () => {
    const input = `{"label":"Dig","x":[${Array.from({ length: 45 }, () => wide(4000)).join(',')}]}`;
    const body = `{"tasks":[${Array.from({ length: 45 }, () => wide(4000)).join(',')}],"edges":[]}`;
    const refused = await service.rest.post(`/projects/${project}/scaffold`, body);
    expect([refused.status, refused.body.error, refused.body.details.length]).to.deep.equal([
      400,
      'invalid_argument',
      1,
    ]);
    expect((await mcp(call(input))).text).to.include('invalid_argument');
    const few = await service.rest.post(`/projects/${project}/tasks`, wide(30));
    expect(few.body.details).to.have.length(limits.violationsMax);
  });

  it('with a duplicate member are rejected with its path, over both transports [A.hostile.duplicates]', async () => {
    const cases = [
      ['{"label":"first","label":"second"}', 'label'],
      ['{"label":"a","\\u006cabel":"b"}', 'label'],
      ['{"label":"a","x":{"y":[1,{"z":"\\\\","z":1}]}}', 'x.y[1].z'],
      ['{"label":"a","__proto__":1,"__proto__":2}', '__proto__'],
      ['{"label":"a","":1,"":2}', ''],
    ] as const;
    for (const [body, path] of cases) {
      const answer = await service.rest.post(`/projects/${project}/tasks`, body);
      expect([answer.status, answer.body.error, answer.body.field], body).to.deep.equal([
        400,
        'invalid_argument',
        path,
      ]);
      const refused = await mcp(call(body));
      expect(refused.status, body).to.equal(400);
      expect(refused.text).to.include('is a duplicate member');
      if (path !== '') expect(refused.text).to.include(`params.arguments.${path}`);
    }
    expect((await mcp('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}')).text).to.include('id is a duplicate member');
    expect((await service.rest.get(`/projects/${project}/tasks`)).body.tasks).to.deep.equal([]);
  });

  it('that only seem to have a duplicate member are accepted [A.hostile.duplicates]', async () => {
    const label = 'a "quoted": "label", {"label": \\ [1, 2] \\\\" end';
    const body = JSON.stringify({ label, description: '"label":"x","label":"y"\\' });
    const made = await service.rest.post(`/projects/${project}/tasks`, body);
    expect([made.status, made.body.label]).to.deep.equal([201, label]);
  });
});
