import { type Clock, systemClock } from '../../src/base/clock.ts';
import { type HostedNode, startHostedService } from '../../src/main/hosted-service.ts';
import type { Log } from '../../src/operations/pipeline/failure.ts';
import type { SharedStorage } from '../../src/store/hosted/storage/shared-storage.ts';

/** How far the clocks of machines are off. */
export const skewsMs: readonly number[] = [0, 7000, -7000, 300, -4000];

export function soon(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A node as its clients see it. */
export interface ClusterNode {
  /** No other node has it, not even one that takes its place. */
  readonly url: string;
  /** False if it serves nothing any more, since its state and the log do not fit. */
  readonly isWhole: boolean;
}

/** Nodes that begin during a history begin with snapshots. */
const fewEntries = { entries: 15, characters: Infinity, keepMs: 0 };

/** A node's part of the storage that it shares. */
export interface NodeStorage extends SharedStorage {
  /** Nothing more is sent, and no answer arrives. Resolves when everything that was sent is decided. */
  die(): Promise<void>;
}

let started = 0;

/** A node of a service in this process. */
export class ServedNode implements ClusterNode {
  readonly url: string;
  readonly #node: HostedNode;
  readonly #storage: NodeStorage;

  /**
   * `skewMs`: how far its machine's clock is ahead. `errors` gets its reports. Every other node has hardly any memory.
   */
  static async start(storage: NodeStorage, skewMs: number, errors: string[]): Promise<ServedNode> {
    const memoryBytes = started++ % 2 === 0 ? 0 : undefined;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs };
    const log: Log = (entry) => {
      if (entry.level === 'error') errors.push(JSON.stringify(entry));
    };
    const node = await startHostedService({
      ...{ storage, clock, host: '127.0.0.1', port: 0, owner: 'Ada', defaultProject: undefined },
      ...{ log, timeouts: { drainMs: 0 }, snapshots: fewEntries, memoryBytes },
    });
    return new ServedNode(node, storage);
  }

  private constructor(node: HostedNode, storage: NodeStorage) {
    this.url = node.url;
    this.#node = node;
    this.#storage = storage;
  }

  get isWhole(): boolean {
    return this.#node.store.status().writable;
  }

  /** Ends it as a killed process. Resolves when nothing of it can happen any more. */
  async kill(): Promise<void> {
    const dying = this.#storage.die();
    // Requests in progress are cut off.
    void this.#node.close();
    await dying;
    while (await this.#answers());
    // Its connections are closed by a timer that was set before it refused new ones: calls get no answer from here on.
    await soon(1);
    void this.#storage.close();
  }

  close(): Promise<void> {
    return this.#node.close();
  }

  async #answers(): Promise<boolean> {
    try {
      await (await fetch(`${this.url}/api/v1/health`)).arrayBuffer();
      return true;
    } catch {
      return false;
    }
  }
}

/** A service of several nodes, and its accidents. */
export interface Cluster {
  /** The nodes that serve now. */
  readonly nodes: readonly ClusterNode[];
  /** The reports of nodes. */
  readonly errors: readonly string[];
  /** Lets one thing happen at random. Resolves when it is over. */
  disturb(): Promise<void>;
  /** Kills a node; another takes its place. Resolves with the former's address when nothing of it can happen any more. */
  replace(): Promise<string>;
  close(): Promise<void>;
}
