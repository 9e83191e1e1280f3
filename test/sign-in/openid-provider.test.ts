import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import type { Claims } from '../../src/operations/access/sign-in-desk.ts';
import { OpenId } from '../../src/sign-in/openid.ts';
import { Browser } from '../support/browser.ts';
import { client, IdentityProvider } from '../support/identity-provider.ts';
import type { IdentityProviderOptions } from '../support/identity-provider.ts';
import { freePort } from '../support/server-process.ts';

const redirectUri = 'http://127.0.0.1:9/sign-in/callback';

describe('An identity provider [D10.oidc]', function () {
  this.timeout(30_000);
  let provider: IdentityProvider;

  const start = async (options: IdentityProviderOptions = {}): Promise<void> =>
    void (provider = await IdentityProvider.start(redirectUri, options));
  afterEach(() => provider.stop());

  const openId = (clientSecret: string | undefined = client.secret, issuer = provider.issuer): OpenId =>
    new OpenId({ issuer, clientId: client.id, clientSecret, redirectUri });

  /** The callback's query, and the values that it must match. */
  async function comeBack(by: OpenId): Promise<[query: string, expected: Parameters<OpenId['finish']>[1]]> {
    const { url, expected } = await by.begin();
    const browser = new Browser();
    let at = url.href;
    for (let hops = 0; hops < 10 && !at.startsWith(redirectUri); hops++)
      at = new URL((await browser.send(at)).headers.get('location')!, at).href;
    return [new URL(at).search.slice(1), expected];
  }
  const signIn = async (by: OpenId): Promise<Claims> => by.finish(...(await comeBack(by)));
  const codeOf = (attempt: Promise<unknown>): Promise<string> =>
    attempt.then(
      () => 'signed in',
      (thrown: unknown) => (thrown as PlannerError).code,
    );

  it('returns the user from the ID token or the userinfo endpoint', async () => {
    const ada = { email: 'Ada@example.org', emailVerified: true, name: 'Ada Lovelace', subject: 'ada' };
    for (const options of [{}, { inIdToken: true }, { inIdToken: true, userInfo: false }]) {
      await start(options);
      expect(await signIn(openId()), JSON.stringify(options)).to.deep.include({ ...ada, issuer: provider.issuer });
      await provider.stop();
    }
    await start({ userInfo: false });
    provider.person = { sub: 'eve', email: undefined as never, email_verified: false };
    expect(await signIn(openId())).to.include({ subject: 'eve', email: undefined });
  });

  it('ignores empty values and values that are not text', async () => {
    await start();
    provider.person = { sub: 'eve', email: '', email_verified: 'true', name: 7 as never };
    expect(await signIn(openId())).to.deep.include({
      ...{ issuer: provider.issuer, subject: 'eve', email: undefined, name: undefined },
    });
  });

  it('gets the secret by the method it supports, or none', async () => {
    for (const authMethod of ['client_secret_basic', 'client_secret_post'] as const) {
      await start({ authMethod });
      expect(await signIn(openId()), authMethod).to.include({ subject: 'ada' });
      expect(provider.shownInHeader).to.deep.equal([authMethod === 'client_secret_basic']);
      expect(await codeOf(signIn(openId('another secret')))).not.to.equal('signed in');
      await provider.stop();
    }
    await start({ authMethod: 'none' });
    const by = new OpenId({ issuer: provider.issuer, clientId: client.id, clientSecret: undefined, redirectUri });
    expect(await signIn(by)).to.include({ subject: 'ada' });
    expect(provider.shownInHeader).to.deep.equal([false]);
  });

  it('is requested with a challenge, a state and a nonce, which must match', async () => {
    await start();
    const by = openId();
    const { url, expected } = await by.begin();
    const { scope, state, nonce, ...others } = Object.fromEntries(url.searchParams);
    expect([scope, state, nonce]).to.deep.equal(['openid email profile', expected.state, expected.nonce]);
    expect(others).to.deep.include({
      ...{ client_id: client.id, redirect_uri: redirectUri, response_type: 'code', code_challenge_method: 'S256' },
    });
    for (const name of ['state', 'nonce', 'verifier'] as const) {
      const [query, own] = await comeBack(by);
      expect(await codeOf(by.finish(query, { ...own, [name]: expected[name] })), name).not.to.equal('signed in');
    }
    const [query, own] = await comeBack(by);
    expect(await by.finish(query, own)).to.include({ subject: 'ada' });
    expect(await codeOf(by.finish(query, own)), 'a code is good once').not.to.equal('signed in');
  });

  it('is rejected if it signs with another key than its published ones [A.hostile.id-token]', async () => {
    await start();
    provider.publishesOtherKeys = true;
    expect(await codeOf(signIn(openId()))).not.to.equal('signed in');
  });

  it('is discovered once, and again after a failure', async () => {
    const port = await freePort();
    const by = openId(client.secret, `http://127.0.0.1:${port}`);
    const failed = (await by.begin().catch((thrown: unknown) => thrown)) as PlannerError;
    expect(failed.code).to.equal('unavailable');
    expect(failed.message).to.match(
      /^OpenID Connect discovery at http:\/\/127\.0\.0\.1:\d+ failed \(.+\)\. Try again later\.$/,
    );
    await start({ port });
    expect(await signIn(by)).to.include({ subject: 'ada' });
    await provider.stop();
    expect((await by.begin()).url.origin).to.equal(`http://127.0.0.1:${port}`);
  });
});
