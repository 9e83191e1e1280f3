import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The state of a crowd's connections: silent, idle after a response, or in the middle of headers or of a body. */
export type Manner = 'silent' | 'rested' | 'headers' | 'body';

export interface CrowdOptions {
  readonly url: string;
  readonly count: number;
  readonly manner: Manner;
}

/** Connections that were opened, and how many of them are still open. */
export interface Counted {
  readonly open: number;
  readonly alive: number;
}

/** Many idle connections in a worker thread. */
export class Crowd {
  readonly #worker: Worker;

  static async gather(options: CrowdOptions): Promise<Crowd> {
    const worker = new Worker(new URL('./crowd-worker.ts', import.meta.url), { workerData: options });
    await once(worker, 'message');
    return new Crowd(worker);
  }

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Waits until at most the given number are open. */
  async settled(most: number): Promise<Counted> {
    for (;;) {
      this.#worker.postMessage('count');
      const [counted] = (await once(this.#worker, 'message')) as [Counted];
      if (counted.alive <= most) return counted;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async leave(): Promise<void> {
    await this.#worker.terminate();
  }
}
