import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import { AttemptLimiter } from '../../src/operations/access/attempt-limiter.ts';
import { Authenticator, clientName, underName, authorNamed } from '../../src/operations/access/authenticate.ts';
import type { RequestOrigin, CredentialScheme, Presented } from '../../src/operations/access/authenticate.ts';
import type { Caller } from '../../src/operations/declaration/operation.ts';

const owner: Caller = { kind: 'owner', id: 'loopback', author: 'human:G' };
const agent: Caller = { kind: 'agent', id: 'key_1', author: 'agent:a', boundTo: 'prj_a' };
const rest: RequestOrigin = { transport: 'rest' };

/** Accepts the credential `right` in its header, and no other. */
function scheme(part: keyof Presented, more: Partial<CredentialScheme> = {}): CredentialScheme {
  return {
    ambient: false,
    guessable: false,
    matches: (presented) => presented[part] !== undefined,
    callerOf: (presented) => Promise.resolve(presented[part] === 'right' ? agent : undefined),
    ...more,
  };
}

async function refusal(caller: Promise<Caller>): Promise<PlannerError> {
  try {
    await caller;
  } catch (error) {
    return error as PlannerError;
  }
  return expect.fail('It was let in.');
}

describe('The caller [D10.sent, D10.owner, D2.unauthorized]', () => {
  const bearerScheme = scheme('authorization', { challenge: 'Bearer' });

  it('is rejected without a credential, unless none is required', async () => {
    const schemes = [bearerScheme, scheme('cookie')];
    const closed = new Authenticator({ anonymous: undefined, schemes, remedy: 'Sign in.' });
    const error = await refusal(closed.authenticate({}, rest));
    expect(error.code).to.equal('unauthorized');
    expect(error.message).to.equal('A credential is required. Sign in.');
    expect(error.details).to.deep.equal({ schemes: ['Bearer'] });
    const open = new Authenticator({ anonymous: owner, schemes, remedy: '' });
    expect(await open.authenticate({}, rest)).to.equal(owner);
    expect((await refusal(open.authenticate({ authorization: 'wrong' }, rest))).code).to.equal('unauthorized');
    expect((await refusal(open.authenticate({ cookie: 'wrong' }, rest))).code).to.equal('unauthorized');
    expect(await open.authenticate({ authorization: 'right' }, rest)).to.equal(agent);
  });

  it('is rejected with an Authorization of an unknown scheme, even if none is required', async () => {
    const open = new Authenticator({ anonymous: owner, schemes: [scheme('cookie')], remedy: '' });
    const error = await refusal(open.authenticate({ authorization: 'Digest x' }, rest));
    expect(error.code).to.equal('unauthorized');
    expect(error.details).to.deep.equal({ schemes: [] });
  });

  it('is determined by the first scheme for the kind of credential', async () => {
    const both = new Authenticator({ anonymous: owner, schemes: [bearerScheme, scheme('cookie')], remedy: '' });
    expect((await refusal(both.authenticate({ authorization: 'wrong', cookie: 'right' }, rest))).code).to.equal(
      'unauthorized',
    );
  });

  it('offers each challenge once', async () => {
    const schemes = [bearerScheme, bearerScheme, scheme('cookie', { challenge: 'Basic' })];
    const error = await refusal(
      new Authenticator({ anonymous: undefined, schemes, remedy: '' }).authenticate({}, rest),
    );
    expect(error.details).to.deep.equal({ schemes: ['Bearer', 'Basic'] });
  });
});

