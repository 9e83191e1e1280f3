import { join } from 'node:path';
import { endAtEachTurn } from '../support/ended-at-each-turn.ts';
import { postgresTests } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { EndingWorld, endInThisProcess } from './ends.ts';

const rounds = Number(process.env['PLANNER_TEST_ENDS'] ?? 300);
const drainSeconds = 1;

postgresTests('A node that ends, many times', () => {
  const scratch = scratchDirectory();
  let world: EndingWorld;
  before(async () => {
    world = await EndingWorld.start();
  });
  after(() => world.cluster.remove());

  it('leaves no connection to the database, whenever it is asked to [A.nodes.ended]', async function () {
    this.timeout(0);
    await endInThisProcess(world, rounds);
  });

  it('is a process that is gone 5 s after it has drained, in whatever turn of its start, its loading and its work that is [A.nodes.ended]', async function () {
    this.timeout(0);
    await endAtEachTurn({
      title: 'nodes over a database',
      rounds,
      drainMs: drainSeconds * 1000,
      turnsFile: join(scratch.path, 'turns'),
      make: (round) => ({
        argv: ['serve', '--port', '0'],
        environment: {
          ...{ PLANNER_DATABASE: world.urlFor(`process_${round}`), PLANNER_DATABASE_SCHEMA: world.schema },
          ...{ PLANNER_DURABILITY: 'disk', PLANNER_DRAIN_SECONDS: String(drainSeconds) },
        },
        use: async (url) => {
          const rest = new RestClient(url);
          for (let at = 0; at < 20; at++) await rest.post('/projects', { name: `Made ${at}` });
        },
        ended: () => world.whenDisconnected('process_'),
      }),
    });
  });
});
