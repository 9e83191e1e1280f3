import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface FloodOptions {
  readonly url: string;
  /** Connections. */
  readonly count: number;
  /** The data that each of them sends, in one chunk. */
  readonly input: string;
  /** True if they read the responses. */
  readonly reads: boolean;
}

export interface FloodCount {
  /** Connections that are not known to be closed: a client that does not read notices only a reset. */
  readonly alive: number;
  readonly received: number;
}

/** Connections that all send at the same time, in a worker thread. */
export class Flood {
  readonly #worker: Worker;

  static async open(options: FloodOptions): Promise<Flood> {
    const worker = new Worker(new URL('./flood-worker.ts', import.meta.url), { workerData: options });
    await once(worker, 'message');
    return new Flood(worker);
  }

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  send(): void {
    this.#worker.postMessage('send');
  }

  async count(): Promise<FloodCount> {
    this.#worker.postMessage('count');
    const [counted] = (await once(this.#worker, 'message')) as [FloodCount];
    return counted;
  }

  async leave(): Promise<void> {
    await this.#worker.terminate();
  }
}
