import { createServer, type Server } from 'node:http';
import { request } from 'node:http';
import { startHostedService, type HostedNode, type HostedServiceOptions } from '../../src/main/hosted-service.ts';
import type { PgLogOptions } from '../../src/store/hosted/postgres/pg-log.ts';
import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import type { PostgresCluster } from './postgres-cluster.ts';
import { RestClient } from './rest-client.ts';
import { freePort } from './server-process.ts';

export type NodeOptions = Partial<Omit<HostedServiceOptions, 'storage' | 'host'>>;

let workspaces = 0;

/** The nodes of a service over a workspace of its own in the database of a cluster, in this process. */
export class HostedNodes {
  readonly nodes: HostedNode[] = [];
  readonly log: object[] = [];
  readonly schema = `nodes_${process.pid}_${++workspaces}`;
  readonly #cluster: PostgresCluster;
  readonly #options: NodeOptions;

  static async start(cluster: PostgresCluster, count: number, options: NodeOptions = {}): Promise<HostedNodes> {
    const nodes = new HostedNodes(cluster, options);
    for (let node = 0; node < count; node++) await nodes.add();
    return nodes;
  }

  private constructor(cluster: PostgresCluster, options: NodeOptions) {
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Starts a further node. */
  async add(options: NodeOptions = {}, database: Partial<PgLogOptions> = {}): Promise<HostedNode> {
    const { primary, isPair } = this.#cluster;
    const storage = await openPgStorage({
      ...{ url: primary.url, schema: this.schema, durability: isPair ? 'replicated' : 'disk' },
      ...database,
    });
    const node = await startHostedService({
      ...{ owner: 'Ada', defaultProject: undefined, port: 0, ...this.#options, ...options },
      ...{ host: '127.0.0.1', storage, log: (entry) => this.log.push(entry) },
    });
    this.nodes.push(node);
    return node;
  }

  url(node: number): string {
    return this.nodes[node]!.url;
  }

  rest(node: number, headers?: Record<string, string>): RestClient {
    return new RestClient(this.url(node), headers);
  }

  /** Ends a node. */
  async end(node: number): Promise<void> {
    const [ended] = this.nodes.splice(node, 1);
    await ended!.close();
  }

  async stop(): Promise<void> {
    for (const node of this.nodes.splice(0)) await node.close();
  }
}

/** A balancer in front of nodes, which sends each request to the next one. */
export class Balancer {
  readonly port: number;
  readonly #server: Server;
  #next = 0;

  static async start(targets: () => readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(await freePort(), targets);
    await new Promise<void>((resolve) => balancer.#server.listen(balancer.port, '127.0.0.1', resolve));
    return balancer;
  }

  private constructor(port: number, targets: () => readonly string[]) {
    this.port = port;
    this.#server = createServer((incoming, outgoing) => {
      const urls = targets();
      const { headers, method, url = '/' } = incoming;
      const target = urls[this.#next++ % urls.length]!;
      const passed = request(`${target}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      passed.once('error', () => outgoing.destroy());
      incoming.pipe(passed);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
