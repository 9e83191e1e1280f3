import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { recordWithSecret, digestOf, sameText, secretIndex } from '../../src/domain/people/secrets.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { callable, pathMembers, requestOf, schemaOf } from '../support/catalogue-calls.ts';
import { Browser } from '../support/browser.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { rawMcp } from '../support/mcp-client.ts';
import { PlanFiles } from '../support/plan-files.ts';
import { Random } from '../support/random.ts';
import { RandomInput } from '../support/random-input.ts';
import { TestService } from '../support/service.ts';
import { populate } from '../support/world.ts';
import type { World } from '../support/world.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A raw request, which no browser or client would send. */
function send(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: string | Uint8Array,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, setHost: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Sends bytes on a connection. Resolves with everything received until it ends. */
function speak(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => (received += chunk.toString()));
    socket.once('error', reject);
    socket.once('close', () => resolve(received));
  });
}

const mcpHeaders = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const evil = 'https://evil.example';

describe('Hostile callers of a loopback service', function () {
  this.timeout(60_000);
  let service: TestService;
  let world: World;
  let project: string;
  let host: string;
  let port: string;

  before(async () => {
    service = await TestService.start();
    world = await populate(service);
    [project] = world.ids.get('project_id')! as [string];
    ({ host, port } = new URL(service.url));
  });
  after(() => service.stop());

  const endpoints = (): readonly string[] =>
    ['/api/v1/projects', '/api/v1/health', '/mcp', '/', '/metrics', '/s/x', '/p/x', '//api/v1/projects', '/none'].map(
      (path) => service.url + path,
    );
  const sound = (operation: AnyOperation): Record<string, unknown> =>
    new RandomInput(new Random(3), world.for(operation)).members(schemaOf(operation), 0, pathMembers(operation));

  /** The bytes of every file of every project. */
  async function state(): Promise<string> {
    await service.store.flush();
    const entries = readdirSync(service.root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !entry.parentPath.includes('/local'));
    return JSON.stringify(files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')).sort());
  }

  it('cannot use another spelling of its address, on any transport [A.hostile.hosts, D10.host]', async () => {
    const hosts = [
      ...[`localhost.evil.example:${port}`, `127.0.0.1.evil.example:${port}`, `evil.example:${port}`, 'evil.example'],
      ...[`localhost.:${port}`, `127.0.0.1.:${port}`, `127.0.0.1:${port}.`, `0.0.0.0:${port}`, `[::]:${port}`],
      ...[`2130706433:${port}`, `0x7f000001:${port}`, `0177.0.0.1:${port}`, `127.1:${port}`, `127.0.0.2:${port}`],
      ...[`me@127.0.0.1:${port}`, `127.0.0.1:${port}@evil.example`, `[::ffff:127.0.0.1]:${port}`],
      ...[`[0:0:0:0:0:0:0:1]:${port}`, '127.0.0.1', `127.0.0.1:0${port}`, `127.0.0.1:${port},evil.example`],
      ...[`127.0.0.1:${Number(port) + 1}`, `http://127.0.0.1:${port}`, `127.0.0.1:${port}/`, 'localhost', ''],
    ];
    for (const url of endpoints())
      for (const Host of hosts) expect((await send(url, { Host })).status, `${url} as ${Host}`).to.equal(403);
    for (const own of [host, `localhost:${port}`, `[::1]:${port}`])
      expect((await send(`${service.url}/api/v1/health`, { Host: own })).status, own).to.equal(200);
  });

  it('cannot send a second Host, none, or an absolute URL in the request line [A.hostile.hosts, D10.host]', async () => {
    const first = 'GET /api/v1/projects HTTP/1.1\r\n';
    const end = 'Connection: close\r\n\r\n';
    const attempts = [
      `${first}Host: evil.example\r\nHost: ${host}\r\n${end}`,
      `${first}${end}`,
      `${first}Host: ${host}\r\n\tevil.example\r\n${end}`,
      `GET http://evil.example/api/v1/projects HTTP/1.1\r\nHost: ${host}\r\n${end}`,
      `GET /api/v1/projects HTTP/1.0\r\nHost: evil.example\r\n\r\n`,
      `GET /api/v1/projects HTTP/1.0\r\n\r\n`,
      `CONNECT evil.example:80 HTTP/1.1\r\nHost: ${host}\r\n${end}`,
    ];
    for (const attempt of attempts) expect(await speak(service.url, attempt)).not.to.match(/^HTTP\/1.1 2|"projects"/);
  });

  it('cannot use another origin in any spelling [A.hostile.hosts, D10.origin]', async () => {
    const origins = [
      ...['null', 'NULL', evil, `http://localhost.evil.example:${port}`, `http://127.0.0.1:${port}.evil.example`],
      ...[`https://127.0.0.1:${port}`, `http://127.0.0.1:${Number(port) + 1}`, 'http://127.0.0.1', 'http://localhost'],
      ...[`http://127.0.0.1:${port}/`, `http://me@127.0.0.1:${port}`, `http://0.0.0.0:${port}`, 'file://', ''],
      ...[
        `http://2130706433:${port}`,
        `http://[::]:${port}`,
        `http://127.0.0.1:${port}, ${evil}`,
        'chrome-extension://x',
      ],
    ];
    for (const url of endpoints())
      for (const Origin of origins)
        for (const method of ['GET', 'POST', 'OPTIONS'])
          expect((await send(url, { Host: host, Origin }, method)).status, `${method} ${url} of ${Origin}`).to.equal(
            403,
          );
  });

  it('cannot come through a proxy or tunnel that adds a header, whatever it does with Host [A.hostile.hosts, D10.forwarded]', async () => {
    const spoofed = {
      ...{
        Forwarded: 'for=192.0.2.1',
        'X-Forwarded-For': '192.0.2.1',
        'X-Forwarded-Host': 'x',
        'X-Forwarded-Proto': 'x',
      },
      ...{
        Via: '1.1 tunnel',
        'X-Real-IP': '192.0.2.1',
        'CF-Connecting-IP': '192.0.2.1',
        'True-Client-IP': '192.0.2.1',
      },
      ...{
        'CF-Ray': 'x',
        'CDN-Loop': 'cloudflare',
        'Fly-Client-IP': 'x',
        'Tailscale-User-Login': 'x',
        'X-Client-IP': 'x',
      },
    };
    for (const [name, value] of Object.entries(spoofed)) {
      const { status, text } = await send(`${service.url}/api/v1/projects`, { Host: host, [name]: value });
      expect([status, text.includes('--hosted')], name).to.deep.equal([403, true]);
    }
  });

  it('cannot change anything by a form of another site, of any type, on any route [A.hostile.forms, D10.origin]', async () => {
    const before = await state();
    const form = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n{}\r\n--x--\r\n';
    const types = {
      'text/plain': '{"label": "x", "name": "x", "a": "=b"}',
      'application/x-www-form-urlencoded': 'label=x&name=x',
      'multipart/form-data; boundary=x': form,
    };
    const routes: (readonly [string, string])[] = [
      ['POST', '/mcp'],
      ['POST', '/metrics'],
      ['POST', '/'],
      ['POST', '/sign-in'],
    ];
    for (const operation of catalogue) {
      if (operation.rest === undefined || operation.rest.method === 'GET') continue;
      const { url } = requestOf(operation, sound(operation));
      routes.push([operation.rest.method, `/api/v1${url}`], ['POST', `/api/v1/call/${operation.name}`]);
    }
    for (const path of ['/flush', '/doctor']) routes.push(['POST', `/api/v1${path}`]);
    const [link] = world.ids.get('p token')!;
    routes.push(['POST', `/p/${link}`], ['POST', `/api/v1/participate/${link}/submissions`]);
    for (const [method, path] of routes) {
      for (const [type, body] of Object.entries(types)) {
        for (const Origin of ['null', evil]) {
          const headers = { Host: host, Origin, 'Content-Type': type, 'Content-Length': String(body.length) };
          const { status, headers: answered } = await send(service.url + path, headers, method, body);
          expect(status, `${method} ${path} as ${type}`).to.equal(403);
          expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
        }
      }
      // Old browsers send no Origin: types that a form can send without preflight are rejected, except for uploads.
      const headers = { Host: host, 'Content-Type': 'text/plain', 'Content-Length': '2' };
      const { status } = await send(service.url + path, headers, method, '{}');
      expect(status, `${method} ${path} without Origin`).to.be.within(400, 415);
    }
    expect(await state()).to.equal(before);
  });

  it('cannot read or change prototypes: by no body, query or argument of any operation [A.hostile.prototypes]', async () => {
    const before = await state();
    const names = ['__proto__', 'constructor', 'prototype', 'toString'];
    for (const [operation, transport] of callable) {
      const input = JSON.stringify(sound(operation)).slice(1, -1);
      for (const name of names) {
        const hostile = `{${input}${input === '' ? '' : ', '}${JSON.stringify(name)}: {"polluted": true, "label": "x"}}`;
        const what = `${operation.name} over ${transport} with ${name}`;
        if (transport === 'MCP') {
          const call = `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "${operation.name}", "arguments": ${hostile}}}`;
          const { error, result } = (await (await rawMcp(service.url, call)).json()) as Record<
            string,
            Record<string, unknown>
          >;
          const failure = (error?.['data'] ?? result?.['structuredContent']) as { error?: string };
          expect(failure.error, what).to.equal('invalid_argument');
        } else {
          const { url, body } = requestOf(operation, sound(operation));
          const inBody = JSON.stringify(body ?? {}).slice(1, -1);
          const text = `{${inBody}${inBody === '' ? '' : ', '}${JSON.stringify(name)}: {"polluted": true}}`;
          const query = `${url}${url.includes('?') ? '&' : '?'}${name}=x`;
          const answer =
            body === undefined
              ? await service.rest.send(operation.rest!.method, query)
              : await service.rest.send(operation.rest!.method, url, text);
          expect([answer.status, answer.body?.error], what).to.deep.equal([400, 'invalid_argument']);
        }
      }
    }
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    expect(await state()).to.equal(before);
  });

  it('can name prototypes in fields that store any JSON, and get the same JSON back [A.hostile.prototypes]', async () => {
    const config = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const { status, body } = await service.rest.post(
      `/projects/${project}/views`,
      `{"name": "v", "config": ${config}}`,
    );
    expect([status, JSON.stringify(body.config)]).to.deep.equal([201, config]);
    const patched = await service.rest.patch(`/views/${body.id}`, `{"config": ${config}, "name": "w"}`);
    expect(JSON.stringify(patched.body.config)).to.equal(config);
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    await service.rest.delete(`/views/${body.id}`);
  });

  it('get an error for deep, encoded and malformed input [A.hostile.bodies, D2.unsupported_media_type]', async () => {
    const deep = 150_000;
    const texts = [
      '['.repeat(deep),
      '['.repeat(deep) + ']'.repeat(deep),
      `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`,
    ];
    texts.push(
      `{"label": ${'['.repeat(deep)}${']'.repeat(deep)}}`,
      `{"position": ${'{"x":'.repeat(deep)}`,
      `{"a":"\\u00`,
    );
    for (const text of texts) {
      const rest = await service.rest.post(`/projects/${project}/tasks`, text);
      expect([rest.status, rest.body.error], text.slice(0, 20)).to.deep.equal([400, 'invalid_argument']);
      const mcp = await rawMcp(service.url, text);
      expect(mcp.status, text.slice(0, 20)).to.equal(400);
      const argument = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_task","arguments":${text}}}`;
      expect((await rawMcp(service.url, argument)).status).to.be.oneOf([200, 400]);
    }
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const form = 'multipart/form-data; boundary=x';
    const routes = [
      ['/api/v1/projects', 'application/json'],
      ['/mcp', 'application/json'],
      [`/api/v1/projects/${project}/files`, 'application/json'],
      [`/api/v1/projects/${project}/files`, form],
      ['/api/v1/projects/import', form],
      [`/p/${world.ids.get('p token')![0]}`, 'application/x-www-form-urlencoded'],
    ] as const;
    for (const [path, type] of routes)
      for (const encoding of ['gzip', 'GZIP', 'br', 'deflate', 'zstd', 'identity, gzip', 'x-gzip', 'compress']) {
        const headers = { Host: host, 'Content-Type': type, 'Content-Encoding': encoding };
        const length = { 'Content-Length': String(bomb.length) };
        const answer = await send(service.url + path, { ...headers, ...mcpAccept, ...length }, 'POST', bomb);
        expect(answer.status, `${path} ${type} ${encoding}`).to.equal(415);
      }
    const errors = (service.log as { level?: string }[]).filter(({ level }) => level === 'error');
    expect(errors).to.deep.equal([]);
  });
  const mcpAccept = { Accept: mcpHeaders.Accept };

  it("cannot inject a header by a file's name or type, or by a request id [A.hostile.headers, D6.file-serving]", async () => {
    const names = [
      ...['a\r\nX-Injected: 1.png', 'a\nSet-Cookie: x=1', 'a";\r\n\r\n<script>', 'a"; filename="b.exe', 'a\\".png'],
      ...['üñ漢😀.png', '\u202egnp.exe', '%0d%0aX-Injected: 1', "a';b*c(d).png", ' .png', 'a\u0000b\u007f\u0085'],
    ];
    for (const filename of names) {
      const upload = { filename, mime: 'image/png', content_base64: Buffer.from(filename).toString('base64') };
      const { status, body } = await service.rest.post(`/projects/${project}/files`, upload);
      // oxlint-disable-next-line no-control-regex
      const isRefused = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\\/]/.test(filename);
      expect(status, JSON.stringify(filename)).to.equal(isRefused ? 400 : 201);
      if (status === 400) continue;
      const { headers, status: read } = await send(service.url + (body.url as string), { Host: host });
      expect(read, JSON.stringify(filename)).to.equal(200);
      const disposition = headers['content-disposition']!;
      // oxlint-disable-next-line no-control-regex
      expect(disposition).to.match(/^inline; filename="[^"\\\x00-\x1f\x7f-\uffff]*"(; filename\*=UTF-8''[\w%.~!-]*)?$/);
      const whole = /filename\*=UTF-8''(.*)$/.exec(disposition)?.[1];
      if (whole !== undefined) expect(decodeURIComponent(whole)).to.equal(body.filename);
      expect(headers).not.to.have.any.keys('x-injected', 'set-cookie');
    }
    for (const mime of ['image/png\r\nX-Injected: 1', 'image/png\n', 'text/html;\r\n a=b', 'image/p"ng', '']) {
      const { status } = await service.rest.post(`/projects/${project}/files`, {
        filename: 'a',
        mime,
        content_base64: 'QQ==',
      });
      expect(status, JSON.stringify(mime)).to.equal(400);
    }
    for (const id of ['a b', 'x'.repeat(129), 'é', '<script>']) {
      const { headers } = await send(`${service.url}/api/v1/health`, {
        Host: host,
        'X-Request-Id': Buffer.from(id).toString('latin1'),
      });
      expect(headers['x-request-id'], id)
        .to.match(/^[\w.:-]{1,128}$/)
        .and.not.equal(id);
    }
  });

  it("cannot inject a header by a file's own type, on disk either [A.hostile.headers]", async () => {
    const made = await TestService.start();
    try {
      const id = await made.project();
      const { body } = await made.rest.post(`/projects/${id}/files`, {
        filename: 'a.png',
        mime: 'image/png',
        content_base64: 'QUJD',
      });
      const files = await PlanFiles.of(made);
      const path = await files.edit(body.id as string, '"image/png"', '"image/png\\r\\nX-Injected: 1"');
      await made.restart();
      expect((await made.rest.get(`/projects/${id}/problems`)).body.problems).to.have.length(1);
      files.write(
        path,
        files.read(path).replace('\\r\\nX-Injected: 1', '').replace('"a.png"', '"a\\r\\nX-Injected: 1.png"'),
      );
      await made.restart();
      const { headers } = await send(`${made.url}${body.url as string}`, { Host: new URL(made.url).host });
      expect(headers).not.to.have.property('x-injected');
    } finally {
      await made.stop();
    }
  });
});

