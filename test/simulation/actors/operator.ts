import type { Random } from '../../support/random.ts';
import type { Fault } from '../machine.ts';
import type { World } from '../world.ts';

/** The accidents of the service and of its machine. */
export const events: Readonly<Record<string, (world: World, random: Random) => void>> = {
  'kill the service'(world, random) {
    const kill = (): void => {
      if (world.process?.isAlive !== true) return;
      world.say('the service is killed');
      world.kill();
      world.hands.onServiceKilled();
    };
    if (random.chance(0.8)) world.machine.atCall(random.integer(0, 200), 200, kill);
    else world.machine.time.beside(random.next() * 100, kill);
  },
  'cut the power'(world, random) {
    const data = random.pick(['lost', 'half', 'zeros', 'blocks', 'mixed'] as const);
    const names = random.pick(['kept', 'lost', 'some'] as const);
    const cut = (): void => {
      world.say(`the power is cut: data ${data}, names ${names}`);
      world.cutPower({ data, names });
    };
    world.machine.atCall(random.integer(0, 200), 200, cut);
  },
  'set the clock'(world, random) {
    const ms = random.pick([-86_400_000, -3_600_000, -1500, 1500, 3_600_000, 86_400_000]);
    world.say(`the wall clock is set by ${ms} ms`);
    world.machine.time.jump(ms);
  },
  'make the disk fail'(world, random) {
    const fault: Fault = {
      code: random.pick(['ENOSPC', 'EIO', 'EACCES'] as const),
      share: random.pick([0.05, 0.5, 1]),
      reads: random.chance(0.3),
      below: random.pick(['/projects/', '/tasks/', '/documents/', '/local/tmp/', '/history/', '/.planner/']),
    };
    world.say(`the disk fails: ${JSON.stringify(fault)}`);
    world.machine.fault = fault;
    world.machine.time.beside(random.next() * 400, () => {
      if (world.machine.fault === fault) world.machine.fault = undefined;
    });
  },
  'rescan the files'(world) {
    world.say('a rescan is asked for');
    void world.store?.rescan().catch(() => undefined);
  },
  'write everything'(world) {
    world.say('a flush is asked for');
    void world.store?.flush().catch(() => undefined);
  },
  'close the service'(world) {
    const { store, process: service } = world;
    if (store === undefined || service === undefined) return;
    world.say('the service closes');
    world.store = undefined;
    const closed = (): void => {
      if (world.process === service) world.kill();
    };
    void store.close().then(closed, closed);
  },
};
