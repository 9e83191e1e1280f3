import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { httpApp } from '../../src/http/http-app.ts';
import type { HttpAppOptions } from '../../src/http/http-app.ts';
import { HttpServer } from '../../src/http/http-server.ts';
import { LoopbackGuard } from '../../src/http/loopback.ts';
import { withRequestLog } from '../../src/http/request-log.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const html = { Accept: 'text/html,*/*' };

/** Responds with the name of the called handler, for which path of its own, whether Express saw the request first, and from where it came. */
const answering =
  (name: string): RequestHandler =>
  ({ app, url }, response) => {
    const { baseUrl, address } = response.locals as Readonly<Record<string, unknown>>;
    response.end([name, url, app === undefined ? 'directly' : 'by Express', baseUrl, address].join(' '));
  };

/** Answers requests below a path, and leaves the rest to others. */
const below =
  (path: string, name: string): RequestHandler =>
  (...args) =>
    args[0].path.startsWith(path) ? void answering(name)(...args) : args[2]();

describe('The HTTP app', () => {
  let server: HttpServer | undefined;
  let log: Readonly<Record<string, unknown>>[] = [];
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  async function serve(options: Partial<HttpAppOptions> = {}): Promise<void> {
    log = [];
    const bound: { guard?: LoopbackGuard } = {};
    const mcp: RequestHandler = (...args) =>
      args[0].url.startsWith('/below') ? args[2]() : void answering('mcp')(...args);
    const app = httpApp({
      bound,
      secure: false,
      rest: answering('rest'),
      mcp,
      guestPages: below('/s/', 'guest pages'),
      metrics: answering('metrics'),
      assets: below('/assets/', 'assets'),
      page: answering('page'),
      log: (entry) => log.push(entry),
      ...options,
    });
    server = await HttpServer.listen({
      host: '127.0.0.1',
      port: 0,
      handler: withRequestLog(app, { clock: systemClock, onFinished: () => undefined }),
      onListening: (port) => (bound.guard = new LoopbackGuard(port)),
    });
  }

  const send = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = request({ port: server!.port, host: '127.0.0.1', path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      });
      outgoing.once('error', reject).end();
    });
  /** The handler that responds at a path, or the status and the code of the error. */
  const outcomeOf = async (path: string, headers?: Record<string, string>, method?: string): Promise<string> => {
    const { status, text } = await send(path, headers, method);
    if (status !== 200) return `${status} ${(JSON.parse(text) as { error: string }).error}`;
    return text.replace(` http://127.0.0.1:${server!.port} 127.0.0.1`, '');
  };

  it("passes each path to its handler, with the service's URL and the client address [D2.mcp-paths]", async () => {
    await serve({ signIn: { pages: below('/sign-in', 'sign-in') } });
    const served: Readonly<Record<string, string>> = {
      '/api/v1/projects?x=1': 'rest /projects?x=1 directly',
      '/api/v1/': 'rest / directly',
      '/mcp': 'mcp / directly',
      '/mcp/': 'mcp / directly',
      '/api/v1': 'rest / by Express',
      '/api/v1?x=1': 'rest /?x=1 by Express',
      '/API/v1/projects': 'rest /projects by Express',
      '/mcp?x=1': 'mcp /?x=1 by Express',
      '/MCP': 'mcp / by Express',
      '/metrics': 'metrics / by Express',
      '/s/abc': 'guest pages /s/abc by Express',
      '/assets/a.js': 'assets /assets/a.js by Express',
      '/sign-in': 'sign-in /sign-in by Express',
    };
    for (const [path, by] of Object.entries(served)) expect(await outcomeOf(path), path).to.equal(by);
  });

  it('serves the page to browsers at every path that is not for programs [D2.page, D2.well-known]', async () => {
    await serve();
    for (const path of ['/', '/goals', '/apiary', '/tokens/x', '/x/token/', '/mcps', '/sign-in'])
      expect(await outcomeOf(path, html), path).to.equal(`page ${path} by Express`);
    expect((await send('/', html, 'HEAD')).status).to.equal(200);
    // The page is served at the service's address, even to clients that accept anything.
    expect(await outcomeOf('/', { Accept: '*/*' })).to.equal('page / by Express');
    for (const Accept of ['application/json', 'application/json, */*'])
      expect(await outcomeOf('/', { Accept })).to.equal('404 not_found');
    const places = ['/api', '/.well-known', '/register', '/authorize', '/token', '/mcp/below'];
    for (const path of places.flatMap((place) => [place, `${place}/x`]))
      expect(await outcomeOf(path, html), path).to.equal('404 not_found');
    for (const [headers, method] of [
      [{}, 'GET'],
      [{ Accept: '*/*' }, 'GET'],
      [html, 'POST'],
      [html, 'DELETE'],
    ] as const)
      expect(await outcomeOf('/goals', headers, method)).to.equal('404 not_found');
    const missing = JSON.parse((await send('/goals?x')).text) as unknown;
    expect(missing).to.include({ error: 'not_found', resource: 'route', id: '/goals' });
  });

  it('rejects other hosts, other sites and two hosts before anything else [A.hostile.hosts, D2.forbidden, A.hostile.other-sites]', async () => {
    let calls = 0;
    const count: RequestHandler = (_request, response) => {
      calls++;
      response.end('{}');
    };
    await serve({ rest: count, mcp: count, page: count, metrics: count, assets: count, guestPages: count });
    const own = `127.0.0.1:${server!.port}`;
    for (const path of ['/api/v1/x', '/mcp', '/api/v1', '/mcp?x', '/metrics'])
      expect(await outcomeOf(path, { 'Sec-Fetch-Site': 'cross-site' }), path).to.equal('403 forbidden');
    for (const path of ['/api/v1/x', '/mcp', '/api/v1', '/', '/assets/a.js', '/s/x']) {
      expect(await outcomeOf(path, { ...html, Host: 'evil.example' }), path).to.equal('403 forbidden');
      const socket = connect(server!.port, '127.0.0.1');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${own}\r\nHost: ${own}\r\nConnection: close\r\n\r\n`);
      let received = '';
      for await (const chunk of socket) received += String(chunk);
      expect(received).to.match(/^HTTP\/1.1 400 .*"field":"Host"/s);
    }
    expect([calls, log]).to.deep.equal([0, []]);
  });

  it('sends an id with every response, no X-Powered-By, and a policy with pages [A.hostile.html]', async () => {
    await serve();
    for (const path of ['/', '/s/abc', '/metrics', '/assets/a.js', '/mcp?x', '/nothing']) {
      const { headers } = await send(path, { 'X-Request-Id': 'asked-1', ...(path === '/' && html) });
      expect([headers['x-request-id'], headers['x-powered-by']], path).to.deep.equal(['asked-1', undefined]);
      if (!path.startsWith('/mcp')) expect(headers['x-frame-options'], path).to.equal('DENY');
    }
  });

  it('sends Strict-Transport-Security if its URL is https [A.hostile.html]', async () => {
    for (const secure of [false, true]) {
      await serve({ secure });
      for (const path of ['/', '/api/v1/x', '/api/v1', '/mcp', '/nothing']) {
        const { headers } = await send(path, html);
        expect(headers['strict-transport-security'], path).to.equal(secure ? 'max-age=31536000' : undefined);
      }
      await server!.close();
    }
  });

  it('redirects a browser without a credential to the sign-in, and responds to programs with 401 [D10.sent]', async () => {
    const throwing =
      (code: 'unauthorized' | 'forbidden'): RequestHandler =>
      (_request, _response, next) =>
        next(new PlannerError(code, 'No.'));
    const pages = below('/sign-in', 'sign-in');
    const redirectToSignIn = (_request: unknown, response: { end: (text: string) => void }): void =>
      response.end('sign in');
    const options = { page: throwing('unauthorized'), metrics: throwing('unauthorized') };
    await serve({ ...options, signIn: { pages, redirectToSignIn } });
    expect(await outcomeOf('/', html)).to.equal('sign in');
    expect(await outcomeOf('/', { ...html, Authorization: 'Bearer x' })).to.equal('401 unauthorized');
    expect(await outcomeOf('/metrics', { Accept: 'text/plain' })).to.equal('401 unauthorized');
    for (const signIn of [undefined, { pages }]) {
      await server!.close();
      await serve({ ...options, signIn });
      const refused = await send('/', html);
      expect([refused.status, refused.headers['www-authenticate']]).to.deep.equal([401, 'Bearer realm="planner"']);
    }
    await server!.close();
    await serve({ page: throwing('forbidden'), signIn: { pages, redirectToSignIn } });
    expect(await outcomeOf('/', html)).to.equal('403 forbidden');
  });

  it('responds to an internal error with its id, and logs it with the first segment of the path [D2.internal, A.log-secrets]', async () => {
    const broken: RequestHandler = () => {
      throw new Error('broken');
    };
    await serve({ page: broken });
    const socket = connect(server!.port, '127.0.0.1');
    const own = `127.0.0.1:${server!.port}`;
    socket.write(`GET *x/secret HTTP/1.1\r\nHost: ${own}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`);
    let received = '';
    for await (const chunk of socket) received += String(chunk);
    expect(received).to.match(/^HTTP\/1.1 500 .*"error":"internal"/s);
    const { status, text } = await send('/goals/secret?secret', html);
    expect([status, (JSON.parse(text) as { id: string }).id]).to.deep.equal([500, log[1]!['id']]);
    expect(log.map(({ level, where }) => [level, where])).to.deep.equal([
      ['error', 'GET /'],
      ['error', 'GET /goals'],
    ]);
    await server!.close();
    await serve({
      bound: {
        get guard(): never {
          throw new Error('broken');
        },
      },
    });
    for (const path of ['/api/v1/secret', '/mcp']) expect(await outcomeOf(path)).to.equal('500 internal');
    expect(log.map(({ where }) => where)).to.deep.equal(['GET /api/v1', 'GET /mcp']);
  });

  it('destroys a response that fails halfway, and logs the reason [D2.internal]', async () => {
    await serve({
      page: (_request, response, next) => {
        response.write('half');
        next(new Error('broken'));
      },
    });
    const { error } = console;
    const errors: unknown[] = [];
    console.error = (...args: unknown[]) => errors.push(args);
    try {
      const outcome = await send('/', html).catch((thrown: unknown) => (thrown as NodeJS.ErrnoException).code);
      expect(outcome).to.equal('ECONNRESET');
    } finally {
      console.error = error;
    }
    expect([log.length, errors]).to.deep.equal([1, []]);
  });
});
