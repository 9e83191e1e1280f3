import { type Clock, systemClock } from '../../src/base/clock.ts';
import { startHostedService } from '../../src/main/hosted-service.ts';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import type { SharedStorage } from '../../src/store/hosted/storage/shared-storage.ts';
import { HostedNodes } from '../support/hosted-nodes.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { Random } from '../support/random.ts';

const projects = 12;
const turnsMax = 100;

/** Waits of a second take 2 ms: loading ahead and following logs are under way soon. */
const fast: Clock = {
  ...systemClock,
  after: (ms, run) => systemClock.after(ms / 500, run),
  every: (ms, run) => systemClock.every(ms / 500, run),
};

/** A database with projects, and connections to it that can be counted. */
export class EndingWorld {
  readonly cluster: PostgresCluster;
  readonly schema: string;

  static async start(): Promise<EndingWorld> {
    const cluster = await PostgresCluster.startSingle();
    const nodes = await HostedNodes.start(cluster, 1);
    for (let at = 0; at < projects; at++) await nodes.rest(0).post('/projects', { name: `Plan ${at}` });
    await nodes.stop();
    return new EndingWorld(cluster, nodes.schema);
  }

  private constructor(cluster: PostgresCluster, schema: string) {
    this.cluster = cluster;
    this.schema = schema;
  }

  urlFor(name: string): string {
    return `${this.cluster.primary.url}?application_name=${name}`;
  }

  storageOf(name: string): Promise<SharedStorage> {
    return openPgStorage({ url: this.urlFor(name), schema: this.schema, durability: 'disk' });
  }

  /** Resolves when there is no connection whose name begins so. */
  whenDisconnected(name: string): Promise<void> {
    const connected = 'SELECT FROM pg_stat_activity WHERE starts_with(application_name, $1)';
    return this.cluster.primary.until(async () => (await this.cluster.primary.query(connected, [name])).length === 0);
  }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Ends a node in this process at random turns after its start. */
export async function endInThisProcess(world: EndingWorld, rounds: number): Promise<void> {
  const random = Random.announced('The ends of a node');
  for (let round = 0; round < rounds; round++) {
    const storage = await world.storageOf(`ended_${round}`);
    const node = await startHostedService({
      ...{ storage, clock: fast, host: '127.0.0.1', port: 0, owner: 'Ada', defaultProject: undefined },
      log: () => undefined,
    });
    // Some number of them, from zero to all, were loaded by then.
    const loaded = random.integer(0, projects);
    while (node.store.inMemory().length < loaded) await turns(1);
    await turns(random.integer(0, turnsMax));
    await node.close();
  }
  // A late request would be under way by now.
  await turns(turnsMax);
  await world.whenDisconnected('ended_');
}
