import { expect } from 'chai';
import express from 'express';
import { request } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Authenticator } from '../../src/operations/access/authenticate.ts';
import type { CredentialScheme } from '../../src/operations/access/authenticate.ts';
import { appPage } from '../../src/pages/app-page.ts';
import type { BuiltFiles } from '../../src/pages/app-page.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body as text. */
  readonly body: string;
}

const owner = { kind: 'owner', id: 'loopback', author: 'human:G' } as const;
/** As the build leaves them: texts as Brotli alone. */
const built = (entries: Record<string, string>): BuiltFiles =>
  new Map(
    Object.entries(entries).map(([path, text]) =>
      path.endsWith('.br') ? [path, brotliCompressSync(text)] : [path, Buffer.from(text)],
    ),
  );
const script = 'let a;'.repeat(100);
const files = built({
  '/index.html.br': '<p>page</p>',
  '/assets/a.js.br': script,
  '/assets/b.css.br': 'p {}',
  '/assets/c.woff2': 'font',
  '/icon.svg.br': '<svg/>',
  '/other.html.br': 'other',
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
    app.use((incoming, _response, next) => {
      left.push(incoming.path);
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
      const outgoing = request({ port, path, method, headers, host: '127.0.0.1' }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('end', () => {
          const bytes = Buffer.concat(pieces);
          resolve({ status: response.statusCode!, headers: response.headers, bytes, body: bytes.toString() });
        });
      });
      outgoing.once('error', reject).end();
    });

  it('is sent in the encoding that the client accepts, from Brotli only', async () => {
    await serve(() => files);
    for (const [path, accepted, encoding, text] of [
      ['/assets/a.js', 'gzip, br', 'br', script],
      ['/assets/a.js', 'gzip', 'gzip', script],
      ['/assets/a.js', 'identity', undefined, script],
      ['/assets/a.js', 'deflate', undefined, script],
      ['/assets/b.css', 'gzip;q=0, br;q=0', undefined, 'p {}'],
      ['/assets/c.woff2', 'gzip, br', undefined, 'font'],
      ['/icon.svg', 'gzip, br', 'br', '<svg/>'],
    ] as const) {
      for (let times = 0; times < 2; times++) {
        const answer = await get(path, { 'Accept-Encoding': accepted });
        const decode = { br: brotliDecompressSync, gzip: gunzipSync, none: (bytes: Buffer) => bytes }[
          encoding ?? 'none'
        ];
        expect(answer.headers['content-encoding'], `${path} ${accepted}`).to.equal(encoding);
        expect(decode(answer.bytes).toString()).to.equal(text);
        expect(answer.headers['content-length']).to.equal(String(answer.bytes.length));
      }
    }
  });

  it('responds with an error, not with other bytes, if the build is damaged', async () => {
    await serve(() => new Map([...files, ['/assets/d.js.br', Buffer.from('not Brotli')]]));
    expect((await get('/assets/d.js')).status).to.equal(401);
    expect((await get('/assets/a.js')).status).to.equal(200);
  });

  it('is cached as immutable under hashed names, and revalidated otherwise', async () => {
    await serve(() => files);
    const asset = await get('/assets/a.js');
    const { date, connection, 'keep-alive': alive, 'x-powered-by': express, etag, ...headers } = asset.headers;
    expect([date, connection, alive, express]).to.have.length(4);
    expect(headers).to.deep.equal({
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(script.length),
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
    expect([head.status, head.body, head.headers['content-length']]).to.deep.equal([200, '', String(script.length)]);
    expect(left, 'handled requests are not passed on').to.deep.equal([]);
    expect(new Set(routes), 'each is a route with a name').to.deep.equal(new Set(['asset']));
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
      expect([answer.status, brotliDecompressSync(answer.bytes).toString()]).to.deep.equal([200, '<p>page</p>']);
      expect(answer.headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(answer.headers['content-security-policy']).to.include("default-src 'none'");
      expect(answer.headers['cache-control']).to.equal('no-cache');
    }
    expect((await get('/page', {}, 'HEAD')).body).to.equal('');
    expect(routes.slice(0, 2)).to.deep.equal(['/', '/']);
  });

  it('requires a credential if the service does', async () => {
    let origin: unknown;
    const scheme: CredentialScheme = {
      ...{ challenge: 'Bearer', ambient: false, guessable: false },
      matches: ({ authorization }) => authorization !== undefined,
      callerOf: ({ authorization }, asker) => {
        origin = asker;
        return Promise.resolve(authorization === 'right' ? owner : undefined);
      },
    };
    await serve(() => files, [scheme]);
    expect(await get('/page')).to.include({ status: 401, body: 'unauthorized' });
    expect(await get('/page', { Authorization: 'wrong' })).to.include({ status: 401, body: 'unauthorized' });
    expect(await get('/page', { Authorization: 'right' })).to.include({ status: 200, body: '<p>page</p>' });
    expect(origin).to.deep.equal({ transport: 'rest', baseUrl: 'http://plan.example', address: '192.0.2.1' });
    // The assets contain no user data.
    expect((await get('/assets/a.js')).status).to.equal(200);
  });

  it('is read once, as soon as it is built', async () => {
    let reads = 0;
    let there = built({ '/icon.svg.br': '<svg/>' });
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
