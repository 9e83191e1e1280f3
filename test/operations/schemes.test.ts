import { expect } from 'chai';
import { isoTime } from '../../src/base/clock.ts';
import * as identities from '../../src/domain/people/identities.ts';
import * as keys from '../../src/domain/people/keys.ts';
import * as signIns from '../../src/domain/people/sign-ins.ts';
import type { PlannerError } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';
import type { CredentialScheme } from '../../src/operations/access/authenticate.ts';
import { authentication } from '../../src/operations/access/authentication.ts';
import type { AuthenticationOptions } from '../../src/operations/access/authentication.ts';
import type { Caller } from '../../src/operations/declaration/operation.ts';
import { adminScheme, basicScheme, keyScheme, signInScheme } from '../../src/operations/access/schemes.ts';
import type { ServiceTx } from '../../src/store/record/read-transaction.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { planner } from './planner.ts';

const meta = { author: 'system', source: 'system' } as const;
const start = Date.parse('2030-01-01T00:00:00.000Z');
const owner: Caller = { kind: 'owner', id: 'loopback', author: 'human:G' };
const rest = { transport: 'rest' } as const;
const minute = 60_000;

const whose = (scheme: CredentialScheme, authorization: string): Promise<Caller | undefined> =>
  scheme.callerOf({ authorization }, rest);
/** The part of a scheme that the authenticator uses. */
const kindOf = ({ challenge, ambient, guessable }: CredentialScheme): object => ({ challenge, ambient, guessable });

describe('The credential for programs that can read the root [D10.sent]', () => {
  const scheme = adminScheme('pln_admin_right', owner);

  it('is the whole content of local/admin as a bearer token', async () => {
    expect(kindOf(scheme)).to.deep.equal({ challenge: 'Bearer', ambient: false, guessable: false });
    for (const right of ['Bearer pln_admin_right', 'bEARER   pln_admin_right  ']) {
      expect(scheme.matches({ authorization: right })).to.equal(true);
      expect(await whose(scheme, right)).to.equal(owner);
    }
    for (const wrong of ['Bearer pln_admin_righ', 'Bearer pln_admin_rightx', 'Bearer pln_admin_']) {
      expect(scheme.matches({ authorization: wrong })).to.equal(true);
      expect(await whose(scheme, wrong)).to.equal(undefined);
    }
  });

  it('is no other credential', () => {
    for (const other of [
      'Bearer pln_owner_pln_admin_',
      'Basic pln_admin_right',
      'xBearer pln_admin_right',
      'Bearer pln_admin_right x',
      'pln_admin_right',
      undefined,
    ])
      expect(scheme.matches({ authorization: other, cookie: 'Bearer pln_admin_right' }), other).to.equal(false);
  });
});

describe('The password of the owner [D10.basic]', () => {
  const scheme = basicScheme('sesame: é', owner);
  const sent = (text: string): string => Buffer.from(text).toString('base64');

  it('belongs to the user planner, by HTTP basic', async () => {
    expect(kindOf(scheme)).to.deep.equal({ challenge: 'Basic', ambient: true, guessable: true });
    for (const right of [`Basic ${sent('planner:sesame: é')}`, `bASIC  ${sent('planner:sesame: é')}  `])
      expect(await whose(scheme, right)).to.deep.equal({ ...owner, id: 'basic' });
    for (const wrong of [
      `Basic ${sent('planner:sesame: e')}`,
      `Basic ${sent('Planner:sesame: é')}`,
      `Basic ${sent('planner:sesame: é')} x`,
      `xBasic ${sent('planner:sesame: é')}`,
      'Basic',
    ])
      expect(await whose(scheme, wrong), wrong).to.equal(undefined);
    expect(await scheme.callerOf({}, rest)).to.equal(undefined);
  });

  it('is presented by every Basic header and by no other', () => {
    for (const authorization of ['Basic', 'basic ', 'BASIC x'])
      expect(scheme.matches({ authorization })).to.equal(true);
    for (const authorization of ['Basicx', 'x Basic y', 'Bearer x', undefined])
      expect(scheme.matches({ authorization }), authorization).to.equal(false);
  });
});