describe('Hostile callers of a hosted service', () => {
  let hosted: HostedService;
  beforeEach(async () => {
    hosted = await HostedService.start();
  });
  afterEach(() => hosted.stop());

  it('cannot choose a session for others: an id belongs to the credential that first made a change in it [A.hostile.sessions, D2.session-other]', async () => {
    const project_id = await hosted.project();
    const [attacker, victim] = [await hosted.key('agent', { project_id }), await hosted.key('owner')];
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const chosen = { 'Mcp-Session-Id': 'chosen-by-the-attacker' };
    const call = (secret: string): Promise<Response> => rawMcp(hosted.url, list, { ...bearer(secret), ...chosen });
    for (const { secret } of [attacker, victim]) expect((await call(secret)).status, 'nothing is in it').to.equal(200);
    const input = { name: 'create_goal', arguments: { project_id, name: 'G', objective: 'O' } };
    const change = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: input };
    await rawMcp(hosted.url, change, { ...bearer(attacker.secret), ...chosen });
    expect((await call(victim.secret)).status).to.equal(404);
    const end = await fetch(`${hosted.url}/mcp`, {
      method: 'DELETE',
      headers: { ...bearer(victim.secret), ...chosen },
    });
    expect(end.status).to.equal(404);
    expect((await call(attacker.secret)).status).to.equal(200);
    expect((await rawMcp(hosted.url, list, chosen)).status, 'an id is no credential').to.equal(401);
    for (const id of ['__proto__', 'x'.repeat(129), '../x', 'a b'])
      expect((await rawMcp(hosted.url, list, { ...bearer(victim.secret), 'Mcp-Session-Id': id })).status, id).to.equal(
        id === '__proto__' ? 200 : 404,
      );
  });

  it('cannot choose a cookie for others: a sign-in creates a new one, and the chosen one is invalid [A.hostile.sessions, D10.cookie]', async () => {
    const { secret } = await hosted.key('owner');
    const { hostname, port } = new URL(hosted.url);
    const [victim, attacker] = [new Browser(), new Browser()];
    const chosen = 'A'.repeat(43);
    for (const browser of [victim, attacker]) browser.setCookie(hostname, `planner_${port}`, chosen);
    await victim.submit(`${hosted.url}/sign-in`, { key: secret });
    const given = victim.cookie(hostname, `planner_${port}`);
    expect(given)
      .to.match(/^[\w-]{43}$/)
      .and.not.equal(chosen);
    expect((await victim.send(`${hosted.url}/api/v1/projects`)).status).to.equal(200);
    expect((await attacker.send(`${hosted.url}/api/v1/projects`)).status).to.equal(401);
    // A sign-in in a browser ends the former sign-in there, even of another user.
    attacker.setCookie(hostname, `planner_${port}`, given!);
    await victim.submit(`${hosted.url}/sign-in`, { key: secret });
    expect((await attacker.send(`${hosted.url}/api/v1/projects`)).status).to.equal(401);
  });

  it('cannot lock out callers of a loopback service by a cookie, which browsers send to all its ports [A.hostile.stray-cookie]', async () => {
    const open = await TestService.start();
    const guarded = await TestService.start({ access: { password: 'of this test' } });
    try {
      for (const service of [open, guarded]) {
        const { port, origin } = new URL(service.url);
        const basic = `Basic ${Buffer.from('planner:of this test').toString('base64')}`;
        const needed: Record<string, string> = service === guarded ? { Authorization: basic, Origin: origin } : {};
        for (const name of [`planner_${port}`, `planner_pending_${port}`]) {
          const headers = { Cookie: `${name}=stray; ${name}=`, 'Content-Type': 'application/json' };
          const projects = `${service.url}/api/v1/projects`;
          const statuses = [
            (await fetch(projects, { headers: { ...headers, ...needed } })).status,
            (await fetch(projects, { method: 'POST', headers: { ...headers, ...needed }, body: '{"name":"P"}' }))
              .status,
            (await rawMcp(service.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { ...headers, ...needed }))
              .status,
          ];
          expect(statuses, name).to.deep.equal([200, 201, 200]);
          // Nor does it authenticate anyone.
          expect((await fetch(projects, { headers })).status).to.equal(service === guarded ? 401 : 200);
        }
      }
    } finally {
      await Promise.all([open.stop(), guarded.stop()]);
    }
  });

  it('learn nothing from the time of a comparison: secrets are looked up by a part of their digest and compared in constant time [A.hostile.guessing, D10.keys]', () => {
    const secrets = ['pln_owner_a', 'pln_owner_b'];
    const records = secrets.map((secret, i) => ({
      ...{ id: `key_${i}`, created_at: '', updated_at: '' },
      secret_sha256: digestOf(secret),
    }));
    const lookups: string[] = [];
    const service = {
      by: (_: string, index: string, key: string) => {
        lookups.push(`${index} ${key}`);
        return records.filter((record) => secretIndex.bucket(record) === key);
      },
    };
    expect(recordWithSecret(service as never, 'keys', 'pln_owner_a')).to.equal(records[0]);
    expect(recordWithSecret(service as never, 'keys', 'pln_owner_')).to.equal(undefined);
    expect(lookups[0]).to.equal(`bucket ${digestOf('pln_owner_a').slice(0, 8)}`);
    // Texts of any length are compared by digests of equal length: timingSafeEqual would throw for different lengths.
    for (const [a, b] of [
      ['', ''],
      ['a', 'a'],
      ['a', 'ab'],
      ['', 'x'.repeat(10_000)],
    ] as const)
      expect(sameText(a, b)).to.equal(a === b);
    // No credential is compared with an operator that stops at the first difference.
    for (const file of [
      ...['operations/access/schemes.ts', 'domain/people/secrets.ts'],
      ...['operations/access/sign-in-desk.ts', 'domain/people/keys.ts'],
    ]) {
      const source = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8');
      expect(source, file).not.to.match(
        /(secret|token|password|admin|presented|digest|content)\)? [!=]== (?!undefined|true|false|null)/,
      );
    }
  });
});
