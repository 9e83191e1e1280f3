import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What a crowd does with its connections: says nothing, was answered once, or is in the middle of its headers or of its body. */
export type Manner = 'silent' | 'rested' | 'headers' | 'body';

export interface CrowdOptions {
  readonly url: string;
  readonly count: number;
  readonly manner: Manner;
}

/** Connections that somebody opened, and how many of them are still open. */
export interface Counted {
  readonly open: number;
  readonly alive: number;
}

/** Many idle connections, held by a thread of their own. */
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

  /** Waits until at most so many are left open. */
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
