import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { limits } from '../../src/base/limits.ts';
import { Browser } from '../support/browser.ts';
import { HostedService } from '../support/hosted-service.ts';
import { client, IdentityProvider } from '../support/identity-provider.ts';
import { freePort } from '../support/server-process.ts';

const host = '127.0.0.1';

describe('Signing in at an identity provider', () => {
  let provider: IdentityProvider;
  let hosted: HostedService;
  let browser: Browser;
  let owners: Set<string>;
  let trustedTenants: Set<string>;
  let port: number;

  /** The name of the session's cookie at a service on loopback. */
  const cookie = (): string => `planner_${port}`;
  const api = (path: string): Promise<Response> => browser.send(`${hosted.url}/api/v1${path}`);

  async function start({ inIdToken = false, slash = '' } = {}): Promise<void> {
    port = await freePort();
    const baseUrl = `http://${host}:${port}`;
    provider = await IdentityProvider.start(`${baseUrl}/sign-in/callback`, { inIdToken });
    owners = new Set(['ada@example.org']);
    trustedTenants = new Set();
    const openId = {
      ...{ issuer: `${provider.issuer}${slash}`, clientId: client.id, clientSecret: client.secret },
      ...{ owners, trustedTenants },
    };
    hosted = await HostedService.start({ port, baseUrl, openId, clock: systemClock });
    browser = new Browser();
  }

  beforeEach(() => start());

  afterEach(async () => {
    await hosted.stop();
    await provider.stop();
  });

  it('redirects from the page through the provider back to the requested page [D10.oidc, S.auth.cookie]', async () => {
    const redirected = await browser.get(`${hosted.url}/?view=board`);
    expect([redirected.status, redirected.url]).to.deep.equal([200, `${hosted.url}/sign-in?to=%2F%3Fview%3Dboard`]);
    const [, way = ''] = /href="([^"]+)"/.exec(redirected.text) ?? [];
    const page = await browser.get(new URL(way, hosted.url).href);
    expect([page.status, page.url]).to.deep.equal([200, `${hosted.url}/?view=board`]);
    expect((await api('/projects')).status).to.equal(200);
    const { sign_ins } = (await (await api('/sign-ins')).json()) as { sign_ins: { name: string; current: boolean }[] };
    expect(sign_ins.map(({ name, current }) => [name, current])).to.deep.equal([['Ada Lovelace', true]]);
  });

  it('reads the e-mail address from the ID token if it is there, and accepts the issuer with and without a trailing slash [D10.oidc]', async () => {
    await hosted.stop();
    await provider.stop();
    await start({ inIdToken: true, slash: '/' });
    await browser.get(`${hosted.url}/sign-in/start`);
    expect((await api('/projects')).status).to.equal(200);
  });

  it('requests a code with PKCE, a state and a nonce, and sends the secret only to the provider [D10.oidc]', async () => {
    const response = await browser.send(`${hosted.url}/sign-in/start`);
    const { searchParams } = new URL(response.headers.get('location')!);
    expect(Object.fromEntries(searchParams)).to.deep.include({
      response_type: 'code',
      client_id: client.id,
      code_challenge_method: 'S256',
      redirect_uri: `${hosted.url}/sign-in/callback`,
    });
    for (const name of ['code_challenge', 'state', 'nonce']) expect(searchParams.get(name)).to.match(/^[\w-]{43}$/);
    expect(browser.setCookies.join()).not.to.include(searchParams.get('state')).and.not.to.include(client.secret);
  });

  it("rejects an ID token that is not signed with the provider's key [A.hostile.id-token]", async () => {
    provider.publishesOtherKeys = true;
    const { text } = await browser.get(`${hosted.url}/sign-in/start`);
    expect(text).to.include('Sign in');
    expect((await api('/projects')).status).to.equal(401);
    expect(browser.cookie(host, cookie())).to.equal(undefined);
  });

  it("rejects users whose address is not an owner's or not verified [D10.oidc]", async () => {
    const refused: [object, string][] = [
      [{ email: 'eve@example.org' }, 'eve@example.org is not an owner'],
      [{ email_verified: false }, 'has not verified'],
      [{ email: undefined }, 'no e-mail address'],
    ];
    for (const [claims, reason] of refused) {
      browser = new Browser();
      provider.person = { sub: 'eve', email: 'ada@example.org', email_verified: true, ...claims };
      const { status, text } = await browser.get(`${hosted.url}/sign-in/start`);
      expect([status, text.includes(reason)], reason).to.deep.equal([403, true]);
      expect(browser.cookie(host, cookie())).to.equal(undefined);
    }
    expect((await hosted.owner.get('/identities')).body).to.deep.equal({ identities: [] });
  });

  it('knows an address that is verified by a text, or whose silent tenant is trusted [D13.sign-in]', async () => {
    const status = async (claims: object): Promise<number> => {
      provider.person = { sub: 'ada', email: 'ada@example.org', preferred_username: 'Countess', ...claims };
      return (await (browser = new Browser()).get(`${hosted.url}/sign-in/start`)).status;
    };
    expect(await status({})).to.equal(403);
    expect(await status({ email: 'eve@example.org', preferred_username: 'ada@example.org' })).to.equal(403);
    expect(await status({ email_verified: 'false' })).to.equal(403);
    trustedTenants.add(provider.issuer);
    expect(await status({ email_verified: 'false' })).to.equal(403);
    expect(await status({})).to.equal(200);
    const { sign_ins } = (await (await api('/sign-ins')).json()) as { sign_ins: { name: string }[] };
    expect(sign_ins.map(({ name }) => name)).to.deep.equal(['Countess']);
    const [identity] = (await hosted.owner.get('/identities')).body.identities;
    await hosted.owner.delete(`/identities/${identity.id}`);
    trustedTenants.clear();
    expect(await status({ email_verified: 'true' })).to.equal(200);
  });

  it('identifies a user by issuer and subject after the first sign-in, whatever the address is [D10.oidc]', async () => {
    await browser.get(`${hosted.url}/sign-in/start`);
    const [identity] = (await hosted.owner.get('/identities')).body.identities;
    expect(identity).to.include({ email: 'ada@example.org', issuer: provider.issuer, subject: 'ada' });
    provider.person = { sub: 'mallory', email: 'ada@example.org', email_verified: true };
    const other = new Browser();
    const refused = await other.get(`${hosted.url}/sign-in/start`);
    expect([refused.status, refused.text.includes('another account')]).to.deep.equal([403, true]);
    provider.person = { sub: 'ada', email: 'ada@married.example', email_verified: false };
    const again = new Browser();
    expect((await again.get(`${hosted.url}/sign-in/start`)).status).to.equal(200);
    expect((await again.send(`${hosted.url}/api/v1/projects`)).status).to.equal(200);
    expect((await hosted.owner.delete(`/identities/${identity.id}`)).status).to.equal(204);
    expect((await api('/projects')).status, 'of the forgotten identity').to.equal(401);
    expect((await hosted.owner.delete(`/identities/${identity.id}`)).status).to.equal(404);
    provider.person = { sub: 'mallory', email: 'ada@example.org', email_verified: true };
    expect((await new Browser().get(`${hosted.url}/sign-in/start`)).status).to.equal(200);
  });

  it('locks out a user who is no longer an owner, open sign-ins included [D10.oidc, D10.cookie]', async () => {
    await browser.get(`${hosted.url}/sign-in/start`);
    owners.delete('ada@example.org');
    expect((await api('/projects')).status).to.equal(401);
    const { status, text } = await browser.get(`${hosted.url}/sign-in/start`);
    expect([status, text.includes('any more')]).to.deep.equal([403, true]);
  });

  it('accepts a callback only in the browser that started it, once [D10.oidc]', async () => {
    const start = await browser.send(`${hosted.url}/sign-in/start`);
    const state = new URL(start.headers.get('location')!).searchParams.get('state')!;
    const stranger = new Browser();
    const callback = `${hosted.url}/sign-in/callback?code=x&state=${state}`;
    expect((await stranger.get(callback)).status, 'without the cookie').to.equal(401);
    expect((await browser.get(`${hosted.url}/sign-in/callback?code=x&state=other`)).status).to.equal(401);
    expect((await browser.get(callback)).status, 'the cookie is used up').to.equal(401);
    stranger.setCookie(host, `planner_pending_${port}`, 'made-up');
    expect((await stranger.get(callback)).status, 'a forged cookie').to.equal(401);
    expect(hosted.service.log.some((entry) => 'reason' in entry)).to.equal(true);
    await browser.get(`${hosted.url}/sign-in/start`);
    expect(browser.cookie(host, cookie())).to.match(/^[\w-]{43}$/);
  });

  it('gives a browser a new cookie each time, and ends the old one [D10.cookie]', async () => {
    await browser.get(`${hosted.url}/sign-in/start`);
    const first = browser.cookie(host, cookie())!;
    await browser.get(`${hosted.url}/sign-in/start`);
    expect(browser.cookie(host, cookie())).not.to.equal(first);
    const thief = new Browser();
    thief.setCookie(host, cookie(), first);
    expect((await thief.send(`${hosted.url}/api/v1/projects`)).status).to.equal(401);
    expect((await hosted.owner.get('/sign-ins')).body.sign_ins).to.have.length(1);
  });

  it('counts failed callbacks, and limits their rate per address [D2.rate_limited]', async () => {
    const callback = `${hosted.url}/sign-in/callback?code=x&state=y`;
    for (let tries = 0; tries < limits.failedCredentialsPerMinuteMax; tries++)
      expect((await browser.get(callback)).status).to.equal(401);
    const { status, headers } = await browser.get(callback);
    expect([status, headers.has('retry-after')]).to.deep.equal([429, true]);
  });

  it('starts at most 30 sign-ins a minute per address [D2.rate_limited]', async () => {
    const statuses = new Map<number, number>();
    for (let tries = 0; tries < limits.signInsPerMinuteMax + 2; tries++) {
      const { status } = await browser.send(`${hosted.url}/sign-in/start`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect([...statuses]).to.deep.equal([
      [303, 30],
      [429, 2],
    ]);
  });

  it('redirects only to its own pages afterwards', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'javascript:alert(1)',
      '/sign-out',
    ]) {
      const page = await new Browser().get(`${hosted.url}/sign-in/start?to=${encodeURIComponent(to)}`);
      expect(page.url, to).to.equal(`${hosted.url}/`);
    }
  });

  it('reports that the provider does not respond, and retries at the next sign-in', async () => {
    await provider.stop();
    const { status, text } = await browser.get(`${hosted.url}/sign-in/start`);
    expect([status, text.includes('OpenID Connect discovery')]).to.deep.equal([503, true]);
  });

  it('accepts no owner key if there is a provider', async () => {
    const { status, headers } = await browser.submit(`${hosted.url}/sign-in`, { key: 'x' });
    expect([status, headers.get('allow')]).to.deep.equal([405, 'GET']);
  });
});
