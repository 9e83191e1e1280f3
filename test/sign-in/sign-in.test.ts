import { expect } from 'chai';
import { request } from 'node:http';
import { systemClock } from '../../src/base/clock.ts';
import { limits } from '../../src/base/limits.ts';
import { Browser } from '../support/browser.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { RestClient } from '../support/rest-client.ts';

const hour = 3_600_000;

describe('Signing in with an owner key', () => {
  let hosted: HostedService;
  let browser: Browser;
  let now: number;
  const clock = { ...systemClock, now: (): number => now };

  /** The cookie of the signed-in browser, with its name. */
  const cookie = (): readonly [string, string] => {
    const [pair = ''] = browser.setCookies.at(-1)!.split(';');
    return pair.split('=') as [string, string];
  };
  const signIn = async (fields: Record<string, string> = {}): ReturnType<Browser['submit']> =>
    browser.submit(`${hosted.url}/sign-in`, { key: (await hosted.key('owner', { name: 'Grace' })).secret, ...fields });
  const api = (path: string, init?: RequestInit): Promise<Response> =>
    browser.send(`${hosted.url}/api/v1${path}`, init);

  beforeEach(async () => {
    now = Date.parse('2030-01-01T00:00:00Z');
    hosted = await HostedService.start({ clock });
    browser = new Browser();
  });

  afterEach(() => hosted.stop());

  it('has a page without script, with a policy that allows nothing else', async () => {
    const { status, headers, text } = await browser.get(`${hosted.url}/`);
    expect(status).to.equal(200);
    expect(text).to.include('<form method="post" action="/sign-in">').and.not.to.include('<script');
    expect(headers.get('content-security-policy')).to.match(
      /^default-src 'none';style-src 'sha256-[\w+/=]+';form-action 'self';base-uri 'none';frame-ancestors 'none'$/,
    );
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(headers.get('cache-control')).to.equal('no-store');
    // Under no-referrer a browser would send the form with the Origin null.
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    expect(headers.has('strict-transport-security')).to.equal(false);
  });

  it('gives the browser full access, under the name of the key [S.auth.cookie]', async () => {
    const { status, url } = await signIn({ to: '/?a=1' });
    expect([status, url]).to.deep.equal([200, `${hosted.url}/?a=1`]);
    const headers = { 'Content-Type': 'application/json', Origin: hosted.url };
    const made = await api('/projects', { method: 'POST', headers, body: '{"name": "Mine"}' });
    expect(made.status).to.equal(201);
    const { id } = (await made.json()) as { id: string };
    const task = await api(`/projects/${id}/tasks`, { method: 'POST', headers, body: '{"label": "One"}' });
    const { id: taskId } = (await task.json()) as { id: string };
    await api(`/tasks/${taskId}`, { method: 'PATCH', headers, body: '{"label": "Two"}' });
    const { body } = await hosted.owner.get(`/projects/${id}/revisions`);
    expect(body.revisions[0].author).to.equal('human:Grace');
  });

  it('rejects changes without the Origin of its own pages [D10.csrf]', async () => {
    await signIn();
    const post = async (headers: Record<string, string>): Promise<[number, string]> => {
      const all = { 'Content-Type': 'application/json', ...headers };
      const response = await api('/projects', { method: 'POST', headers: all, body: '{"name": "x"}' });
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    for (const headers of [{}, { Origin: 'null' }, { Origin: 'https://evil.example' }, { Origin: 'http://127.0.0.1' }])
      expect(await post(headers as Record<string, string>)).to.deep.equal([403, 'forbidden']);
    expect((await api('/projects')).status).to.equal(200);
    expect((await hosted.owner.get('/projects')).body.projects).to.deep.equal([]);
    const mcp = await browser.send(`${hosted.url}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(mcp.status).to.equal(403);
  });

  it('rejects forms of other pages, agent keys and invalid keys [D10.csrf]', async () => {
    const { secret } = await hosted.key('owner');
    const at = `${hosted.url}/sign-in`;
    for (const origin of ['https://evil.example', 'null'])
      expect((await browser.submit(at, { key: secret }, origin)).status).to.equal(403);
    const silent = await browser.send(at, { method: 'POST', body: new URLSearchParams({ key: secret }) });
    expect(silent.status).to.equal(403);
    const agent = await hosted.key('agent', { project_id: await hosted.project() });
    for (const key of [agent.secret, `${secret}x`, '', HostedService.admin])
      expect((await browser.submit(at, { key })).status, key).to.equal(401);
    const json = await browser.send(at, { method: 'POST', headers: { Origin: hosted.url }, body: '{}' });
    expect(json.status).to.equal(415);
    expect(browser.setCookies).to.deep.equal([]);
  });

  it('lasts while it is used, and 12 hours more [D10.cookie]', async () => {
    await signIn();
    for (let uses = 0; uses < 3; uses++) {
      now += 11 * hour;
      expect((await api('/projects')).status).to.equal(200);
    }
    await hosted.service.restart();
    expect((await api('/projects')).status, 'after a restart').to.equal(200);
    now += 12 * hour + 1;
    const { status, headers } = await api('/projects');
    expect([status, headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer realm="planner"']);
    expect((await hosted.owner.get('/sign-ins')).body.sign_ins).to.deep.equal([]);
    expect((await browser.get(`${hosted.url}/`)).url, 'the page asks again').to.include('/sign-in?to=');
  });

  it('ends by signing out, by the owner, and with its key [D10.cookie]', async () => {
    await signIn();
    const page = await browser.get(`${hosted.url}/sign-out`);
    expect(page.text).to.include('<form method="post" action="/sign-out">');
    const [name, secret] = cookie();
    expect((await browser.submit(`${hosted.url}/sign-out`, {}, 'https://evil.example')).status).to.equal(403);
    expect((await browser.submit(`${hosted.url}/sign-out`, {})).url).to.equal(`${hosted.url}/sign-in`);
    browser.setCookie('127.0.0.1', name, secret);
    expect((await api('/projects')).status, 'signed out').to.equal(401);

    browser = new Browser();
    await signIn();
    const [mine] = (await hosted.owner.get('/sign-ins')).body.sign_ins;
    expect((await hosted.owner.delete(`/sign-ins/${mine.id}`)).status).to.equal(204);
    expect((await api('/projects')).status, 'ended by the owner').to.equal(401);
    expect((await hosted.owner.delete(`/sign-ins/${mine.id}`)).body).to.include({ error: 'not_found' });

    browser = new Browser();
    await signIn();
    const [{ key_id }] = (await hosted.owner.get('/sign-ins')).body.sign_ins;
    await hosted.owner.delete(`/keys/${key_id}`);
    expect((await api('/projects')).status, 'its key was revoked').to.equal(401);
    expect((await hosted.owner.get('/sign-ins')).body.sign_ins).to.deep.equal([]);
  });

  it('replaces the cookie each time, and ends the old one [D10.cookie]', async () => {
    await signIn();
    const [name, first] = cookie();
    await signIn();
    expect(cookie()[1]).not.to.equal(first);
    const thief = new Browser();
    thief.setCookie('127.0.0.1', name, first);
    expect((await thief.send(`${hosted.url}/api/v1/projects`)).status).to.equal(401);
  });

  it('stores only a hash of the cookie, and lists sign-ins without it [D10.cookie]', async () => {
    await signIn();
    const { body } = await hosted.owner.get('/sign-ins');
    expect(body.sign_ins[0]).to.have.all.keys([
      ...['id', 'name', 'key_id', 'identity_id', 'current', 'expires_at', 'created_at', 'updated_at'],
    ]);
    expect(body.sign_ins[0].expires_at).to.equal('2030-01-01T12:00:00.000Z');
    expect(JSON.stringify(body)).not.to.include(cookie()[1]);
  });

  it('counts invalid keys, and limits their rate per address [D2.rate_limited]', async () => {
    const at = `${hosted.url}/sign-in`;
    for (let tries = 0; tries < limits.failedCredentialsPerMinuteMax; tries++)
      expect((await browser.submit(at, { key: `guess ${tries}` })).status).to.equal(401);
    const { status, headers, text } = await browser.submit(at, { key: 'one too many' });
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
    expect(text).to.include('Too many attempts');
    const { secret } = await hosted.key('owner');
    const client = new RestClient(hosted.url, bearer(`${secret}x`));
    expect((await client.get('/projects')).status).to.equal(429);
    expect(
      (await new RestClient(hosted.url, bearer(secret)).get('/projects')).status,
      '256 bits cannot be guessed',
    ).to.equal(200);
  });
});

describe('A service with an https URL', () => {
  let hosted: HostedService;

  before(async () => {
    hosted = await HostedService.start({ baseUrl: 'https://plan.example.org' });
  });

  after(() => hosted.stop());

  /** Like a proxy that terminates TLS. */
  function send(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body = '',
  ): Promise<{ status: number; headers: Record<string, string | string[] | undefined> }> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${hosted.url}${path}`,
        { method, headers: { Host: 'plan.example.org', Connection: 'close', ...headers } },
        (response) => {
          response.resume();
          response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers }));
        },
      );
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  }

  it('sets a cookie for this host only, over https only, inaccessible to scripts [D10.cookie]', async () => {
    const { secret } = await hosted.key('owner');
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://plan.example.org' };
    const { status, headers } = await send('POST', '/sign-in', form, `key=${secret}&to=%2F`);
    expect([status, headers['location']]).to.deep.equal([303, 'https://plan.example.org/']);
    const [line = ''] = headers['set-cookie'] as string[];
    expect(line).to.match(/^__Host-planner=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const [cookie = ''] = line.split(';');
    expect((await send('GET', '/api/v1/projects', { Cookie: cookie })).status).to.equal(200);
    const out = await send('POST', '/sign-out', { ...form, Cookie: cookie });
    expect(out.headers['set-cookie']).to.deep.equal([
      '__Host-planner=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    expect(out.headers['clear-site-data']).to.equal('"cache"');
    expect((await send('GET', '/api/v1/projects', { Cookie: cookie })).status).to.equal(401);
  });

  it('sends Strict-Transport-Security with every response', async () => {
    for (const path of ['/api/v1/health', '/api/v1/projects', '/mcp', '/sign-in', '/nothing'])
      expect((await send('GET', path)).headers['strict-transport-security'], path).to.equal('max-age=31536000');
  });
});