describe('Credentials that a browser sends automatically [D10.csrf]', () => {
  const schemes = [scheme('cookie', { ambient: true }), scheme('authorization')];
  const authenticator = new Authenticator({ anonymous: undefined, schemes, remedy: '' });
  const by = (method: string | undefined, origin?: string, baseUrl?: string): Promise<Caller> =>
    authenticator.authenticate({ cookie: 'right', origin }, { transport: 'rest', method, baseUrl });

  it('can read with any Origin', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', undefined])
      expect(await by(method, 'https://evil.example', 'https://plan.example.org'), method).to.equal(agent);
  });

  it("cannot change anything without the service's own Origin", async () => {
    for (const method of ['POST', 'PATCH', 'PUT', 'DELETE', 'get', 'TRACE']) {
      expect(await by(method, 'https://plan.example.org', 'https://plan.example.org/'), method).to.equal(agent);
      for (const origin of [undefined, 'null', 'https://evil.example', 'http://plan.example.org'])
        expect((await refusal(by(method, origin, 'https://plan.example.org'))).code, origin).to.equal('forbidden');
      for (const origin of [undefined, 'https://plan.example.org'])
        expect((await refusal(by(method, origin))).code, 'without an own address').to.equal('forbidden');
    }
  });

  it('is required of programs only if there is a sign of a browser', async () => {
    const shared = scheme('authorization', { ambient: true, sentByPrograms: true });
    const open = new Authenticator({ anonymous: undefined, schemes: [shared], remedy: '' });
    const baseUrl = 'https://plan.example.org';
    const send = (page: Presented): Promise<Caller> =>
      open.authenticate({ authorization: 'right', ...page }, { transport: 'rest', method: 'POST', baseUrl });
    expect(await send({})).to.equal(agent);
    expect(await send({ origin: baseUrl, 'sec-fetch-site': 'same-origin' })).to.equal(agent);
    for (const page of [
      { origin: 'null' },
      { origin: '' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '' },
    ])
      expect((await refusal(send(page))).code, JSON.stringify(page)).to.equal('forbidden');
  });

  it('do not apply to credentials that a program has to send', async () => {
    const caller = authenticator.authenticate({ authorization: 'right' }, { transport: 'rest', method: 'POST' });
    expect(await caller).to.equal(agent);
  });
});

describe('Guessing credentials [A.hostile.guessing]', () => {
  const guessable = scheme('authorization', { guessable: true });
  const origin: RequestOrigin = { transport: 'rest', address: '192.0.2.1' };
  const tryOn = (authenticator: Authenticator, presented: Presented, from = origin): Promise<string> =>
    authenticator.authenticate(presented, from).then(
      ({ kind }) => kind,
      (error: unknown) => (error as PlannerError).code,
    );

  it('is rate-limited after too many failures with any credential, and others are not', async () => {
    const failures = new AttemptLimiter('credentials', 2);
    const authenticator = new Authenticator({ anonymous: undefined, schemes: [guessable], failures, remedy: '' });
    expect(await tryOn(authenticator, { authorization: 'right' })).to.equal('agent');
    for (let times = 0; times < 2; times++)
      expect(await tryOn(authenticator, { authorization: 'wrong' })).to.equal('unauthorized');
    expect(await tryOn(authenticator, { authorization: 'right' })).to.equal('rate_limited');
    expect(
      await tryOn(authenticator, { authorization: 'right' }, { transport: 'rest', address: '192.0.2.2' }),
    ).to.equal('agent');
    expect(await tryOn(authenticator, {})).to.equal('unauthorized');
  });

  it('is rate-limited after failures with credentials of unknown schemes', async () => {
    const failures = new AttemptLimiter('credentials', 1);
    const schemes = [scheme('cookie')];
    const authenticator = new Authenticator({ anonymous: undefined, schemes, failures, remedy: '' });
    expect(await tryOn(authenticator, { authorization: 'Digest x' })).to.equal('unauthorized');
    expect(await tryOn(authenticator, { authorization: 'Digest x' })).to.equal('rate_limited');
    expect(await tryOn(authenticator, { cookie: 'right' }), '256 bits cannot be guessed').to.equal('agent');
  });
});

describe('The author of a call [D7.author]', () => {
  it("is the client if an agent works with its owner's credential", () => {
    expect(underName(owner, { client: 'Claude' })).to.deep.equal({
      ...owner,
      author: 'agent:Claude',
    });
    expect(underName(owner, { client: undefined })).to.include({
      author: 'agent:mcp',
      kind: 'owner',
    });
    expect(underName(agent, { client: undefined })).to.equal(agent);
  });

  it('is the client or the name that an agent gives, with its key or client, which alone proves something [D7.author-key]', () => {
    const named = underName(agent, { client: 'Claude' });
    expect(named).to.deep.equal({ ...agent, author: 'agent:Claude (a)', key: 'agent:a' });
    expect(authorNamed(named, 'robo')).to.equal('agent:robo (a)');
    expect(authorNamed(agent, 'a')).to.equal('agent:a');
    expect(authorNamed({ ...owner, author: 'agent:Claude' }, 'robo')).to.equal('agent:robo (Claude)');
  });

  it('is one line of at most 100 characters', () => {
    expect(clientName('a\n\u0000b\u202e\u2028  c ')).to.equal('a b c');
    expect(clientName('\u001b]0;x\u0007')).to.equal(']0;x');
    expect(clientName(' \n ')).to.equal('mcp');
    expect(clientName('🙂'.repeat(101))).to.equal('🙂'.repeat(100));
    expect(clientName(`${'x'.repeat(99)} y`)).to.equal('x'.repeat(99));
  });
});
