import { expect } from 'chai';
import express from 'express';
import { request } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Authenticator } from '../../src/operations/access/authenticate.ts';
import type { CredentialScheme } from '../../src/operations/access/authenticate.ts';
import { appPage } from '../../src/pages/app-page.ts';
import type { BuiltFiles } from '../../src/pages/app-page.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const owner = { kind: 'owner', id: 'loopback', author: 'human:G' } as const;
const built = (entries: Record<string, string>): BuiltFiles =>
  new Map(Object.entries(entries).map(([path, text]) => [path, Buffer.from(text)]));
const files = built({
  '/index.html': '<p>page</p>',
  '/index.html.br': 'page in brotli',
  '/assets/a.js': 'let a;',
  '/assets/a.js.br': 'in brotli',
  '/assets/a.js.gz': 'with gzip',
  '/assets/b.css': 'p {}',
  '/assets/b.css.gz': 'with gzip too',
  '/icon.svg': '<svg/>',
  '/other.html': 'other',
});

describe('The built page', () => {
  let server: Server | undefined;
  /** Requests that the page passed on, and the routes that it recorded. */
  let left: string[] = [];
  let routes: unknown[] = [];
  afterEach(() => server?.close());

  /** Serves the page; other requests get 404, and errors the status of their code. */
  async function serve(read: (() => BuiltFiles) | undefined, schemes: readonly CredentialScheme[] = []): Promise<void> {
    const anonymous = schemes.length === 0 ? owner : undefined;
    const { assets, page } = appPage({ authenticator: new Authenticator({ anonymous, schemes, remedy: '' }), read });
    [left, routes] = [[], []];
    const app = express();
    app.use((_request, response, next) => {
      Object.assign(response.locals, { baseUrl: 'http://plan.example', address: '192.0.2.1' });
      response.once('close', () => routes.push(response.locals['route']));
      next();
    });
    app.use(assets);
    app.use('/page', page);
    app.use((asked, _response, next) => {
      left.push(asked.path);
      next();
    });
    app.use(((error: { readonly code: string }, _request, response, _next) => {
      response.status(401).end(error.code);
    }) as express.ErrorRequestHandler);
    await new Promise<void>((resolve) => (server = app.listen(0, '127.0.0.1', () => resolve())));
  }

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = server!.address() as AddressInfo;
      const asked = request({ port, path, method, headers, host: '127.0.0.1' }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (piece: string) => (body += piece));
        response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }));
      });
      asked.once('error', reject).end();
    });

  it('is sent as it was compressed, if the browser accepts that', async () => {
    await serve(() => files);
    for (const [path, accepted, encoding, body] of [
      ['/assets/a.js', 'gzip, br', 'br', 'in brotli'],
      ['/assets/a.js', 'gzip', 'gzip', 'with gzip'],
      ['/assets/a.js', 'identity', undefined, 'let a;'],
      ['/assets/b.css', 'gzip, br', 'gzip', 'with gzip too'],
      ['/assets/b.css', 'br', undefined, 'p {}'],
      ['/icon.svg', 'gzip, br', undefined, '<svg/>'],
    ] as const) {
      const answer = await get(path, { 'Accept-Encoding': accepted });
      expect([answer.headers['content-encoding'], answer.body], `${path} ${accepted}`).to.deep.equal([encoding, body]);
      expect(answer.headers['content-length']).to.equal(String(body.length));
    }
  });

  it('is cached as immutable under hashed names, and revalidated otherwise', async () => {
    await serve(() => files);
    const asset = await get('/assets/a.js');
    const { date, connection, 'keep-alive': alive, 'x-powered-by': express, etag, ...headers } = asset.headers;
    expect([date, connection, alive, express]).to.have.length(4);
    expect(headers).to.deep.equal({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': '6',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(etag).to.match(/^"[0-9a-f]{32}"$/);
    const icon = await get('/icon.svg');
    expect(icon.headers['cache-control']).to.equal('no-cache');
    expect(icon.headers['content-type']).to.match(/^image\/svg\+xml/);
    const again = await get('/assets/a.js', { 'If-None-Match': etag! });
    expect([again.status, again.body, again.headers.etag]).to.deep.equal([304, '', etag]);
    const other = await get('/assets/a.js', { 'If-None-Match': etag!, 'Accept-Encoding': 'br' });
    expect([other.status, other.headers.etag === etag]).to.deep.equal([200, false]);
    const head = await get('/assets/a.js', {}, 'HEAD');
    expect([head.status, head.body, head.headers['content-length']]).to.deep.equal([200, '', '6']);
    expect(left, 'handled requests are not passed on').to.deep.equal([]);
  });

  it('has no document and no compressed file among its assets', async () => {
    await serve(() => files);
    for (const path of ['/', '/index.html', '/other.html', '/assets/a.js.br', '/assets/a.js.gz', '/assets/none.js'])
      expect((await get(path)).status, path).to.equal(404);
    for (const method of ['POST', 'DELETE']) expect((await get('/icon.svg', {}, method)).status).to.equal(404);
  });

  it('is one document at every path, with a policy', async () => {
    await serve(() => files);
    for (const path of ['/page', '/page/tasks/tsk_1?x']) {
      const answer = await get(path, { 'Accept-Encoding': 'gzip, br' });
      expect([answer.status, answer.body]).to.deep.equal([200, 'page in brotli']);
      expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(answer.headers['content-security-policy']).to.include("default-src 'none'");
      expect(answer.headers['cache-control']).to.equal('no-cache');
    }
    expect((await get('/page', {}, 'HEAD')).body).to.equal('');
    expect(routes.slice(0, 2)).to.deep.equal(['/', '/']);
  });

  it('requires a credential if the service does', async () => {
    let asked: unknown;
    const scheme: CredentialScheme = {
      ...{ challenge: 'Bearer', ambient: false, guessable: false },
      matches: ({ authorization }) => authorization !== undefined,
      callerOf: ({ authorization }, asker) => {
        asked = asker;
        return Promise.resolve(authorization === 'right' ? owner : undefined);
      },
    };
    await serve(() => files, [scheme]);
    expect(await get('/page')).to.include({ status: 401, body: 'unauthorized' });
    expect(await get('/page', { Authorization: 'wrong' })).to.include({ status: 401, body: 'unauthorized' });
    expect(await get('/page', { Authorization: 'right' })).to.include({ status: 200, body: '<p>page</p>' });
    expect(asked).to.deep.equal({ transport: 'rest', baseUrl: 'http://plan.example', address: '192.0.2.1' });
    // The assets contain no user data.
    expect((await get('/assets/a.js')).status).to.equal(200);
  });

  it('is read once, as soon as it is built', async () => {
    let reads = 0;
    let there = built({ '/icon.svg': '<svg/>' });
    await serve(() => {
      reads++;
      return there;
    });
    expect((await get('/icon.svg')).status).to.equal(404);
    const missing = await get('/page');
    expect(missing.status).to.equal(503);
    expect(missing.body)
      .to.include('npm run build')
      .and.match(/^<!doctype html>/);
    expect(missing.headers).to.include({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    const before = reads;
    there = files;
    for (let times = 0; times < 3; times++) expect((await get('/icon.svg')).status).to.equal(200);
    expect(reads - before).to.equal(1);
  });

  it('does not exist in a service without it', async () => {
    await serve(undefined);
    expect([(await get('/icon.svg')).status, (await get('/page')).status]).to.deep.equal([404, 503]);
  });
});
