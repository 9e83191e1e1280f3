import { expect } from 'chai';
import { request } from 'node:http';
import { limits } from '../../src/base/limits.ts';
import { isHosted } from '../support/hosted-mode.ts';
import { bearer, HostedService } from '../support/hosted-service.ts';
import { McpClient, rawMcp } from '../support/mcp-client.ts';
import { Proxy } from '../support/proxy.ts';
import { RestClient } from '../support/rest-client.ts';
import { TestService } from '../support/service.ts';

const password = 'correct horse battery staple';
const basic = (user: string, secret: string): { Authorization: string } => ({
  Authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
});
/** The status of a POST of a new project by a browser that says the site and no Origin. */
const postedBy = (site: string, url: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const all = { ...headers, 'Sec-Fetch-Site': site, 'Content-Type': 'application/json' };
    const sent = request(url, { method: 'POST', headers: all }, (response) => resolve(response.resume().statusCode!));
    sent.once('error', reject).end('{"name":"x"}');
  });
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('a hosted service', () => {
  let hosted: HostedService;

  before(async () => {
    hosted = await HostedService.start();
  });

  after(() => hosted.stop());

  it('serves health to everyone, and nothing else without a credential, also from this machine [D10.hosted, D2.unauthorized-revoked]', async () => {
    const anonymous = new RestClient(hosted.url);
    expect((await anonymous.get('/health')).body).to.deep.equal({ ok: true });
    const project = await hosted.project();
    const paths = [
      // The readiness of a node is for balancers.
      ...(isHosted ? [] : ['/ready']),
      '/projects',
      `/projects/${project}`,
      '/openapi.json',
      '/service',
      '/keys',
      '/search?q=x',
      '/nothing',
    ];
    for (const path of paths) {
      const { status, body, headers } = await anonymous.get(path);
      expect([status, body.error], path).to.deep.equal([401, 'unauthorized']);
      expect(headers.get('www-authenticate')).to.equal('Bearer realm="planner"');
      expect(body.message).to.include('Authorization: Bearer').and.include('/sign-in');
    }
    expect((await anonymous.post('/projects', { name: 'x' })).status).to.equal(401);
    expect((await fetch(`${hosted.url}/metrics`)).status).to.equal(401);
    const page = await fetch(`${hosted.url}/`, { redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).to.deep.equal([303, `${hosted.url}/sign-in?to=%2F`]);
    const program = await fetch(`${hosted.url}/`, { headers: { Accept: 'application/json' } });
    expect(program.status, 'the page, to a program').to.equal(404);
    expect((await rawMcp(hosted.url, list)).status).to.equal(401);
    expect((await hosted.owner.get('/projects')).body.projects).to.have.length(1);
  });

  it('requires a credential before it rejects a GET of MCP [D2.mcp-get-credential]', async () => {
    expect((await fetch(`${hosted.url}/mcp`)).status).to.equal(401);
    const { status, headers } = await fetch(`${hosted.url}/mcp`, { headers: bearer(HostedService.admin) });
    expect([status, headers.get('allow')]).to.deep.equal([405, 'POST, DELETE']);
  });

  it('responds to clients that discover an authorization server that there is none', async () => {
    for (const path of ['/.well-known/oauth-protected-resource', '/register', '/authorize', '/token']) {
      const answer = await fetch(`${hosted.url}${path}`, { headers: { Accept: 'application/json' } });
      expect([answer.status, answer.headers.get('content-type')], path).to.deep.equal([
        404,
        'application/json; charset=utf-8',
      ]);
    }
  });

  it('creates links with its public address for every caller [D10.base-url]', async () => {
    const elsewhere = await HostedService.start({ baseUrl: 'https://plan.example.org' });
    try {
      const project = await elsewhere.project();
      const { id } = (await elsewhere.owner.post(`/projects/${project}/tasks`, { label: 'x' })).body;
      const { body } = await elsewhere.owner.post(`/tasks/${id}/share`, {});
      expect(body.url).to.match(/^https:\/\/plan\.example\.org\/s\//);
      const token = body.url.split('/').at(-1);
      expect(
        (await new RestClient(elsewhere.url).get(`/share/${token}.md`)).status,
        'a link needs no credential',
      ).to.equal(200);
    } finally {
      await elsewhere.stop();
    }
  });

  it('hardens its pages, and does not reveal its software', async () => {
    const { headers } = await fetch(`${hosted.url}/`, {
      headers: { Accept: 'text/html', ...bearer(HostedService.admin) },
    });
    expect(Object.fromEntries(headers)).to.include({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-permitted-cross-domain-policies': 'none',
    });
    expect(headers.has('x-powered-by')).to.equal(false);
    expect(headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.include("frame-ancestors 'none'");
  });

  it('does not redirect a browser with an invalid key to the sign-in', async () => {
    const response = await fetch(`${hosted.url}/`, {
      headers: { Accept: 'text/html', ...bearer('nothing') },
      redirect: 'manual',
    });
    expect(response.status).to.equal(401);
  });

  it('counts invalid credentials by address, and rate-limits further attempts [D2.rate_limited]', async () => {
    const guest = await HostedService.start({ trustedProxies: 1 });
    try {
      const at = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address });
      const guess = (address: string, n: number): ReturnType<RestClient['get']> =>
        new RestClient(guest.url, bearer(`pln_owner_${n}`)).get('/projects', at(address));
      for (let n = 0; n < limits.failedCredentialsPerMinuteMax; n++)
        expect((await guess('192.0.2.1', n)).status).to.equal(401);
      const { status, body, headers } = await guess('192.0.2.1', -1);
      expect([status, body.error, Number(headers.get('retry-after')) > 0]).to.deep.equal([429, 'rate_limited', true]);
      expect((await rawMcp(guest.url, list, { ...bearer('x'), ...at('192.0.2.1') })).status).to.equal(429);
      expect((await guess('192.0.2.2', 0)).status, 'another address').to.equal(401);
      expect((await guess('2001:db8::1', 0)).status).to.equal(401);
      const { secret } = await guest.key('owner');
      const client = new RestClient(guest.url, bearer(secret));
      expect((await client.get('/projects', at('192.0.2.1'))).status, 'a key that is valid').to.equal(200);
    } finally {
      await guest.stop();
    }
  });
});

describe('a hosted service with a proxy', () => {
  let proxy: Proxy;
  let hosted: HostedService;

  before(async () => {
    proxy = await Proxy.start();
    hosted = await HostedService.start({ baseUrl: proxy.url, trustedProxies: 1, password });
    proxy.target = hosted.url;
  });

  after(async () => {
    await hosted.stop();
    await proxy.stop();
  });

  it('serves REST and MCP by its own name [D10.hosted, D10.base-url, S.auth.bearer]', async () => {
    const { secret } = await hosted.key('owner');
    const rest = new RestClient(proxy.url, bearer(secret));
    expect((await rest.post('/projects', { name: 'Through' })).status).to.equal(201);
    const client = await McpClient.connect(proxy.url, { headers: bearer(secret) });
    expect((await client.get('list_projects')).projects).to.have.length(1);
    await client.close();
  });

  it('counts failures by the address that the trusted proxy reports [D10.trust-proxy]', async () => {
    proxy.caller = '198.51.100.7';
    const guess = (n: number): ReturnType<RestClient['get']> =>
      // The caller's value of the header does not affect the count of others.
      new RestClient(proxy.url, bearer(`guess-${n}`)).get('/projects', { 'X-Forwarded-For': `203.0.113.${n}` });
    for (let n = 0; n < limits.failedCredentialsPerMinuteMax; n++) await guess(n);
    expect((await guess(99)).status).to.equal(429);
    const rest = new RestClient(proxy.url, basic('planner', password));
    expect((await rest.get('/projects')).status, 'a password can be guessed').to.equal(429);
    proxy.caller = '198.51.100.8';
    expect((await rest.get('/projects')).status).to.equal(200);
  });
});

describe('HTTP basic authentication', () => {
  for (const kind of ['on loopback', 'hosted'] as const) {
    describe(kind, () => {
      let service: TestService;
      let hosted: HostedService | undefined;
      let url: string;
      const admin = HostedService.admin;

      before(async () => {
        hosted = kind === 'hosted' ? await HostedService.start({ password }) : undefined;
        service = hosted?.service ?? (await TestService.start({ access: { password, admin } }));
        url = service.url;
      });

      after(() => service.stop());

      it('is the credential of the owner, and required [D10.basic, S.auth.basic]', async () => {
        const none = await new RestClient(url).get('/projects');
        expect([none.status, none.body.error]).to.deep.equal([401, 'unauthorized']);
        expect(none.headers.get('www-authenticate')).to.equal(
          'Bearer realm="planner", Basic realm="planner", charset="UTF-8"',
        );
        expect(none.body.message).to.include('the user planner');
        const rest = new RestClient(url, basic('planner', password));
        expect((await rest.get('/projects')).status).to.equal(200);
        expect((await rest.get('/keys')).status).to.equal(200);
        const client = await service.mcp({ headers: { ...rest.headers, Origin: url } });
        expect((await client.get('list_projects')).projects).to.deep.equal([]);
        expect((await rawMcp(url, list)).status).to.equal(401);
        expect((await new RestClient(url).get('/health')).status).to.equal(200);
      });

      it('rejects other users and passwords, and malformed ones [D10.sent]', async () => {
        const wrong = [
          basic('planner', 'x'),
          basic('owner', password),
          basic('', password),
          { Authorization: 'Basic' },
          { Authorization: 'Basic !' },
        ];
        for (const headers of wrong)
          expect((await new RestClient(url).get('/projects', headers)).status, headers.Authorization).to.equal(401);
      });

      it("changes something only for programs and the service's own pages [D10.csrf]", async () => {
        const rest = new RestClient(url, basic('planner', password));
        const program = await rest.post('/projects', { name: 'x' });
        expect(program.status).to.equal(201);
        expect((await rest.delete(`/projects/${program.body.id}`)).status).to.equal(204);
        for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { Origin: '' }])
          expect((await rest.post('/projects', { name: 'x' }, headers)).status, headers.Origin).to.equal(403);
        // Browsers without an Origin: fetch() cannot set Sec-Fetch-Site.
        for (const site of ['cross-site', 'same-site', 'same-origin', 'none'])
          expect(await postedBy(site, `${url}/api/v1/projects`, rest.headers), site).to.equal(403);
        const made = await rest.post('/projects', { name: 'x' }, { Origin: url });
        expect(made.status).to.equal(201);
        expect((await rest.delete(`/projects/${made.body.id}`, { Origin: url })).status).to.equal(204);
      });

      it('is not required with a valid key or the content of local/admin [D10.basic, D10.admin]', async () => {
        const owner = new RestClient(url, bearer(admin));
        const { secret } = (await owner.post('/keys', { kind: 'owner' })).body;
        expect((await new RestClient(url, bearer(secret)).get('/projects')).status).to.equal(200);
        for (const other of [`${admin}x`, 'pln_admin_', 'pln_admin_of-another-start'])
          expect((await new RestClient(url, bearer(other)).get('/projects')).status, other).to.equal(401);
      });

      it('makes the browser prompt for the password', async () => {
        const response = await fetch(`${url}/`, { headers: { Accept: 'text/html' }, redirect: 'manual' });
        expect([response.status, response.headers.get('www-authenticate')?.includes('Basic')]).to.deep.equal([
          401,
          true,
        ]);
      });
    });
  }

  it('is rejected without a configured password [D10.sent]', async () => {
    const service = await TestService.start();
    try {
      expect((await service.rest.get('/projects', basic('planner', ''))).status).to.equal(401);
      expect((await service.rest.get('/projects', bearer(HostedService.admin))).status).to.equal(401);
      expect((await service.rest.get('/projects')).status).to.equal(200);
    } finally {
      await service.stop();
    }
  });
});
