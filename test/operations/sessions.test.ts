import { expect } from 'chai';
import { Sessions } from '../../src/operations/access/sessions.ts';
import type { SessionRecord, SessionsOptions } from '../../src/operations/access/sessions.ts';
import type { Subscription } from '../../src/operations/access/subscriptions.ts';
import type { PlannerError } from '../../src/base/errors.ts';
import { limits } from '../../src/base/limits.ts';
import { ItemWorld } from '../support/items.ts';
import { ManualClock } from '../support/manual-clock.ts';

const hour = 3_600_000;

describe('sessions', () => {
  let world: ItemWorld;
  let project: string;
  let clock: ManualClock;

  function open(options: Partial<SessionsOptions> = {}): Promise<Sessions> {
    return Sessions.open({ store: world.store, clock, idleHours: 24, ...options });
  }

  beforeEach(async () => {
    clock = new ManualClock(Date.parse('2030-01-01T00:00:00Z'));
    world = await new ItemWorld().open();
    ({ id: project } = ((await world.call('create_project', { name: 'Plan' })) as { project: { id: string } }).project);
  });

  afterEach(async () => {
    await world.close();
    world.remove();
  });

  it('have the name of their client and a random id [D2.sessions]', async () => {
    const sessions = await open();
    const [a, b] = [await sessions.begin('loopback', 'coder'), await sessions.begin('loopback', 'coder')];
    expect(a).to.match(/^[\w-]{32}$/);
    expect(a).not.to.equal(b);
    expect(await sessions.use(a, 'loopback')).to.include({ client: 'coder', credential: 'loopback' });
  });

  it('belong to their credential [D2.session-other]', async () => {
    const sessions = await open();
    const id = await sessions.begin('key_1', 'coder');
    expect(await sessions.use(id, 'key_2')).to.equal(undefined);
    expect(await sessions.end(id, 'key_2')).to.equal(false);
    expect(await sessions.use(id, 'key_1')).to.include({ id });
  });

  it('survive a restart, with client and credential [D2.session-resume]', async () => {
    const id = await (await open()).begin('key_1', 'coder');
    await world.close();
    await world.open();
    const sessions = await open();
    expect(await sessions.use(id, 'key_2')).to.equal(undefined);
    expect(await sessions.use(id, 'key_1')).to.include({ client: 'coder' });
  });

  const kept = (): Promise<string[]> =>
    world.store.readService((service) => [...service.list('sessions')].map((record) => record.id));

  it('are created under an unknown id, and stored once they change something [A.hostile.mcp-sessions]', async () => {
    const sessions = await open();
    for (const credential of ['key_1', 'key_2'])
      expect(await sessions.use('from-before', credential)).to.include({ credential, client: '' });
    expect(await sessions.use('no id, certainly', 'key_1')).to.equal(undefined);
    expect(await kept(), 'an id costs nothing').to.deep.equal([]);
    expect(
      await Promise.all([sessions.keep('from-before', 'key_1'), sessions.keep('from-before', 'key_2')]),
    ).to.deep.equal([true, false]);
    expect(await sessions.use('from-before', 'key_1')).to.include({ credential: 'key_1' });
    expect(await sessions.use('from-before', 'key_2')).to.equal(undefined);
    expect(await kept()).to.deep.equal(['from-before']);
    await sessions.end('from-before', 'key_1');
    expect(await sessions.keep('from-before', 'key_1')).to.equal(false);
  });

  it('stay ended, also after a restart [D2.session-ended]', async () => {
    const sessions = await open();
    const id = await sessions.begin('loopback', 'coder');
    expect(await sessions.end(id, 'loopback')).to.equal(true);
    expect(await sessions.use(id, 'loopback')).to.equal(undefined);
    expect(await sessions.end(id, 'loopback')).to.equal(false);
    expect(await (await open()).use(id, 'loopback')).to.equal(undefined);
  });

  it('are removed with their current goals', async () => {
    const sessions = await open();
    const id = await sessions.begin('loopback', 'coder');
    const stamp = new Date(clock.now()).toISOString();
    const goal = (key: string): object => ({
      id: key,
      created_at: stamp,
      updated_at: stamp,
      project,
      goal: 'gol_1',
    });
    await world.store.update(project, { author: 'system', source: 'system' }, ({ service }) => {
      service.put('current_goals', goal(`${id}.${project}`) as never);
      service.put('current_goals', goal(`loopback.${project}`) as never);
    });
    await sessions.end(id, 'loopback');
    const left = await world.store.readService((service) =>
      [...service.list('current_goals')].map((record) => record.id),
    );
    expect(left).to.deep.equal([`loopback.${project}`]);
  });

  it('end when idle too long; the id then starts a new session [D2.session-limits]', async () => {
    const sessions = await open();
    const id = await sessions.begin('loopback', 'coder');
    clock.advance(20 * hour);
    const used = await sessions.use(id, 'loopback');
    clock.advance(20 * hour);
    expect((await sessions.use(id, 'loopback'))?.created_at).to.equal(used?.created_at);
    clock.advance(25 * hour);
    expect(await sessions.use(id, 'key_2')).to.equal(undefined);
    expect((await sessions.use(id, 'loopback'))?.created_at).not.to.equal(used?.created_at);
  });

  it('are evicted, the longest idle first, if there are too many', async () => {
    const sessions = await open({ sessionsPerCredentialMax: 2 });
    const [a, b] = [await sessions.begin('loopback', 'a'), await sessions.begin('loopback', 'b')];
    await sessions.use(a, 'loopback');
    await sessions.begin('loopback', 'c');
    expect(await kept())
      .to.include(a)
      .and.not.include(b);
  });

  it('of one credential never evict those of another, in memory or across a restart [A.hostile.mcp-sessions]', async () => {
    const sessions = await open({ sessionsPerCredentialMax: 5, sessionsMax: 8 });
    const others = [await sessions.begin('key_2', 'b'), await sessions.begin('key_3', 'c')];
    for (let at = 0; at < 30; at++) await sessions.begin('key_1', 'a');
    for (let at = 0; at < 30; at++) await sessions.keep(`invented-${at}`, 'key_1');
    for (const [at, id] of others.entries())
      expect(await sessions.use(id, `key_${at + 2}`)).to.include({ client: 'bc'[at] });
    expect((await kept()).length).to.equal(7);
    // Over the limit in all, sessions of the credential with the most are evicted.
    const more = [await sessions.begin('key_4', 'd'), await sessions.begin('key_5', 'e')];
    expect(await kept())
      .to.include.members([...others, ...more])
      .and.have.length(8);
    const reopened = await open({ sessionsPerCredentialMax: 2 });
    expect(await kept())
      .to.include.members([...others, ...more])
      .and.have.length(6);
    expect(await reopened.use(others[0]!, 'key_2')).to.include({ client: 'b' });
  });

  const recordOf = (id: string): Promise<SessionRecord | undefined> =>
    world.store.readService((service) => service.get<SessionRecord>('sessions', id));
  const iso = (at: number): string => new Date(at).toISOString();
  const setGoal = (session: string): Promise<void> =>
    world.store.update(project, { author: 'system', source: 'system' }, ({ service }) => {
      const times = { created_at: iso(clock.now()), updated_at: iso(clock.now()) };
      service.put('current_goals', { id: `${session}.${project}`, ...times, project, goal: 'gol_1' } as never);
    });
  const goals = (): Promise<string[]> =>
    world.store.readService((service) => [...service.list('current_goals')].map(({ id }) => id));

  it('record their use once an hour, and are kept an hour longer than they may be idle [D2.session-limits]', async () => {
    const sessions = await open();
    const began = clock.now();
    const id = await sessions.begin('key_1', 'coder');
    const record = { id, credential: 'key_1', client: 'coder', ended: false, created_at: iso(began) };
    await setGoal(id);
    for (const [after, noted] of [
      [hour, 0],
      [hour + 1, hour + 1],
      [2 * hour, hour + 1],
    ] as const) {
      clock.set(began + after);
      expect(await sessions.use(id, 'key_1')).to.include({ id });
      const times = { updated_at: iso(began + noted), drop_at: iso(began + noted + 25 * hour) };
      expect(await recordOf(id)).to.deep.equal({ ...record, ...times });
    }
    expect(await goals()).to.deep.equal([`${id}.${project}`]);
    expect(await sessions.keep(id, 'key_1')).to.equal(true);
    expect(await sessions.end('unknown', 'key_1')).to.equal(false);
    clock.advance(hour);
    expect(await sessions.end(id, 'key_1')).to.equal(true);
    const ended = { ended: true, updated_at: iso(clock.now()), drop_at: iso(clock.now() + 24 * hour) };
    expect(await recordOf(id)).to.deep.equal({ ...record, ...ended });
  });

  it('clear the state of an earlier session with the same id, and only then [D2.session-limits]', async () => {
    const sessions = await open();
    const id = await sessions.begin('key_1', 'coder');
    await setGoal(id);
    clock.advance(24 * hour);
    const { created_at: created } = (await sessions.use(id, 'key_1'))!;
    expect([created, await goals()]).to.deep.equal([iso(clock.now() - 24 * hour), [`${id}.${project}`]]);
    clock.advance(24 * hour + 1);
    expect(await sessions.use(id, 'key_1')).to.include({ created_at: iso(clock.now()), client: 'coder' });
    expect(await goals()).to.deep.equal([]);
  });

  it('of other credentials that are idle too long are removed with their goals when one begins [D2.session-limits]', async () => {
    const sessions = await open();
    const idle = [await sessions.begin('key_1', 'a'), await sessions.begin('key_1', 'b')];
    await setGoal(idle[0]!);
    clock.advance(hour);
    const used = await sessions.begin('key_2', 'c');
    clock.advance(23 * hour + 1);
    const begun = await sessions.begin('key_3', 'd');
    expect(await kept()).to.have.members([used, begun]);
    expect(await goals()).to.deep.equal([]);
  });

  it('are resumed after a restart within the limits, the latest used ones, whatever their ids [A.hostile.mcp-sessions]', async () => {
    for (const ids of [
      ['a', 'b', 'c'],
      ['f', 'e', 'd'],
    ]) {
      const sessions = await open();
      for (const id of ids) {
        clock.advance(1);
        await sessions.keep(id, `key_${ids[0]}`);
      }
      await setGoal(ids[0]!);
      const reopened = await open({ sessionsPerCredentialMax: 2 });
      expect(await kept())
        .to.include.members(ids.slice(1))
        .and.not.include(ids[0]);
      expect(await goals()).to.deep.equal([]);
      // The latest used session is evicted last.
      await reopened.keep(`more-${ids[0]}`, `key_${ids[0]}`);
      expect(await kept())
        .to.include.members([ids[2], `more-${ids[0]}`])
        .and.not.include(ids[1]);
      await reopened.end(`more-${ids[0]}`, `key_${ids[0]}`);
      clock.advance(1);
    }
  });

  it('are resumed in the order of use, not of creation [A.hostile.mcp-sessions]', async () => {
    const sessions = await open();
    for (const id of ['a', 'b', 'c']) await sessions.keep(id, 'key_1');
    clock.advance(hour + 1);
    await sessions.use('a', 'key_1');
    clock.advance(1);
    await sessions.use('c', 'key_1');
    await open({ sessionsPerCredentialMax: 2 });
    expect(await kept()).to.have.members(['a', 'c']);
  });

  it('evict ended ids before live ones [A.hostile.mcp-sessions]', async () => {
    const sessions = await open({ sessionsPerCredentialMax: 3 });
    const [a, b, c] = [
      await sessions.begin('key_1', 'a'),
      await sessions.begin('key_1', 'b'),
      await sessions.begin('key_1', 'c'),
    ];
    await sessions.end(c, 'key_1');
    const d = await sessions.begin('key_1', 'd');
    expect(await kept()).to.have.members([a, b, d]);
  });

  describe('their subscriptions', () => {
    const stored = (): Promise<{ id: string; session: string; uri: string; drop_at: string }[]> =>
      world.store.readService((service) => [...service.list('subscriptions')] as never);
    const of = (name: string | number): Subscription => ({
      key: `k-${name}`,
      uri: `planner://p/task/${name}`,
      cursor: 'c-1',
    });
    const urisOf = async (sessions: Sessions, id: string): Promise<string[]> =>
      (await sessions.subscriptionsOf(id)).map(({ uri }) => uri);

    it('are records of their own, kept and removed with the session [A.hostile.watched-charged]', async () => {
      let charged = 0;
      const charge = async (_: string, bytes: number): Promise<void> => void (charged += bytes);
      const sessions = await open({ charge, sessionsPerCredentialMax: 2 });
      const [a, b] = [await sessions.begin('key_1', 'a'), await sessions.begin('key_1', 'b')];
      const bySubscription: number[] = [];
      for (let at = 0; at < 20; at++) {
        charged = 0;
        await sessions.subscribe(a, 'key_1', of(at));
        bySubscription.push(charged);
      }
      expect(Math.max(...bySubscription), 'the others are not stored again').to.be.below(
        Math.min(...bySubscription) + 10,
      );
      charged = 0;
      await sessions.subscribe(a, 'key_1', of(7));
      expect(charged, 'it is there already').to.equal(0);
      await sessions.subscribe(b, 'key_1', of('one'));
      await sessions.unsubscribe(a, ({ key }) => key !== 'k-3');
      expect(await urisOf(await open(), a)).to.deep.equal([of(3).uri]);
      const before = (await stored()).find(({ session }) => session === a)!.drop_at;
      clock.advance(hour + 1);
      await sessions.use(a, 'key_1');
      const after = (await stored()).find(({ session }) => session === a)!;
      expect(Date.parse(after.drop_at) - Date.parse(before)).to.equal(hour + 1);
      await sessions.begin('key_1', 'c');
      expect(
        (await stored()).map(({ session }) => session),
        'b was evicted',
      ).to.deep.equal([a]);
      await sessions.end(a, 'key_1');
      expect(await stored()).to.deep.equal([]);
    });

    it('are bounded for a session, and for all sessions and streams of a credential [A.hostile.watched-bound]', async () => {
      const sessions = await open();
      const count = limits.watchedResourcesPerCredentialMax / limits.watchedResourcesMax;
      const ids = await Promise.all(Array.from({ length: count }, () => sessions.begin('key_1', 'a')));
      const refused =
        (error: string): ((thrown: unknown) => void) =>
        (thrown) =>
          expect((thrown as PlannerError).code).to.equal(error);
      const never = (): never => expect.fail('It was not rejected.');
      const end = await sessions.listen('key_1', limits.watchedResourcesMax);
      const numbers = Array.from({ length: limits.watchedResourcesMax }, (_, at) => at);
      await Promise.all(ids.slice(1).flatMap((id) => numbers.map((at) => sessions.subscribe(id, 'key_1', of(at)))));
      await sessions.subscribe(ids[1]!, 'key_1', of('more')).then(never, refused('invalid_argument'));
      await sessions.subscribe(ids[0]!, 'key_1', of('one')).then(never, refused('rate_limited'));
      await sessions.listen('key_1', 1).then(never, refused('rate_limited'));
      const other = await sessions.listen('key_2', 1);
      other();
      end();
      await sessions.subscribe(ids[0]!, 'key_1', of('one'));
      expect(await stored()).to.have.length(limits.watchedResourcesPerCredentialMax - limits.watchedResourcesMax + 1);
    });

    it('of a record of an earlier version are read as they are [A.hostile.watched-charged]', async () => {
      const at = new Date(clock.now()).toISOString();
      const dates = { created_at: at, updated_at: at, drop_at: new Date(clock.now() + 25 * hour).toISOString() };
      await world.store.updateService({ author: 'system', source: 'system' }, (tx) =>
        tx.put<SessionRecord>('sessions', {
          ...{ ...dates, id: 'old', credential: 'key_1', client: 'a', ended: false },
          subscriptions: { 'planner://p/next': 'c-1', 'planner://p/task/t': 'c-2' },
        }),
      );
      const sessions = await open();
      expect((await sessions.subscriptionsOf('old')).map(({ uri, cursor }) => [uri, cursor])).to.have.deep.members([
        ['planner://p/next', 'c-1'],
        ['planner://p/task/t', 'c-2'],
      ]);
      await sessions.unsubscribe('old', ({ uri }) => uri === 'planner://p/next');
      await sessions.subscribe('old', 'key_1', of('x'));
      expect(await urisOf(await open(), 'old')).to.have.members(['planner://p/task/t', of('x').uri]);
      expect(await sessions.use('old', 'key_1')).not.to.have.property('subscriptions');
    });
  });
});
