import { expect } from 'chai';
import { createHash } from 'node:crypto';
import type { PlannerCollections } from '../../src/domain/records/collections.ts';
import {
  admitIdentity,
  identityCollection,
  forgetIdentity,
  identityById,
  isOwner,
  listIdentities,
  showIdentity,
} from '../../src/domain/people/identities.ts';
import type { IdentityRecord } from '../../src/domain/people/identities.ts';
import type { Claims, OwnerRules } from '../../src/domain/people/claims.ts';
import {
  createKey,
  keyById,
  keyCollection,
  keyWith,
  listKeys,
  revokeKey,
  revokeKeysOf,
  showKey,
} from '../../src/domain/people/keys.ts';
import type { MadeKey } from '../../src/domain/people/keys.ts';
import { sameText } from '../../src/domain/people/secrets.ts';
import * as shares from '../../src/domain/sharing/shares.ts';
import * as signIns from '../../src/domain/people/sign-ins.ts';
import { PlannerError } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';
import type { ChangeMeta } from '../../src/store/record/status.ts';
import type { ServiceTx, ServiceReadTransaction, Tx } from '../../src/store/record/read-transaction.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { Planner } from './planner.ts';

const meta: ChangeMeta = { author: 'system', source: 'system' };
const now = '2030-01-01T00:00:00.000Z';
const after = (hours: number, ms = 0): string => new Date(Date.parse(now) + hours * 3_600_000 + ms).toISOString();

