import { expect } from 'chai';
import { createConnection } from 'node:net';
import { answerOf } from '../support/rest-client.ts';
import { ItemService } from '../support/item-service.ts';

describe('the REST transport', () => {
  let service: ItemService;
  let project: string;
  let item: string;

  before(async () => {
    service = await new ItemService().start();
    ({ project, item } = await service.plan());
  });

  after(() => service.stop());

  /** Sends bytes as they are and answers everything that comes back until the connection ends. */
  function sendRaw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(Number(new URL(service.url).port), '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
      socket.write(text);
    });
  }

  const host = (): string => new URL(service.url).host;

  describe('responds with', () => {
    it('201 with the bare resource and its warnings for a POST that creates [D2.statuses]', async () => {
      const { status, body } = await service.rest.post(`/projects/${project}/items`, { label: 'New' });
      expect(status).to.equal(201);
      expect(body).to.include({ label: 'New' });
      expect(body.warnings).to.deep.equal(['made by human:Ada']);
    });

    it('200 for GET and PATCH, 204 without a body for DELETE [D2.statuses]', async () => {
      const { body } = await service.rest.post(`/projects/${project}/items`, { label: 'New' });
      expect((await service.rest.get(`/items/${body.id}`)).status).to.equal(200);
      expect((await service.rest.patch(`/items/${body.id}`, { label: 'Newer' })).body).to.include({ label: 'Newer' });
      const gone = await service.rest.delete(`/items/${body.id}`);
      expect([gone.status, gone.body, gone.headers.get('content-type')]).to.deep.equal([204, undefined, null]);
      expect((await service.rest.get(`/items/${body.id}`)).status).to.equal(404);
    });

    it('HEAD as GET without the body', async () => {
      const get = await service.rest.get(`/items/${item}`);
      const head = await service.rest.send('HEAD', `/items/${item}`);
      expect([head.status, head.body]).to.deep.equal([200, undefined]);
      expect(head.headers.get('etag')).to.equal(get.headers.get('etag'));
      expect(head.headers.get('content-length')).to.equal(get.headers.get('content-length'));
    });

    it('304 without a body to the current tag [D1.304]', async () => {
      const { headers } = await service.rest.get(`/items/${item}`);
      const etag = headers.get('etag')!;
      expect(etag).to.match(/^"[\w-]+\.[\w-]+"$/);
      const again = await service.rest.get(`/items/${item}`, { 'If-None-Match': etag });
      expect([again.status, again.body, again.headers.get('etag')]).to.deep.equal([304, undefined, etag]);
    });

    it('the current state to a read that is repeated, before and after a change [D1.etag]', async () => {
      const read = async (url = service.url): Promise<unknown[]> => {
        const { status, headers, body } = await answerOf(await fetch(`${url}/api/v1/items/${made.id}`));
        expect(headers.get('content-length')).to.equal(String(Buffer.byteLength(JSON.stringify(body))));
        return [status, headers.get('etag'), body.label];
      };
      const { body: made } = await service.rest.post(`/projects/${project}/items`, { label: 'Größe' });
      const first = await read();
      expect(first).to.include.members([200, 'Größe']);
      expect(await read()).to.deep.equal(first);
      expect(await read(service.url.replace('127.0.0.1', 'localhost'))).to.deep.equal(first);
      await service.rest.patch(`/items/${made.id}`, { label: 'Other' });
      const changed = await read();
      expect(changed).to.include.members([200, 'Other']);
      expect(changed[1]).not.to.equal(first[1]);
      await service.rest.patch(`/items/${made.id}`, { label: 'Größe' });
      expect((await read())[2]).to.equal('Größe');
      const etag = String((await read())[1]);
      expect((await service.rest.get(`/items/${made.id}`, { 'If-None-Match': etag })).status).to.equal(304);
      await service.rest.delete(`/items/${made.id}`);
      expect((await service.rest.get(`/items/${made.id}`)).status).to.equal(404);
    });

    it('412 if If-Match names another state [D2.precondition_failed]', async () => {
      const { status, body } = await service.rest.patch(`/items/${item}`, { label: 'x' }, { 'If-Match': '"0.0"' });
      expect(status).to.equal(412);
      expect(body).to.include({ error: 'precondition_failed' });
    });

    it('the first response to a retry with the same Idempotency-Key', async () => {
      const send = (): Promise<{ status: number; body: { id: string } }> =>
        service.rest.post(`/projects/${project}/items`, { label: 'Once' }, { 'Idempotency-Key': 'rest-1' });
      const [first, again] = [await send(), await send()];
      expect(again.body).to.deep.equal(first.body);
      expect(again.status).to.equal(201);
    });

    it('with headers that keep browsers from interpreting it differently', async () => {
      const { headers } = await service.rest.get('/projects');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.include("default-src 'none'");
      expect(headers.get('x-powered-by')).to.equal(null);
      expect(headers.get('access-control-allow-origin')).to.equal(null);
    });
  });

  describe('reads', () => {
    it('query members by their schema, repeated ones as arrays', async () => {
      const { body } = await service.rest.get(`/projects/${project}/items?label=a&label=b&limit=1&verbose=true`);
      expect(body.input).to.deep.equal({ project_id: project, label: ['a', 'b'], limit: 1, verbose: true });
      const once = await service.rest.get(`/projects/${project}/items?label=a`);
      expect(once.body.input.label).to.deep.equal(['a']);
    });

    it('project_id from the query of a route without one', async () => {
      expect((await service.rest.get(`/items/${item}?project_id=${project}`)).status).to.equal(200);
      expect((await service.rest.patch(`/items/${item}?project_id=${project}`, { label: 'First' })).status).to.equal(
        200,
      );
      const other = await service.rest.get(`/items/${item}?project_id=prj_none`);
      expect(other.body).to.include({ error: 'not_found', resource: 'project' });
    });

    it('members under their wire names, and names them so in errors', async () => {
      const named = await service.rest.post(`/projects/${project}/items`, { label: 'x', note: 'kept' });
      expect(named.body.note).to.equal('kept');
      const wrong = await service.rest.post(`/projects/${project}/items`, { label: 'x', note: 5 });
      expect(wrong.body).to.include({ error: 'invalid_argument', field: 'note' });
      expect(wrong.body.details[0].field).to.equal('note');
      const inner = await service.rest.post(`/projects/${project}/items`, { label: 'x', note_line: 'kept' });
      expect(inner.body).to.include({ error: 'invalid_argument', field: 'note_line' });
    });
  });

  describe('rejects', () => {
    const refusals: Record<string, () => Promise<{ status: number; body: { error: string } }>> = {
      'an unknown member of a body': () => service.rest.post(`/projects/${project}/items`, { label: 'x', colour: 1 }),
      'an unknown member of a query': () => service.rest.get(`/projects/${project}/items?colour=1`),
      'a query member where the body has its place': () =>
        service.rest.post(`/projects/${project}/items?label=x`, { label: 'y' }),
      'a member given in path and body': () => service.rest.patch(`/items/${item}`, { item_id: item, label: 'x' }),
      'a member given in path and query': () => service.rest.get(`/items/${item}?item_id=${item}`),
      'a body that is no object': () => service.rest.post('/projects', '["name"]'),
      'a body of a GET': () =>
        sendRaw(
          `GET /api/v1/projects HTTP/1.1\r\nHost: ${host()}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
        ).then((text) => ({
          status: Number(text.split(' ')[1]),
          body: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { error: string },
        })),
      'a name that would be a prototype': () =>
        service.rest.post('/projects', '{"name": "x", "__proto__": {"name": "y"}}'),
      'text that is not UTF-8': () => service.rest.post('/projects', Buffer.from([0x22, 0xff, 0x22])),
      'a path that is not percent-encoded text': () => service.rest.get('/items/%zz'),
      'nesting without end': () => service.rest.post('/projects', `{"name": ${'['.repeat(5000)}${']'.repeat(5000)}}`),
    };
    for (const [what, send] of Object.entries(refusals)) {
      it(`${what}${what.startsWith('an unknown') ? ' [D1.unknown-members]' : ''}`, async () => {
        const { status, body } = await send();
        expect(body.error).to.equal('invalid_argument');
        expect(status).to.equal(400);
      });
    }

    it('a path that is not percent-encoded text, and an unknown one, naming them', async () => {
      expect((await service.rest.get('/items/%zz')).body).to.include({ field: 'path' });
      expect((await service.rest.get('/nothing')).body).to.include({ resource: 'route', id: '/nothing' });
    });

    it('unknown members naming the known ones as they are called there', async () => {
      const { body } = await service.rest.post(`/projects/${project}/items`, { colour: 1 });
      const { message } = body.details.find(({ field }: { field: string }) => field === 'colour');
      expect(message).to.equal('colour is not known here. Known are label, note.');
    });

    it('a body that is not JSON, with the position [D2.parse-error]', async () => {
      const { status, body } = await service.rest.post('/projects', '{"name": "x",\n "y": nope}');
      expect(status).to.equal(400);
      expect(body).to.include({ error: 'invalid_argument', line: 2, column: 7, position: 20 });
      expect(body.message).to.include('line 2, column 7');
    });

    it('another content type, charset or any encoding [D2.unsupported_media_type]', async () => {
      const refused: Record<string, string>[] = [
        { 'Content-Type': 'text/plain' },
        { 'Content-Type': 'application/x-www-form-urlencoded' },
        { 'Content-Type': 'application/json; charset=latin1' },
        { 'Content-Encoding': 'gzip' },
        { 'Content-Encoding': 'br' },
      ];
      for (const headers of refused) {
        const { status, body } = await service.rest.post('/projects', '{"name": "x"}', headers);
        expect([status, body.error], JSON.stringify(headers)).to.deep.equal([415, 'unsupported_media_type']);
      }
      const plain = await service.rest.post('/projects', '{"name": "x"}', {
        'Content-Type': 'Application/JSON; charset="UTF8"',
        'Content-Encoding': 'identity',
      });
      expect(plain.status).to.equal(201);
    });

    it('a body over 16 MiB, declared or not, and continues serving [D1.request-size] [D2.payload_too_large]', async () => {
      const big = `{"name": "${'x'.repeat(16 * 1024 * 1024)}"}`;
      const declared = await service.rest.post('/projects', big);
      expect([declared.status, declared.body.error]).to.deep.equal([413, 'payload_too_large']);
      const chunks = new ReadableStream({
        start(controller) {
          for (let at = 0; at < big.length; at += 1 << 20)
            controller.enqueue(Buffer.from(big.slice(at, at + (1 << 20))));
          controller.close();
        },
      });
      const streamed = await answerOf(
        await fetch(`${service.url}/api/v1/projects`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: chunks,
          duplex: 'half',
        }),
      );
      expect([streamed.status, streamed.body.error]).to.deep.equal([413, 'payload_too_large']);
      expect((await service.rest.get('/health')).body).to.deep.equal({ ok: true });
    });

    it('a method that the path does not accept, with Allow [D2.method_not_allowed]', async () => {
      const { status, body, headers } = await service.rest.put(`/items/${item}`, {});
      expect([status, body.error]).to.deep.equal([405, 'method_not_allowed']);
      expect(headers.get('allow')).to.equal('GET, HEAD, PATCH, DELETE');
    });

    it('an unknown path, in JSON, the former event stream included [S.events.none]', async () => {
      for (const path of ['/nothing', '/events', '/']) {
        const { status, body } = await service.rest.get(path);
        expect([status, body.error], path).to.deep.equal([404, 'not_found']);
      }
      for (const accept of ['text/event-stream', 'text/html', 'application/json']) {
        const { status, body, headers } = await service.rest.get('/events', { Accept: accept });
        expect([status, body.error, headers.get('location')], accept).to.deep.equal([404, 'not_found', null]);
      }
    });

    it('an unknown credential, with the remedy [D10.sent] [D2.unauthorized]', async () => {
      for (const authorization of ['Bearer pln_owner_nothing', 'Basic cGxhbm5lcjp4', 'nonsense', '']) {
        const { status, body, headers } = await service.rest.get('/projects', { Authorization: authorization });
        expect([status, body.error], authorization).to.deep.equal([401, 'unauthorized']);
        expect(headers.get('www-authenticate')).to.include('Bearer');
      }
    });

    it('a foreign Host, Origin or proxy on every path [D2.forbidden]', async () => {
      for (const path of ['/api/v1/health', '/mcp', '/', '/nothing']) {
        const answer = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
        expect(answer, path)
          .to.match(/^HTTP\/1\.1 403 /)
          .and.include('"error":"forbidden"');
      }
      const origin = await service.rest.post('/projects', { name: 'x' }, { Origin: 'http://evil.example' });
      expect([origin.status, origin.body.error]).to.deep.equal([403, 'forbidden']);
      const proxy = await service.rest.get('/projects', { 'X-Forwarded-For': '192.0.2.1' });
      expect([proxy.status, proxy.body.error]).to.deep.equal([403, 'forbidden']);
    });

    it('bytes that are not HTTP, in the common error format', async () => {
      expect(await sendRaw('NONSENSE\r\n\r\n'))
        .to.match(/^HTTP\/1\.1 400 /)
        .and.include('"error":"invalid_argument"');
      const long = `GET /api/v1/health HTTP/1.1\r\nHost: ${host()}\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
      expect(await sendRaw(long))
        .to.match(/^HTTP\/1\.1 431 /)
        .and.include('"error":"invalid_argument"');
    });
  });

  it('reports only the id of an internal error, under which the log has the reason [D2.internal]', async () => {
    const { status, body } = await service.rest.post(`/items/${item}/break`);
    expect(status).to.equal(500);
    expect(body.error).to.equal('internal');
    expect(JSON.stringify(body)).not.to.include('secret').and.not.include('/src/');
    const entry = service.log.find(({ id }) => id === body.id)!;
    expect(entry['text']).to.include('a secret of the service');
    expect((await service.rest.get(`/items/${item}`)).body.label).to.equal('First');
  });

  it('serves a page to browsers at /, and JSON to programs elsewhere [D2.well-known, D2.page]', async () => {
    const browser = { Accept: 'text/html,application/xhtml+xml' };
    const page = await fetch(`${service.url}/`, { headers: browser });
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.match(/^default-src 'none';script-src 'self';/);
    // These transports were opened without the built page: test/web has them with it.
    expect([page.status, await page.text()]).to.satisfy(
      ([status, text]: [number, string]) =>
        status === 503 && text.includes('npm run build') && !text.includes('<script'),
    );
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/x',
      '/register',
      '/authorize',
      '/token',
      '/api/v2/x',
    ]) {
      const { status, body } = await answerOf(await fetch(service.url + path, { headers: browser }));
      expect([status, body.error], path).to.deep.equal([404, 'not_found']);
    }
    const posted = await answerOf(await fetch(`${service.url}/`, { method: 'POST', headers: browser }));
    expect([posted.status, posted.body.error], 'no GET').to.deep.equal([404, 'not_found']);
    const response = await answerOf(await fetch(`${service.url}/`, { headers: { Accept: 'application/json' } }));
    expect([response.status, response.body.error], 'not for HTML').to.deep.equal([404, 'not_found']);
  });
});
