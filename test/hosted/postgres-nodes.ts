import { join } from 'node:path';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import { isAppend } from '../store/log/postgres-world.ts';
import type { NodeLink, PostgresCluster } from '../support/postgres-cluster.ts';
import type { Random } from '../support/random.ts';
import { repository, startServer, type ServerProcess } from '../support/server-process.ts';
import { type Cluster, type ClusterNode, ServedNode, skewsMs, soon } from './nodes.ts';

export interface PostgresNodesOptions {
  readonly cluster: PostgresCluster;
  readonly random: Random;
  readonly nodes?: number;
  /** Each node is a process of its own: it is killed and stopped as a whole. */
  readonly asProcesses?: boolean;
  /** How often the primary is lost, and its standby takes its place. */
  readonly failOvers: number;
}

/** How long a node that was killed goes on looking for its database, in this process. */
const resolveMs = 10_000;
let schemas = 0;

/** A node, its connections, and the process that it runs in. */
interface Linked {
  readonly node: ClusterNode;
  readonly link: NodeLink;
  /** The name by which the server knows its connections. */
  readonly name: string;
  readonly server?: ServerProcess;
  readonly end: () => Promise<unknown>;
}

/** Nodes over a primary with a synchronous standby, and their accidents. */
export class PostgresNodes implements Cluster {
  readonly errors: string[] = [];
  readonly #options: PostgresNodesOptions;
  readonly #schema = `history_${process.pid}_${++schemas}`;
  readonly #linked: Linked[] = [];
  #started = 0;
  #failOvers = 0;

  static async start(options: PostgresNodesOptions): Promise<PostgresNodes> {
    const nodes = new PostgresNodes(options);
    for (let node = 0; node < (options.nodes ?? 3); node++) await nodes.#add();
    return nodes;
  }

  private constructor(options: PostgresNodesOptions) {
    this.#options = options;
  }

  get nodes(): readonly ClusterNode[] {
    return this.#linked.map(({ node }) => node);
  }

  async disturb(): Promise<void> {
    const { random, failOvers, cluster } = this.#options;
    const { link, server } = random.pick(this.#linked);
    const kind = random.next();
    if (kind < 0.05 && this.#failOvers < failOvers) {
      this.#failOvers++;
      await cluster.failOver();
    } else if (kind < 0.4) void link.cutNext(random.pick(['before', 'during', 'after']), isAppend);
    else if (kind < 0.6) link.cutAll();
    else if (kind < 0.8 && server !== undefined) {
      process.kill(server.pid, 'SIGSTOP');
      await soon(random.integer(1, 300));
      process.kill(server.pid, 'SIGCONT');
    } else {
      link.pause();
      await soon(random.integer(1, 60));
      link.resume();
    }
  }

  async replace(): Promise<string> {
    const { random, cluster } = this.#options;
    const [{ node, link, name, end }] = this.#linked.splice(random.integer(0, this.#linked.length - 1), 1) as [Linked];
    await end();
    await link.stop();
    // Statements that the server received are decided once its connections are gone.
    const left = 'SELECT FROM pg_stat_activity WHERE application_name = $1';
    await cluster.primary.until(async () => (await cluster.primary.query(left, [name])).length === 0);
    await this.#add();
    return node.url;
  }

  async close(): Promise<void> {
    await Promise.all(this.#linked.map(({ node, server }) => server?.stop() ?? (node as ServedNode).close()));
    await Promise.all(this.#linked.map(({ link }) => link.stop()));
  }

  async #add(): Promise<void> {
    const { cluster, random, asProcesses = false } = this.#options;
    const link = await cluster.link();
    const name = `${this.#schema}_${++this.#started}`;
    const url = `${link.url}?application_name=${name}`;
    const skewMs = random.pick(skewsMs);
    if (asProcesses) {
      const program = join(repository, 'test/hosted/node-process.ts');
      const server = await startServer((port) => [program, String(port), url, this.#schema, String(skewMs)]);
      const node = { url: server.url, isWhole: true };
      this.#linked.push({ node, link, name, server, end: () => server.kill() });
    } else {
      const storage = await openPgStorage({ url, schema: this.#schema, durability: 'replicated', resolveMs });
      const node = await ServedNode.start({ ...storage, die: () => link.stop() }, skewMs, this.errors);
      this.#linked.push({ node, link, name, end: () => node.kill() });
    }
  }
}
