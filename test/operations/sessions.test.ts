import { expect } from 'chai';
import { Sessions } from '../../src/operations/sessions.ts';
import { ItemWorld } from '../support/items.ts';

const hour = 3_600_000;

describe('sessions', () => {
  let world: ItemWorld;
  let now = 0;
  const clock = { now: (): number => now, monotonic: (): number => now };

  function open(options: { sessionsMax?: number } = {}): Promise<Sessions> {
    return Sessions.open({ store: world.store, clock, idleHours: 24, ...options });
  }

  beforeEach(async () => {
    now = Date.parse('2030-01-01T00:00:00Z');
    world = await new ItemWorld().open();
  });

  afterEach(async () => {
    await world.close();
    world.remove();
  });

  it('bear the name of their client and an id that nobody guesses [D2.sessions]', async () => {
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

  it('outlive a restart, with client and credential [D2.session-resume]', async () => {
    const id = await (await open()).begin('key_1', 'coder');
    await world.close();
    await world.open();
    const sessions = await open();
    expect(await sessions.use(id, 'key_2')).to.equal(undefined);
    expect(await sessions.use(id, 'key_1')).to.include({ client: 'coder' });
  });

  it('are taken up under an id that is not known', async () => {
    const sessions = await open();
    expect(await sessions.use('from-before', 'key_1')).to.include({ credential: 'key_1', client: '' });
    expect(await sessions.use('from-before', 'key_2')).to.equal(undefined);
    expect(await sessions.use('no id, certainly', 'key_1')).to.equal(undefined);
  });

  it('stay ended, over a restart too [D2.session-ended]', async () => {
    const sessions = await open();
    const id = await sessions.begin('loopback', 'coder');
    expect(await sessions.end(id, 'loopback')).to.equal(true);
    expect(await sessions.use(id, 'loopback')).to.equal(undefined);
    expect(await sessions.end(id, 'loopback')).to.equal(false);
    expect(await (await open()).use(id, 'loopback')).to.equal(undefined);
  });

  it('take their current goals with them', async () => {
    const sessions = await open();
    const id = await sessions.begin('loopback', 'coder');
    const stamp = new Date(now).toISOString();
    const goal = (key: string): object => ({
      id: key,
      created_at: stamp,
      updated_at: stamp,
      project: 'prj_1',
      goal: 'gol_1',
    });
    await world.store.updateService({ author: 'system', source: 'system' }, (service) => {
      service.put('current_goals', goal(`${id}.prj_1`) as never);
      service.put('current_goals', goal('loopback.prj_1') as never);
    });
    await sessions.end(id, 'loopback');
    const left = await world.store.viewService((service) =>
      [...service.list('current_goals')].map((record) => record.id),
    );
    expect(left).to.deep.equal(['loopback.prj_1']);
  });

  it('end when idle too long; the id then begins anew [D2.session-limits]', async () => {
    const sessions = await open();
    const id = await sessions.begin('loopback', 'coder');
    now += 20 * hour;
    const used = await sessions.use(id, 'loopback');
    now += 20 * hour;
    expect((await sessions.use(id, 'loopback'))?.created_at).to.equal(used?.created_at);
    now += 25 * hour;
    expect(await sessions.use(id, 'key_2')).to.equal(undefined);
    expect((await sessions.use(id, 'loopback'))?.created_at).not.to.equal(used?.created_at);
  });

  it('end, the longest idle first, when there are too many', async () => {
    const sessions = await open({ sessionsMax: 2 });
    const [a, b] = [await sessions.begin('loopback', 'a'), await sessions.begin('loopback', 'b')];
    await sessions.use(a, 'loopback');
    await sessions.begin('loopback', 'c');
    const kept = await world.store.viewService((service) => [...service.list('sessions')].map((record) => record.id));
    expect(kept).to.include(a).and.not.include(b);
  });
});
