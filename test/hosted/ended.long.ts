import { expect } from 'chai';
import { builtProgram } from '../support/build.ts';
import { endedAtRandom } from '../support/ended-at-each-turn.ts';
import { postgresTests } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import { EndingWorld, endAtEachTurn } from './ends.ts';

const rounds = Number(process.env['PLANNER_TEST_ENDS'] ?? 300);
const drainSeconds = 1;
const goneMs = (drainSeconds + 5) * 1000;
/** A start, and the second after which projects are loaded ahead. */
const lastsMs = 3_000;
const timeoutMs = 3_600_000;

postgresTests('A node that ends, many times', () => {
  let world: EndingWorld;
  before(async () => {
    world = await EndingWorld.start();
  });
  after(() => world.cluster.remove());

  it('leaves no connection to the database, whenever it is asked to [A.nodes.ended]', async function () {
    this.timeout(timeoutMs);
    await endAtEachTurn(world, rounds);
  });

  it('is a process that is gone in time after SIGTERM, whenever that comes [A.nodes.ended]', async function () {
    this.timeout(timeoutMs);
    const random = Random.announced('The ends of a process');
    let ended = 0;
    for (let round = 0; round < rounds; round++) {
      const environment = {
        ...{ PLANNER_DATABASE: world.urlFor(`process_${round}`), PLANNER_DATABASE_SCHEMA: world.schema },
        ...{ PLANNER_DURABILITY: 'disk', PLANNER_DRAIN_SECONDS: String(drainSeconds), PLANNER_LOG: 'error' },
      };
      const argv = [builtProgram(), 'serve', '--port', '0'];
      const { code, signal } = await endedAtRandom({ argv, environment, lastsMs, goneMs }, random);
      // Before it handles signals, it ends by this one.
      expect([code, signal]).to.deep.equal(signal === null ? [0, null] : [null, 'SIGTERM']);
      if (code === 0) ended++;
    }
    expect(ended).to.be.greaterThan(0);
    await world.whenDisconnected('process_');
  });
});