describe('The credentials that the service stores [D10.keys, D10.cookie]', () => {
  const world = planner();
  let clock: ManualClock;
  const iso = (): string => isoTime(clock.now());
  const change = <T>(fn: (tx: ServiceTx) => T): Promise<T> => world.it.store.updateService(meta, fn);
  const make = (input: object): Promise<keys.MadeKey> =>
    change((tx) => keys.createKey(tx, input as never, { now: iso(), hasProject: () => true }));

  beforeEach(() => void (clock = new ManualClock(start)));

  it('are keys: an owner’s for everything, an agent’s for its project', async () => {
    const scheme = keyScheme(world.it.store);
    expect(kindOf(scheme)).to.deep.equal({ challenge: 'Bearer', ambient: false, guessable: false });
    const [mine, agents] = [
      await make({ kind: 'owner', name: 'laptop' }),
      await make({ kind: 'agent', name: 'coder', project_id: 'prj_a' }),
    ];
    expect(await whose(scheme, `Bearer ${mine.secret}`)).to.deep.equal({
      ...{ kind: 'owner', id: mine.key.id, author: 'human:laptop' },
    });
    expect(await whose(scheme, `Bearer ${agents.secret}`)).to.deep.equal({
      ...{ kind: 'agent', id: agents.key.id, author: 'agent:coder', boundTo: 'prj_a' },
    });
    expect(await whose(scheme, 'Bearer unknown')).to.equal(undefined);
    expect(['Bearer x', 'Basic x', undefined].map((authorization) => scheme.matches({ authorization }))).to.deep.equal([
      ...[true, false, false],
    ]);
  });

  describe('are cookies of browsers', () => {
    let isAdmitted = true;
    let checked: unknown[] = [];
    const scheme = (): CredentialScheme =>
      signInScheme({
        ...{ store: world.it.store, clock, cookie: () => 'session' },
        admits: (identity) => {
          checked.push(identity);
          return isAdmitted;
        },
      });
    const callerOf = (secret: string): Promise<Caller | undefined> =>
      scheme().callerOf({ cookie: `a=b; session=${secret}` }, rest);
    const begin = (by: 'key' | 'identity', id: string): Promise<signIns.MadeSignIn> =>
      change((tx) => signIns.beginSignIn(tx, { by, by_id: id, name: 'Grace' }, iso()));

    beforeEach(() => {
      isAdmitted = true;
      checked = [];
    });

    it('if no Authorization header is sent', () => {
      expect(kindOf(scheme())).to.deep.equal({ challenge: undefined, ambient: true, guessable: false });
      expect(scheme().matches({ cookie: 'session=x' })).to.equal(true);
      for (const presented of [{ cookie: 'session=x', authorization: '' }, { cookie: 'other=x' }, {}])
        expect(scheme().matches(presented)).to.equal(false);
    });

    it('that were signed in by a key that is still valid', async () => {
      const { key } = await make({ kind: 'owner', name: 'laptop' });
      const { signIn, secret } = await begin('key', key.id);
      expect(await callerOf(secret)).to.deep.equal({ kind: 'owner', id: signIn.id, author: 'human:Grace' });
      expect(await callerOf(`${secret}x`)).to.equal(undefined);
      expect(checked).to.deep.equal([]);
      await change((tx) => tx.remove(keys.keyCollection.name, key.id));
      expect(await callerOf(secret)).to.equal(undefined);
    });

    it('that were signed in by an identity that may still sign in', async () => {
      const claims = { issuer: 'https://id.example', subject: '1', email: 'g@x.example', emailVerified: true };
      const admitted = await change((tx) =>
        identities.admitIdentity(tx, { ...claims, name: undefined }, { owners: new Set(['g@x.example']) }, iso()),
      );
      const { signIn, secret } = await begin('identity', admitted.id);
      expect(await callerOf(secret)).to.include({ id: signIn.id });
      expect(checked).to.deep.equal([admitted]);
      isAdmitted = false;
      expect(await callerOf(secret)).to.equal(undefined);
      isAdmitted = true;
      await change((tx) => tx.remove(identities.identityCollection.name, admitted.id));
      expect(await callerOf(secret)).to.equal(undefined);
    });

    it('until they were idle too long; use is recorded every five minutes', async () => {
      const { key } = await make({ kind: 'owner', name: 'laptop' });
      const { signIn, secret } = await begin('key', key.id);
      const noted = async (): Promise<string> =>
        (await world.it.store.readService((view) => signIns.signInWith(view, secret, iso())))!.updated_at;
      clock.advance(5 * minute);
      await callerOf(secret);
      expect(await noted()).to.equal(signIn.updated_at);
      clock.advance(1);
      await callerOf(secret);
      expect(await noted()).to.equal(iso());
      clock.advance(limits.signInIdleHours * 60 * minute);
      expect(await callerOf(secret)).to.equal(undefined);
    });
  });

  describe('are accepted according to the settings [D10.owner, D10.hosted]', () => {
    const all = (more: Partial<AuthenticationOptions>): ReturnType<typeof authentication> =>
      authentication({
        ...{ store: world.it.store, clock, cookie: () => 'session', admits: () => true },
        ...{ owner: 'G', defaultProject: undefined, hosted: false, ...more },
      });
    const caller = (more: Partial<AuthenticationOptions>, presented: object = {}): Promise<unknown> =>
      all(more)
        .authenticator.authenticate(presented, rest)
        .catch((thrown: unknown) => (thrown as PlannerError).message);
    const password = { authorization: `Basic ${Buffer.from('planner:p').toString('base64')}` };
    const needed = 'A credential is required. Send a valid key in "Authorization: Bearer <key>"';

    it('on loopback: none is required without a password', async () => {
      expect(await caller({})).to.deep.equal(owner);
      expect(await caller({ defaultProject: 'prj_a' })).to.deep.equal({ ...owner, defaultProject: 'prj_a' });
      expect(await caller({ password: 'p' })).to.equal(
        `${needed}, or the password by HTTP basic with the user planner.`,
      );
      expect(await caller({ password: 'p', defaultProject: 'prj_a' }, password)).to.deep.equal({
        ...{ ...owner, id: 'basic', defaultProject: 'prj_a' },
      });
      expect(await caller({}, password)).to.equal(
        'The credential is unknown. Send a valid key in "Authorization: Bearer <key>"; at a service on loopback send no Authorization header at all.',
      );
      expect(await caller({}, { cookie: 'session=x' }), 'no cookie is one here').to.deep.equal(owner);
      expect(all({}).failures).to.equal(undefined);
    });

    it('hosted: one is required, and failures are rate-limited', async () => {
      const hosted = { hosted: true, defaultProject: 'prj_a' };
      expect(await caller(hosted)).to.equal(`${needed}, or sign in at /sign-in.`);
      expect(await caller({ ...hosted, password: 'p' })).to.equal(
        `${needed}, or the password by HTTP basic with the user planner, or sign in at /sign-in.`,
      );
      expect(await caller({ ...hosted, password: 'p' }, password)).to.deep.equal({ ...owner, id: 'basic' });
      expect(await caller(hosted, { cookie: 'session=x' })).to.include('unknown, expired or revoked');
      const { authenticator, failures } = all({ ...hosted, password: 'p' });
      const wrong = { authorization: 'Basic x' };
      const origin = { ...rest, address: '192.0.2.1' };
      const codes = new Set<string>();
      for (let times = 0; times < limits.failedCredentialsPerMinuteMax; times++)
        await authenticator
          .authenticate(wrong, origin)
          .catch((thrown: unknown) => codes.add((thrown as PlannerError).code));
      expect([...codes]).to.deep.equal(['unauthorized']);
      expect(() => failures!.check('192.0.2.1'))
        .to.throw()
        .with.property('code', 'rate_limited');
    });

    it('for programs that can read the root: the token that the service wrote there', async () => {
      const presented = { authorization: 'Bearer pln_admin_x' };
      const known = { ...owner, defaultProject: 'prj_a' };
      expect(await caller({ admin: 'pln_admin_x', defaultProject: 'prj_a', hosted: true }, presented)).to.deep.equal(
        known,
      );
      expect(await caller({}, presented)).to.include('unknown, expired or revoked');
    });
  });
});