describe('The credentials that a service stores', () => {
  const scratch = scratchDirectory();
  let planner: Planner;

  beforeEach(async () => void (planner = await Planner.open(scratch.path)));
  afterEach(() => planner.store.close());

  const change = <T>(fn: (tx: ServiceTx) => T): Promise<T> => planner.store.updateService(meta, fn);
  const look = <T>(fn: (view: ServiceReadTransaction) => T): Promise<T> => planner.store.readService(fn);
  async function refusal(attempt: Promise<unknown>): Promise<PlannerError> {
    try {
      await attempt;
    } catch (thrown) {
      if (thrown instanceof PlannerError) return thrown;
      throw thrown;
    }
    return expect.fail('It was not refused.');
  }

  describe('Keys [D10.keys]', () => {
    const make = (input: object, has = true): Promise<MadeKey> =>
      change((tx) => createKey(tx, input as never, { now, hasProject: () => has }));

    it('of agents begin with the code of their project, if its id has one [A.nodes.home]', async () => {
      const secretOf = async (project_id: string): Promise<string> =>
        (await make({ kind: 'agent', project_id })).secret;
      expect(await secretOf('prj_k3p9qz0123456789')).to.match(/^pln_agent_k3p9qz[A-Za-z0-9_-]{37}$/);
      const [one, other] = [await secretOf('garden'), await secretOf('garden')];
      expect(one).to.match(/^pln_agent_[A-Za-z0-9_-]{43}$/);
      expect(one.slice(0, 16)).to.not.equal(other.slice(0, 16));
    });

    it('are found only by their whole secret, which is stored as a digest', async () => {
      const { key, secret } = await make({ kind: 'owner', name: ' laptop ' });
      expect(secret).to.match(/^pln_owner_[A-Za-z0-9_-]{43}$/);
      expect(key.id).to.match(/^key_/);
      expect(key.secret_sha256).to.equal(createHash('sha256').update(secret).digest('hex'));
      expect(key).to.include({ name: 'laptop', kind: 'owner', project: null });
      expect(JSON.stringify(key)).not.to.include(secret);
      expect(await look((view) => keyWith(view, secret))).to.deep.equal(key);
      const wrong = [
        `${secret}x`,
        secret.slice(0, -1),
        `x${secret}`,
        secret.replace('owner', 'agent'),
        '',
        key.secret_sha256,
      ];
      wrong.push(`${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`);
      for (const other of wrong) expect(await look((view) => keyWith(view, other)), other).to.equal(undefined);
      expect(showKey(key)).to.deep.equal({
        ...{ id: key.id, kind: 'owner', name: 'laptop', project_id: null, created_at: now, updated_at: now },
      });
    });

    it("are an owner's for everything, or an agent's for one existing project", async () => {
      expect((await make({ kind: 'owner', name: 'a' }, false)).key).to.include({ project: null });
      expect((await make({ kind: 'agent', name: 'a', project_id: 'prj_a' })).key).to.include({ project: 'prj_a' });
      for (const [input, has] of [
        [{ kind: 'owner', name: 'a', project_id: 'prj_a' }, true],
        [{ kind: 'agent', name: 'a' }, true],
        [{ kind: 'agent', name: 'a', project_id: 'prj_a' }, false],
      ] as const) {
        const error = await refusal(make(input, has));
        expect([error.code, error.field], JSON.stringify(input)).to.deep.equal(['invalid_argument', 'project_id']);
      }
    });

    it('end one by one, or with their project, and end the browser sessions that they started [D10.revoke]', async () => {
      const mine = await make({ kind: 'owner', name: 'mine' });
      const [one, two, other] = [
        await make({ kind: 'agent', name: 'one', project_id: 'prj_a' }),
        await make({ kind: 'agent', name: 'two', project_id: 'prj_a' }),
        await make({ kind: 'agent', name: 'other', project_id: 'prj_b' }),
      ];
      await change((tx) => {
        for (const { key } of [mine, one, other]) signIns.beginSignIn(tx, { by: 'key', by_id: key.id, name: 'G' }, now);
      });
      await change((tx) => revokeKeysOf(tx, 'prj_a'));
      expect(await look((view) => [one, two].map(({ secret }) => keyWith(view, secret)))).to.deep.equal([
        undefined,
        undefined,
      ]);
      await change((tx) => revokeKey(tx, mine.key.id));
      expect(await look((view) => listKeys(view).map(({ name }) => name))).to.deep.equal(['other']);
      expect(await look((view) => signIns.listSignIns(view, now).map(({ by_id }) => by_id))).to.deep.equal([
        other.key.id,
      ]);
      expect(await look((view) => keyById(view, mine.key.id))).to.equal(undefined);
      const error = await refusal(change((tx) => revokeKey(tx, mine.key.id)));
      expect(error.code).to.equal('not_found');
      expect(error.details).to.include({ resource: 'key', id: mine.key.id });
    });
  });

  describe('Identities [D10.oidc]', () => {
    const claims: Claims = {
      ...{
        issuer: 'https://id.example.org',
        subject: '1',
        email: 'Grace@Example.org',
        emailVerified: true,
        name: 'Grace',
      },
    };
    const owners = new Set(['grace@example.org']);
    const admit = (
      more: Partial<Claims> = {},
      who: ReadonlySet<string> = owners,
      rules: Partial<OwnerRules> = {},
    ): Promise<IdentityRecord> =>
      change((tx) => admitIdentity(tx, { ...claims, ...more }, { owners: who, ...rules }, now));

    it('are stored by issuer and subject at the first sign-in of an owner with a verified address', async () => {
      const known = await admit();
      expect(await admit({ email: 'changed@example.org', emailVerified: false })).to.deep.equal(known);
      const listed = await look(listIdentities);
      expect(listed).to.have.length(1);
      expect(showIdentity(listed[0]!)).to.deep.equal({
        ...{ id: known.id, email: 'grace@example.org', issuer: claims.issuer, subject: '1' },
        ...{ created_at: now, updated_at: now },
      });
    });

    it('do not match other accounts', async () => {
      for (const [more, message] of [
        [{ email: undefined }, 'no e-mail address'],
        [{ emailVerified: false }, 'has not verified'],
        [{ email: 'eve@example.org' }, 'is not an owner'],
      ] as const) {
        const error = await refusal(admit(more));
        expect(error.code).to.equal('forbidden');
        expect(error.message).to.include(message);
      }
      await admit();
      expect((await refusal(admit({ subject: '2' }))).message).to.include('belonged to another account');
      expect((await refusal(admit({}, new Set(['other@example.org'])))).message).to.include('is not an owner');
      // A former owner does not become one again by an address of another owner.
      const others = admit({ email: 'other@example.org' }, new Set(['other@example.org']));
      expect((await refusal(others)).message).to.include('grace@example.org is not an owner');
      expect(await look(listIdentities)).to.have.length(1);
      // Another issuer's addresses are other addresses.
      await admit({ issuer: 'https://other.example.org', subject: '2' });
      expect(await look(listIdentities)).to.have.length(2);
    });

    it('belong to owners by a group as long as it is named and the provider says so [D13.sign-in]', async () => {
      const ownerGroups = [{ issuer: claims.issuer, group: 'owners' }];
      const member = { ...claims, subject: '7', groups: ['owners'], email: 'Grace@example.org', emailVerified: false };
      const named = { ownerGroups };
      expect((await refusal(admit(member))).message).to.include('has not verified');
      expect((await refusal(admit({ ...member, issuer: 'https://x.example' }, owners, named))).code).to.equal(
        'forbidden',
      );
      const known = await admit(member, owners, named);
      expect(showIdentity(known)).to.include({ subject: '7', email: null });
      expect(await admit(member, owners, named)).to.deep.equal(known);
      expect([isOwner(known, { owners, ...named }), isOwner(known, { owners })]).to.deep.equal([true, false]);
      // An unverified address is not bound: its owner signs in.
      expect((await admit()).email).to.equal('grace@example.org');
      expect((await refusal(admit({ ...member, groups: [] }, owners, named))).message).to.include('has not verified');
      const verified = { ...member, groups: [], email: 'new@example.org', emailVerified: true };
      expect(await admit(verified, new Set(['new@example.org']))).to.include({
        id: known.id,
        email: 'new@example.org',
      });
    });

    it('belong to addresses that a trusted tenant leaves unsaid, never of user names [D13.sign-in]', async () => {
      const silent = { subject: '8', emailVerified: undefined };
      expect((await refusal(admit(silent))).message).to.include('does not say so');
      const trusting = { trustedTenants: new Set([claims.issuer]) };
      expect((await refusal(admit({ ...silent, emailVerified: false }, owners, trusting))).code).to.equal('forbidden');
      const unnamed = { ...silent, email: undefined, name: 'grace@example.org' };
      expect((await refusal(admit(unnamed, owners, trusting))).message).to.include('no e-mail address');
      expect(await admit(silent, owners, trusting)).to.include({ email: 'grace@example.org' });
    });

    it('are removed with their sign-ins, and then the address is bound to the next account', async () => {
      const { id } = await admit();
      await change((tx) => signIns.beginSignIn(tx, { by: 'identity', by_id: id, name: 'G' }, now));
      await change((tx) => forgetIdentity(tx, id));
      expect(await look((view) => signIns.listSignIns(view, now))).to.deep.equal([]);
      expect(await look((view) => identityById(view, id))).to.equal(undefined);
      expect((await admit({ subject: '2' })).id).not.to.equal(id);
      const error = await refusal(change((tx) => forgetIdentity(tx, id)));
      expect([error.code, error.details['resource']]).to.deep.equal(['not_found', 'identity']);
    });
  });

  describe('Sign-ins [D10.cookie]', () => {
    const begin = (by: 'key' | 'identity' = 'key'): Promise<signIns.MadeSignIn> =>
      change((tx) => signIns.beginSignIn(tx, { by, by_id: 'x', name: 'G' }, now));

    it('are found by their secret until they were idle for 12 hours', async () => {
      const { signIn, secret } = await begin();
      expect(secret).to.match(/^[A-Za-z0-9_-]{43}$/);
      expect((await begin()).secret).not.to.equal(secret);
      const found = (at: string, by = secret): Promise<unknown> => look((view) => signIns.signInWith(view, by, at)?.id);
      expect(await found(after(12, -1))).to.equal(signIn.id);
      expect(await found(after(12))).to.equal(undefined);
      expect(await found(now, `${secret}x`)).to.equal(undefined);
      expect(await look((view) => signIns.listSignIns(view, after(12, -1)))).to.have.length(2);
      expect(await look((view) => signIns.listSignIns(view, after(12)))).to.have.length(0);
      await change((tx) => signIns.noteUse(tx, signIn.id, after(11)));
      expect(await found(after(22))).to.equal(signIn.id);
    });

    it('record their use every five minutes, and not after their end', async () => {
      const { signIn } = await begin();
      expect(signIns.isNoteDue(signIn, after(0, 5 * 60_000))).to.equal(false);
      expect(signIns.isNoteDue(signIn, after(0, 5 * 60_000 + 1))).to.equal(true);
      await change((tx) => signIns.endSignIn(tx, signIn.id));
      await change((tx) => signIns.noteUse(tx, signIn.id, now));
      expect(await look((view) => signIns.listSignIns(view, now))).to.deep.equal([]);
      const error = await refusal(change((tx) => signIns.endSignIn(tx, signIn.id)));
      expect([error.code, error.details['resource']]).to.deep.equal(['not_found', 'sign_in']);
    });

    it('show how they were started, and never their secret', async () => {
      const { signIn } = await begin();
      expect(signIns.showSignIn(signIn, signIn.id)).to.deep.equal({
        ...{ id: signIn.id, name: 'G', key_id: 'x', identity_id: null, current: true },
        ...{ expires_at: after(12), created_at: now, updated_at: now },
      });
      const other = signIns.showSignIn((await begin('identity')).signIn, signIn.id);
      expect(other).to.include({ key_id: null, identity_id: 'x', current: false });
    });
  });

  describe('Links [D8.token, D8.expires]', () => {
    let project: string;
    const write = <T>(fn: (tx: Tx<PlannerCollections>) => T): Promise<T> => planner.store.update(project, meta, fn);
    const mint = (expires?: string): Promise<shares.Minted> =>
      write((tx) => shares.inviteParticipants(tx, null, expires));

    beforeEach(async () => {
      project = await planner.project();
    });

    it('expire at their stated time, within 30 days', async () => {
      for (const [expires, hours] of [
        [undefined, limits.shareLinkHoursDefault],
        ['1h', 1],
        ['2d', 48],
        ['720h', 720],
        ['30d', 720],
      ] as const) {
        const { share } = await mint(expires);
        expect(Date.parse(share.expires_at) - Date.parse(share.created_at), expires).to.equal(hours * 3_600_000);
        expect(Date.parse(share.drop_at) - Date.parse(share.expires_at)).to.equal(limits.endedLinkDays * 86_400_000);
      }
      for (const expires of [
        '',
        '0h',
        '0d',
        '721h',
        '31d',
        '1',
        'h',
        '1m',
        ' 1h',
        '1hx',
        'x1h',
        '12345h',
        '1.5h',
        '-1h',
        '1H',
      ]) {
        const error = await refusal(mint(expires));
        expect([error.code, error.field], expires).to.deep.equal(['invalid_argument', 'expires']);
      }
    });

    it('give access to their resource by their token, until they end', async () => {
      const { share, token } = await mint('1h');
      const at = (ms: number): string => new Date(Date.parse(share.expires_at) + ms).toISOString();
      const open = (kind: shares.ShareRecord['kind'], by: string, when: string): Promise<shares.ShareRecord> =>
        look((view) => shares.openLink(view, kind, by, when));
      expect(token, "it begins with the project's code").to.match(/^[0-9a-z]{6}[A-Za-z0-9_-]{43}$/);
      expect(share.project.startsWith(`prj_${token.slice(0, 6)}`)).to.equal(true);
      expect(JSON.stringify(share)).not.to.include(token);
      expect(await open('participants', token, at(-1))).to.deep.equal(share);
      const expired = await refusal(open('participants', token, at(0)));
      expect(expired.code).to.equal('gone');
      expect(expired.message).to.include(`expired at ${share.expires_at}`);
      for (const [kind, by, name] of [
        ['resource', token, 'share'],
        ['participants', `${token}x`, 'participant_link'],
        ['participants', '', 'participant_link'],
      ] as const) {
        const error = await refusal(open(kind, by, at(-1)));
        expect([error.code, error.details['resource']]).to.deep.equal(['not_found', name]);
      }
      await write((tx) => shares.revokeShare(tx, share.id));
      const revoked = await refusal(open('participants', token, at(-1)));
      expect([revoked.code, revoked.message.includes('was revoked')]).to.deep.equal(['gone', true]);
    });

    it('are revoked once, in their own project alone', async () => {
      const { share } = await mint();
      const other = await planner.project('Other');
      const foreign = planner.store.update(other, meta, (tx: Tx<PlannerCollections>) =>
        shares.revokeShare(tx, share.id),
      );
      expect((await refusal(foreign)).code).to.equal('not_found');
      await write((tx) => shares.revokeShare(tx, share.id));
      const [first] = await planner.store.read(project, (view) => shares.sharesOf(view));
      expect(first!.revoked_at).to.be.a('string');
      expect(first!.updated_at).to.equal(first!.revoked_at);
      // A second revocation at a later time would be seen.
      while (new Date().toISOString() === first!.revoked_at) await new Promise((resolve) => setImmediate(resolve));
      await write((tx) => shares.revokeShare(tx, share.id));
      expect(await planner.store.read(project, (view) => shares.sharesOf(view))).to.deep.equal([first]);
      expect(await planner.store.read(other, (view) => shares.sharesOf(view))).to.deep.equal([]);
    });

    it('show the title of an existing resource', async () => {
      const { task } = await planner.call('create_task', { project_id: project, label: 'Dig' });
      const { id } = task as { id: string };
      const { share } = await write((tx) => shares.shareResource(tx, 'task', id, undefined));
      expect(share).to.include({ kind: 'resource', target_type: 'task', target_id: id, audience_name: null, project });
      expect(await planner.store.read(project, (view) => shares.titleOfTarget(view, share)?.title)).to.equal('Dig');
      const error = await refusal(write((tx) => shares.shareResource(tx, 'document', id, undefined)));
      expect(error.code).to.equal('not_found');
      const { share: link } = await mint();
      expect(await planner.store.read(project, (view) => shares.titleOfTarget(view, link))).to.equal(undefined);
    });
  });

  it('are stored in collections with the names of earlier versions [D10.keys]', () => {
    const collections = [keyCollection, identityCollection, signIns.signInCollection, shares.shareCollection];
    expect(collections.map(({ name }) => name)).to.deep.equal(['keys', 'identities', 'sign_ins', 'shares']);
  });

  it('are compared in full [A.hostile.guessing]', () => {
    expect(sameText('', '')).to.equal(true);
    expect(sameText('abc', 'abc')).to.equal(true);
    for (const [a, b] of [
      ['abc', 'abd'],
      ['abc', 'ab'],
      ['', 'a'],
    ] as const)
      expect(sameText(a, b)).to.equal(false);
  });
});
