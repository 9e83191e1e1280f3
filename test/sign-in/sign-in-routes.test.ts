import { expect } from 'chai';
import express from 'express';
import type { Server } from 'node:http';
import { createKey } from '../../src/domain/people/keys.ts';
import { listSignIns } from '../../src/domain/people/sign-ins.ts';
import { Cookies } from '../../src/http/cookies.ts';
import { limits } from '../../src/base/limits.ts';
import { AttemptLimiter } from '../../src/operations/access/attempt-limiter.ts';
import { SignInDesk } from '../../src/operations/access/sign-in-desk.ts';
import { OpenId } from '../../src/sign-in/openid.ts';
import { signInPages } from '../../src/sign-in/sign-in.ts';
import type { SignInOptions } from '../../src/sign-in/sign-in.ts';
import { planner } from '../operations/planner.ts';
import { Browser } from '../support/browser.ts';
import type { Page } from '../support/browser.ts';
import { client, IdentityProvider } from '../support/identity-provider.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freePort } from '../support/server-process.ts';

const host = '127.0.0.1';
const start = Date.parse('2030-01-01T00:00:00.000Z');
const meta = { author: 'system', source: 'system' } as const;

/** Redirect targets in requests, and the resulting paths. */
const targets: readonly (readonly [to: string, path: string])[] = [
  ['/tasks/tsk_1?view=board#x', '/tasks/tsk_1?view=board'],
  ['', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['http://[', '/'],
  ['/sign-in', '/'],
  ['/sign-out/', '/'],
  ['/sign-in/start?to=x', '/'],
  ['/sign-ins', '/sign-ins'],
  ['/x/sign-in', '/x/sign-in'],
  [`/${'x'.repeat(1999)}`, `/${'x'.repeat(1999)}`],
  [`/${'x'.repeat(2000)}`, '/'],
];

describe('The sign-in routes [D10.cookie]', function () {
  this.timeout(20_000);
  const world = planner();
  let server: Server;
  let baseUrl: string;
  let port: number;
  let clock: ManualClock;
  let log: object[];
  let routes: unknown[];
  let browser: Browser;

  beforeEach(async () => {
    port = await freePort();
    baseUrl = `http://${host}:${port}`;
    [clock, log, routes, browser] = [new ManualClock(start), [], [], new Browser()];
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Serves the routes. Responds with 299 for other paths, and redirects to the sign-in if that is configured. */
  async function serve(more: Partial<SignInOptions> = {}): Promise<void> {
    server = await listen(port, more);
  }

  async function listen(at: number, more: Partial<SignInOptions>): Promise<Server> {
    const owners = new Set(['ada@example.org']);
    const { pages, redirectToSignIn: invite } = signInPages({
      ...{ baseUrl, clock, redirectBrowsers: false, failures: undefined, log: (entry) => void log.push(entry) },
      desk: new SignInDesk({ store: world.it.store, clock, owners, admits: () => true }),
      cookies: new Cookies(baseUrl),
      signedIn: () => Promise.resolve(undefined),
      ...more,
    });
    const app = express();
    app.use((_request, response, next) => {
      response.locals['address'] = '192.0.2.1';
      response.once('close', () => routes.push(response.locals['route']));
      next();
    });
    app.use(pages);
    app.use((request, response) => {
      if (request.path.startsWith('/invited') && invite !== undefined) invite(request, response);
      else response.status(299).end('left to others');
    });
    return new Promise((resolve) => {
      const listening = app.listen(at, host, () => resolve(listening));
    });
  }

  const key = (): Promise<string> =>
    world.it.store.updateService(
      meta,
      (tx) =>
        createKey(
          tx,
          { kind: 'owner', name: 'G' },
          { now: new Date(clock.now()).toISOString(), hasProject: () => true },
        ).secret,
    );
  const count = (): Promise<number> =>
    world.it.store.readService((service) => listSignIns(service, new Date(clock.now()).toISOString()).length);
  const post = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    browser.send(baseUrl + path, {
      ...{ method: 'POST', headers: { Origin: baseUrl, ...headers } },
      body: new URLSearchParams(fields),
    });
  const get = (path: string): Promise<Response> => browser.send(baseUrl + path);
  const session = (): string | undefined => browser.cookie(host, `planner_${port}`);
  const alertIn = (text: string): string | undefined => /<p role="alert">(.*?)<\/p>/.exec(text)?.[1];

  describe('with an owner key', () => {
    it('serve a page for it, which is not cached', async () => {
      await serve();
      const response = await get('/sign-in?to=%2Ftasks%3Fa%3D1');
      const text = await response.text();
      expect(response.status).to.equal(200);
      expect(text).to.include('<input type="hidden" name="to" value="/tasks?a=1">');
      expect(text).to.include('<input id="key" name="key"');
      expect(alertIn(text)).to.equal(undefined);
      expect(Object.fromEntries(response.headers)).to.include({
        'content-type': 'text/html; charset=utf-8',
        'content-length': String(Buffer.byteLength(text)),
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
      });
      const head = await browser.send(`${baseUrl}/sign-in`, { method: 'HEAD' });
      expect([head.status, await head.text()]).to.deep.equal([200, '']);
      expect(await (await get('/sign-out')).text()).to.include('<form method="post" action="/sign-out">');
    });

    it('handle only their own paths, and record their patterns', async () => {
      await serve();
      for (const [path, method, status, allow] of [
        ['/sign-in/none', 'GET', 404, null],
        ['/sign-in/', 'GET', 404, null],
        ['/sign-in/start', 'GET', 404, null],
        ['/sign-in/callback', 'GET', 404, null],
        ['/sign-in', 'DELETE', 405, 'GET, POST'],
        ['/sign-out', 'PUT', 405, 'GET, POST'],
        ['/sign-ins', 'GET', 299, null],
        ['/x/sign-in', 'GET', 299, null],
        ['/invited', 'GET', 299, null],
      ] as const) {
        const response = await browser.send(baseUrl + path, { method, headers: { Origin: baseUrl } });
        expect([response.status, response.headers.get('allow')], `${method} ${path}`).to.deep.equal([status, allow]);
        const alert = alertIn(await response.text());
        if (status === 404) expect(alert).to.equal(`There is no ${path} here.`);
        if (status === 405) expect(alert).to.equal(`${path} takes ${allow}.`);
      }
      expect(routes).to.include.members([undefined, '/sign-in', '/sign-out']).and.not.include('/sign-in/none');
    });

    it('sign in with a valid key, and redirect to the requested page', async () => {
      await serve();
      for (const [to, path] of targets) {
        const response = await post('/sign-in', { key: ` ${await key()}\n`, to });
        expect([response.status, response.headers.get('location')], to).to.deep.equal([303, baseUrl + path]);
        expect([response.headers.get('cache-control'), response.headers.get('content-length')]).to.deep.equal([
          ...['no-store', '0'],
        ]);
      }
      expect((await post('/sign-in', { key: await key() })).headers.get('location')).to.equal(`${baseUrl}/`);
      expect(session()).to.match(/^[\w-]{43}$/);
      expect(await count(), 'each ends the one before').to.equal(1);
    });

    it('reject every other key, show the reason on the page, and keep the redirect target', async () => {
      await serve({ failures: new AttemptLimiter('credentials', 2) });
      const attempt = async (fields: Record<string, string>): Promise<[number, string | undefined, boolean]> => {
        const response = await post('/sign-in', fields);
        const text = await response.text();
        return [response.status, alertIn(text), text.includes('value="/tasks"')];
      };
      const wrong = 'This is not a valid owner key.';
      expect(await attempt({ key: 'x', to: '/tasks' })).to.deep.equal([401, wrong, true]);
      expect(await attempt({ to: 'https://evil.example/tasks' })).to.deep.equal([401, wrong, false]);
      const [status, alert, keeps] = await attempt({ key: 'x', to: '/tasks' });
      expect([status, alert?.startsWith('Too many attempts'), keeps]).to.deep.equal([429, true, true]);
      expect((await post('/sign-in', { key: await key() })).status, '256 bits cannot be guessed').to.equal(303);
      expect((await attempt({ key: 'x'.repeat(9000) }))[0]).to.equal(413);
      const json = await browser.send(`${baseUrl}/sign-in`, {
        method: 'POST',
        headers: { Origin: baseUrl },
        body: '{}',
      });
      expect([json.status, alertIn(await json.text())]).to.deep.equal([415, 'Send the form of this page.']);
    });

    it('accept forms only from their own pages', async () => {
      await serve();
      const form = { key: await key() };
      for (const path of ['/sign-in', '/sign-out'])
        for (const Origin of ['https://evil.example', 'null', `${baseUrl}/`, '']) {
          const response = await post(path, form, { Origin });
          expect(response.status, Origin).to.equal(403);
          expect(alertIn(await response.text())).to.equal(`Only the page ${baseUrl}/sign-in may send this form.`);
        }
      expect(await count()).to.equal(0);
    });

    it('sign out every caller', async () => {
      await serve();
      await post('/sign-in', { key: await key() });
      expect(await count()).to.equal(1);
      for (let times = 0; times < 2; times++) {
        const response = await post('/sign-out', {});
        expect([response.status, response.headers.get('location')]).to.deep.equal([303, `${baseUrl}/sign-in`]);
        expect(response.headers.get('set-cookie')).to.match(/^planner_\d+=; Max-Age=0; /);
        expect(response.headers.get('clear-site-data')).to.equal('"cache"');
        expect([await count(), session()]).to.deep.equal([0, undefined]);
      }
    });

    it('redirect callers without a credential, if that is configured', async () => {
      await serve({ redirectBrowsers: true });
      const response = await get('/invited?a=1&b');
      expect([response.status, response.headers.get('location')]).to.deep.equal([
        ...[303, `${baseUrl}/sign-in?to=%2Finvited%3Fa%3D1%26b`],
      ]);
    });
  });

  describe('at an identity provider [D10.oidc]', () => {
    let provider: IdentityProvider;
    let failures: AttemptLimiter;

    beforeEach(async () => {
      const redirectUri = `${baseUrl}/sign-in/callback`;
      provider = await IdentityProvider.start(redirectUri);
      failures = new AttemptLimiter('credentials', limits.failedCredentialsPerMinuteMax);
      const { id: clientId, secret: clientSecret } = client;
      const openId = new OpenId({ issuer: provider.issuer, clientId, clientSecret, redirectUri });
      await serve({ openId: { provider: openId, host: 'id.example' }, failures });
    });
    afterEach(() => provider.stop());

    const pendingName = (): string => `planner_pending_${port}`;
    /** Goes to the provider and returns the callback URL with its code and the matching cookie, without calling it. */
    async function comeBack(to = '/'): Promise<{ readonly callback: string; readonly pending: string }> {
      const started = await get(`/sign-in/start?to=${encodeURIComponent(to)}`);
      expect(started.status).to.equal(303);
      let at = started.headers.get('location')!;
      const pending = browser.cookie(host, pendingName())!;
      for (let hops = 0; hops < 10 && !at.startsWith(`${baseUrl}/sign-in/callback`); hops++)
        at = new URL((await browser.send(at)).headers.get('location')!, at).href;
      return { callback: at, pending };
    }
    const refusal = async (page: Promise<Page>): Promise<[number, string | undefined]> => {
      const { status, text } = await page;
      return [status, alertIn(text)];
    };
    const notBegun = 'This sign-in was started in another browser or has expired. Start again.';

    it('redirect there and back, to the requested page', async () => {
      const text = await (await get('/sign-in?to=%2Ftasks')).text();
      expect(text).to.include('<a class="button" href="/sign-in/start?to=%2Ftasks">Sign in at id.example</a>');
      for (const method of ['POST', 'PUT'])
        for (const path of ['/sign-in', '/sign-in/start', '/sign-in/callback']) {
          const response = await browser.send(baseUrl + path, { method, headers: { Origin: baseUrl } });
          expect([response.status, response.headers.get('allow')]).to.deep.equal([405, 'GET']);
        }
      for (const [to, path] of targets.slice(0, 3)) {
        const { url, status } = await browser.get(`${baseUrl}/sign-in/start?to=${encodeURIComponent(to)}`);
        expect([url, status]).to.deep.equal([baseUrl + path, 299]);
      }
      expect([await count(), browser.cookie(host, pendingName())]).to.deep.equal([1, undefined]);
      expect(routes).to.include.members(['/sign-in/start', '/sign-in/callback']);
      expect(browser.setCookies.find((line) => line.startsWith(pendingName()))).to.match(/; Max-Age=600; /);
    });

    it('accept a callback within ten minutes, in the browser that was redirected', async () => {
      const { callback, pending } = await comeBack();
      clock.advance(limits.signInMinutesMax * 60_000);
      expect(await refusal(browser.get(callback))).to.deep.equal([401, notBegun]);
      clock.set(clock.now() - 1);
      for (const other of [undefined, 'made-up', `${pending.slice(0, -2)}AA`]) {
        const stranger = new Browser();
        if (other !== undefined) stranger.setCookie(host, pendingName(), other);
        expect(await refusal(stranger.get(callback))).to.deep.equal([401, notBegun]);
      }
      expect(await count()).to.equal(0);
      browser.setCookie(host, pendingName(), pending);
      expect((await browser.get(callback)).status).to.equal(299);
      expect([await count(), session()?.length]).to.deep.equal([1, 43]);
    });

    it('accept a callback at another process with the same secret', async () => {
      const { id: clientId, secret: clientSecret } = client;
      const redirectUri = `${baseUrl}/sign-in/callback`;
      const openId = new OpenId({ issuer: provider.issuer, clientId, clientSecret, redirectUri });
      for (const [first, second, status] of [
        ['s'.repeat(32), 's'.repeat(32), 303],
        ['s'.repeat(32), 't'.repeat(32), 401],
        [undefined, undefined, 401],
      ] as const) {
        const ports = [await freePort(), await freePort()];
        const servers = await Promise.all(
          [first, second].map((stateSecret, at) =>
            listen(ports[at]!, { openId: { provider: openId, host: 'id.example', stateSecret }, failures }),
          ),
        );
        const started = await browser.send(`http://${host}:${ports[0]}/sign-in/start`);
        let at = started.headers.get('location')!;
        for (let hops = 0; hops < 10 && !at.startsWith(redirectUri); hops++)
          at = new URL((await browser.send(at)).headers.get('location')!, at).href;
        const response = await browser.send(at.replace(`:${port}/`, `:${ports[1]}/`));
        expect(response.status, `${first} and ${second}`).to.equal(status);
        for (const one of servers) {
          one.closeAllConnections();
          one.close();
        }
      }
    });

    it('report that the provider signed no user in, and log the reason', async () => {
      await comeBack();
      expect(await refusal(browser.get(`${baseUrl}/sign-in/callback?code=x&state=y`))).to.deep.equal([
        ...[401, 'The identity provider did not sign you in. Start again.'],
      ]);
      expect(log).to.have.length(1);
      expect(log[0])
        .to.include({ level: 'warn', message: 'sign-in failed' })
        .and.have.all.keys(['level', 'message', 'reason', 'code']);
      provider.person = { sub: 'eve', email: 'eve@example.org', email_verified: true };
      const [status, alert] = await refusal(browser.get(`${baseUrl}/sign-in/start`));
      expect([status, alert?.includes('is not an owner')]).to.deep.equal([403, true]);
      await provider.stop();
      const after = new OpenId({
        issuer: provider.issuer,
        clientId: 'x',
        clientSecret: undefined,
        redirectUri: baseUrl,
      });
      const unanswered: unknown = await after.begin().catch((thrown: unknown) => thrown);
      expect(unanswered).to.include({ code: 'unavailable' });
    });

    it('count failed callbacks, and reject further ones', async () => {
      const { callback, pending } = await comeBack();
      const stranger = new Browser();
      for (let tries = 0; tries < limits.failedCredentialsPerMinuteMax; tries++)
        expect((await stranger.get(callback)).status).to.equal(401);
      browser.setCookie(host, pendingName(), pending);
      expect((await browser.get(callback)).status).to.equal(429);
      expect(await count()).to.equal(0);
    });

    it('limit the sign-ins per minute and address', async () => {
      for (let tries = 0; tries < limits.signInsPerMinuteMax; tries++)
        expect((await get('/sign-in/start')).status).to.equal(303);
      const refused = await get('/sign-in/start');
      expect([refused.status, refused.headers.has('retry-after')]).to.deep.equal([429, true]);
    });
  });
});
