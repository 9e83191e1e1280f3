import type { SharedStorage } from '../../src/store/hosted/storage/shared-storage.ts';
import type { SharedLog } from '../../src/store/hosted/storage/shared-log.ts';
import { SimulatedLog, SimulatedLogServer } from '../store/log/simulated-log.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import type { Random } from '../support/random.ts';
import { type Cluster, type NodeStorage, ServedNode, skewsMs, soon } from './nodes.ts';

export interface SimulatedClusterOptions {
  readonly random: Random;
  readonly nodes?: number;
  /** Wraps the log of each node. */
  readonly wrap?: (log: SharedLog) => SharedLog;
}

/** Nodes over one simulated log whose messages take random times, are lost, and whose servers fail over. */
export class SimulatedCluster implements Cluster {
  readonly errors: string[] = [];
  readonly #random: Random;
  readonly #wrap: (log: SharedLog) => SharedLog;
  readonly #server = new SimulatedLogServer();
  readonly #blobs = new MemoryBlobs((sha256) => this.#server.blobs.add(sha256));
  readonly #snapshots = new MemorySnapshots(this.#server);
  readonly #nodes: ServedNode[] = [];
  readonly #logs = new Map<ServedNode, SimulatedLog>();
  /** The primary does not reach the standby any more. */
  #isCutOff = false;
  /** The clocks of the two servers differ. */
  #serverSkewMs = 0;

  static async start({ nodes = 3, ...options }: SimulatedClusterOptions): Promise<SimulatedCluster> {
    const cluster = new SimulatedCluster(options);
    for (let node = 0; node < nodes; node++) await cluster.add();
    return cluster;
  }

  private constructor({ random, wrap = (log) => log }: Omit<SimulatedClusterOptions, 'nodes'>) {
    this.#random = random;
    this.#wrap = wrap;
  }

  get nodes(): readonly ServedNode[] {
    return this.#nodes;
  }

  /** Another node. */
  async add(): Promise<void> {
    const log: SimulatedLog = new SimulatedLog(this.#server, {
      travel: () => this.#travel(log),
      now: () => Date.now() + this.#serverSkewMs,
    });
    const shared: SharedStorage = {
      log: this.#wrap(log),
      answers: log.answers,
      blobs: this.#blobs,
      snapshots: this.#snapshots,
      ...{ revisions: this.#server.revisions, texts: this.#server.texts },
      close: () => log.close(),
    };
    const storage: NodeStorage = { ...shared, die: () => log.kill() };
    const node = await ServedNode.start(storage, this.#random.pick(skewsMs), this.errors);
    this.#nodes.push(node);
    this.#logs.set(node, log);
  }

  async disturb(): Promise<void> {
    const log = this.#logs.get(this.#random.pick(this.#nodes))!;
    const kind = this.#random.next();
    if (kind < 0.3) log.cut(this.#random.pick(['before', 'during', 'after']));
    else if (kind < 0.6) await this.#pause(log);
    else await this.#failOver();
  }

  async replace(): Promise<string> {
    const node = this.#nodes.splice(this.#random.integer(0, this.#nodes.length - 1), 1)[0]!;
    await node.kill();
    this.#logs.delete(node);
    await this.add();
    return node.url;
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  /** Nothing reaches a node, or leaves it. */
  async #pause(log: SimulatedLog): Promise<void> {
    log.pause();
    await soon(this.#random.integer(1, 60));
    log.resume();
  }

  /** The last commits of the primary are not replicated, and its connections are lost. */
  async #failOver(): Promise<void> {
    this.#isCutOff = true;
    await turns(this.#random.integer(0, 30));
    this.#server.failOver();
    this.#serverSkewMs = this.#random.integer(-20, 20);
    this.#isCutOff = false;
  }

  async #travel(log: SimulatedLog): Promise<void> {
    if (this.#isCutOff) log.cut('during');
    else if (this.#random.chance(0.003)) log.cut(this.#random.pick(['before', 'during', 'after']));
    await (this.#random.chance(0.05) ? soon(this.#random.integer(1, 8)) : turns(this.#random.integer(1, 4)));
  }
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}
