import { expect } from 'chai';
import { systemClock } from '../../src/base/clock.ts';
import { admitIdentity } from '../../src/domain/people/identities.ts';
import { beginSignIn } from '../../src/domain/people/sign-ins.ts';
import { Dispatcher } from '../../src/operations/pipeline/dispatch.ts';
import type { Outcome } from '../../src/operations/pipeline/dispatch.ts';
import { signInOperations } from '../../src/operations/sign-ins.ts';
import { validator } from '../../src/schema/validators.ts';
import { planner } from './planner.ts';

const meta = { author: 'system', source: 'system' } as const;

describe('Sign-ins and identities as operations [D10.cookie, D10.oidc]', () => {
  const world = planner();
  let ids: { readonly signIns: string[]; readonly identities: string[] };

  beforeEach(async () => {
    ids = await world.it.store.updateService(meta, (tx) => {
      const now = new Date(systemClock.now()).toISOString();
      const emails = ['a@x.example', 'b@x.example', 'c@x.example'];
      const identities = emails.map((email) => {
        const claims = { issuer: 'https://id.example', subject: email, email, emailVerified: true, name: undefined };
        return admitIdentity(tx, claims, { owners: new Set(emails) }, now).id;
      });
      const signIns = identities.map((id) => beginSignIn(tx, { by: 'identity', by_id: id, name: 'G' }, now).signIn.id);
      return { signIns, identities };
    });
  });

  const dispatch = (name: string, input: object = {}): Promise<Outcome> => {
    const dispatcher = new Dispatcher({
      store: world.it.store,
      catalogue: signInOperations,
      validator,
      clock: systemClock,
    });
    const caller = { kind: 'owner', id: ids.signIns[1]!, author: 'human:G' } as const;
    return dispatcher.dispatch(
      dispatcher.operations.get(name)!,
      { ...input },
      { caller, transport: 'rest', baseUrl: 'http://x' },
    );
  };
  const valueOf = async (name: string, input: object = {}): Promise<Record<string, never>> =>
    (await dispatch(name, input)).value as Record<string, never>;

  it('are declared for the owner only, reading separate from ending', () => {
    const declared = signInOperations.map(({ name, input, output, scope, effect, rest }) => [
      ...[name, input, output, scope, effect, `${rest?.method} ${rest?.path}`],
    ]);
    expect(declared).to.deep.equal([
      ['list_sign_ins', 'ListSignInsInput', 'SignInListAnswer', 'service', 'read', 'GET /sign-ins'],
      ['end_sign_in', 'SignInInput', undefined, 'service', 'write', 'DELETE /sign-ins/:sign_in_id'],
      ['list_identities', 'ListIdentitiesInput', 'IdentityListAnswer', 'service', 'read', 'GET /identities'],
      ['forget_identity', 'IdentityInput', undefined, 'service', 'write', 'DELETE /identities/:identity_id'],
    ]);
  });

  it("are listed page by page, with the calling browser's marked", async () => {
    for (const [name, member, all] of [
      ['list_sign_ins', 'sign_ins', ids.signIns],
      ['list_identities', 'identities', ids.identities],
    ] as const) {
      const rows = (answer: Record<string, unknown>): { id: string; current?: boolean }[] => answer[member] as never;
      const first = await valueOf(name, { limit: 2 });
      expect(rows(first), name).to.have.length(2);
      const second = await valueOf(name, { limit: 2, cursor: first['next_cursor'] });
      expect(second).not.to.have.property('next_cursor');
      const listed = [...rows(first), ...rows(second)];
      expect(listed.map(({ id }) => id)).to.have.members(all);
      if (name === 'list_sign_ins')
        expect(listed.filter(({ current }) => current).map(({ id }) => id)).to.deep.equal([ids.signIns[1]]);
    }
  });

  it('have a tag that changes with the list', async () => {
    const tags = async (): Promise<unknown[]> => [
      ...[(await dispatch('list_sign_ins')).etag, (await dispatch('list_identities')).etag],
    ];
    const before = await tags();
    expect(before.every((tag) => typeof tag === 'string')).to.equal(true);
    expect(await tags()).to.deep.equal(before);
    await dispatch('end_sign_in', { sign_in_id: ids.signIns[0] });
    const ended = await tags();
    expect([ended[0] === before[0], ended[1] === before[1]]).to.deep.equal([false, true]);
    await dispatch('forget_identity', { identity_id: ids.identities[2] });
    const forgotten = await tags();
    expect([forgotten[0] === ended[0], forgotten[1] === ended[1]]).to.deep.equal([false, false]);
    const { sign_ins: left } = await valueOf('list_sign_ins');
    expect((left as unknown as { id: string }[]).map(({ id }) => id)).to.deep.equal([ids.signIns[1]]);
  });
});
