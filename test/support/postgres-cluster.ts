import { PostgresServer, type PostgresSettings } from './postgres.ts';
import { type CutAt, TcpProxy } from './tcp-proxy.ts';

/** A server that a file of tests has left as it was: the next file in this process has it. */
let spare: PostgresServer | undefined;

/**
 * A server, or a primary with a synchronous standby, whose loss the database survives. Nodes connect by links that
 * follow the servers.
 */
export class PostgresCluster {
  /** The servers by their place in the URLs of nodes. */
  readonly #servers: PostgresServer[];
  readonly #links = new Set<NodeLink>();
  #primary = 0;

  static async startSingle(settings?: PostgresSettings): Promise<PostgresCluster> {
    const kept = settings === undefined ? spare : undefined;
    if (kept === undefined) return new PostgresCluster([await PostgresServer.start(settings)]);
    spare = undefined;
    kept.stayFor(true);
    return new PostgresCluster([kept]);
  }

  static async startPair(settings?: PostgresSettings): Promise<PostgresCluster> {
    return new PostgresCluster([...(await PostgresServer.startPair(settings))]);
  }

  private constructor(servers: PostgresServer[]) {
    this.#servers = servers;
  }

  get isPair(): boolean {
    return this.#servers.length === 2;
  }

  get primary(): PostgresServer {
    return this.#servers[this.#primary]!;
  }

  get standby(): PostgresServer {
    return this.#servers[1 - this.#primary]!;
  }

  /** The ports of the servers, by their place in the URLs of nodes. */
  get ports(): readonly number[] {
    return this.#servers.map(({ port }) => port);
  }

  /** The ids of the processes of all servers. */
  get processIds(): readonly number[] {
    return this.#servers.flatMap(({ processIds }) => processIds);
  }

  /** Connections of a node of its own. */
  async link(): Promise<NodeLink> {
    const proxies = await Promise.all(this.ports.map((port) => TcpProxy.start(port)));
    const link = new NodeLink(proxies, () => this.#links.delete(link));
    this.#links.add(link);
    return link;
  }

  /** The primary is lost. The standby takes its place, and gets a standby; a single server starts again. */
  async failOver(): Promise<void> {
    const lost = this.primary;
    await lost.kill();
    if (!this.isPair) return lost.start();
    await this.standby.promote();
    this.#primary = 1 - this.#primary;
    await this.replaceStandby();
  }

  /**
   * The standby takes the place of the primary, which still runs and has no standby: it accepts nothing. The new primary
   * commits without a standby until it has one, which is not safe.
   */
  async promoteStandby(): Promise<void> {
    await this.standby.promote();
    this.#primary = 1 - this.#primary;
    await this.primary.reload({ synchronous_standby_names: '' });
  }

  /** A new standby in the place of the one there was. */
  async replaceStandby(): Promise<void> {
    const at = 1 - this.#primary;
    await this.primary.reload({ synchronous_standby_names: '*' });
    const [lost, standby] = [this.#servers[at]!, await this.primary.addStandby()];
    this.#servers[at] = standby;
    for (const link of this.#links) link.follow(this.ports);
    await lost.remove();
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#links].map((link) => link.stop()));
    if (!this.isPair && spare === undefined && (await this.primary.becomesEmpty())) {
      spare = this.primary;
      return spare.stayFor(false);
    }
    await Promise.all(this.#servers.map((server) => server.remove()));
  }
}

/** The connections of one node to all servers of a cluster, which can be cut and held back. */
export class NodeLink {
  readonly #proxies: readonly TcpProxy[];
  readonly #onStop: () => void;

  constructor(proxies: readonly TcpProxy[], onStop: () => void) {
    this.#proxies = proxies;
    this.#onStop = onStop;
  }

  get url(): string {
    return `postgres://postgres@${this.#proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`;
  }

  /** New connections are made to these servers. */
  follow(ports: readonly number[]): void {
    for (const [at, proxy] of this.#proxies.entries()) proxy.target = ports[at]!;
  }

  /** Cuts the connection of the next request that matches, whichever server gets it. Resolves when it is cut. */
  async cutNext(when: CutAt, matches: (request: Buffer) => boolean): Promise<void> {
    await Promise.race(this.#proxies.map((proxy) => proxy.cutNext(when, matches)));
    for (const proxy of this.#proxies) proxy.cut = undefined;
  }

  cutAll(): void {
    for (const proxy of this.#proxies) proxy.cutAll();
  }

  pause(): void {
    for (const proxy of this.#proxies) proxy.pause();
  }

  resume(): void {
    for (const proxy of this.#proxies) proxy.resume();
  }

  /** Nothing of the node reaches a server any more. */
  async stop(): Promise<void> {
    this.#onStop();
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()));
  }
}
