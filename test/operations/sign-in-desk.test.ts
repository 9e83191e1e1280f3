import { expect } from 'chai';
import { createKey } from '../../src/domain/people/keys.ts';
import type { MadeKey } from '../../src/domain/people/keys.ts';
import { listSignIns, signInWith } from '../../src/domain/people/sign-ins.ts';
import type { SignInRecord } from '../../src/domain/people/sign-ins.ts';
import { SignInDesk } from '../../src/operations/access/sign-in-desk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { planner } from './planner.ts';

const meta = { author: 'system', source: 'system' } as const;
const now = '2030-01-01T00:00:00.000Z';

describe('Signing in and out [D10.cookie]', () => {
  const world = planner();
  const clock = new ManualClock(Date.parse(now));
  const desk = (): SignInDesk =>
    new SignInDesk({ store: world.it.store, clock, admits: () => true, owners: new Set(['grace@example.org']) });
  const make = (input: object): Promise<MadeKey> =>
    world.it.store.updateService(meta, (tx) => createKey(tx, input as never, { now, hasProject: () => true }));
  const signInOf = (secret: string): Promise<SignInRecord | undefined> =>
    world.it.store.readService((service) => signInWith(service, secret, now));
  const count = (): Promise<number> => world.it.store.readService((service) => listSignIns(service, now).length);
  const claims = {
    ...{ issuer: 'https://id.example', subject: '1', email: 'Grace@example.org', emailVerified: true },
    name: undefined as string | undefined,
  };

  it('accepts the key of an owner, and no other', async () => {
    const [mine, agents] = [
      await make({ kind: 'owner', name: 'laptop' }),
      await make({ kind: 'agent', name: 'coder', project_id: 'prj_a' }),
    ];
    const secret = (await desk().withKey(mine.secret, undefined))!;
    expect(await signInOf(secret)).to.include({ by: 'key', by_id: mine.key.id, name: 'laptop', created_at: now });
    // A wrong key does not end the previous sign-in.
    for (const other of [agents.secret, 'x', '']) expect(await desk().withKey(other, secret)).to.equal(undefined);
    expect(await count()).to.equal(1);
  });

  it("ends the browser's previous sign-in, whichever way the next one starts", async () => {
    const { secret: key } = await make({ kind: 'owner', name: 'laptop' });
    const first = (await desk().withKey(key, 'unknown'))!;
    const second = (await desk().withKey(key, first))!;
    const third = await desk().withClaims(claims, second);
    expect(await Promise.all([first, second].map(signInOf))).to.deep.equal([undefined, undefined]);
    expect(await signInOf(third)).to.include({ by: 'identity' });
    await desk().end('unknown');
    expect(await count()).to.equal(1);
    await desk().end(third);
    expect(await count()).to.equal(0);
  });

  it("names a person by one line of the provider's name, else by the address", async () => {
    for (const [name, line] of [
      [' Grace \u202e\n\u0000 Hopper ', 'Grace Hopper'],
      ['\u200b \n', 'grace@example.org'],
      ['', 'grace@example.org'],
      [undefined, 'grace@example.org'],
      ['🙂'.repeat(101), '🙂'.repeat(100)],
      [`${'x'.repeat(99)} y`, 'x'.repeat(99)],
    ] as const)
      expect(await signInOf(await desk().withClaims({ ...claims, name }, undefined))).to.include({ name: line });
  });

  it('rejects accounts that are not owners', async () => {
    const others = desk().withClaims({ ...claims, email: 'eve@example.org' }, undefined);
    expect(await others.catch((thrown: unknown) => thrown)).to.include({ code: 'forbidden' });
    expect(await count()).to.equal(0);
  });
});
