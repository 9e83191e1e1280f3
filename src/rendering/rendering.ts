import { createHash, hash } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { RenderJob } from '../domain/text/renderers.ts';
import { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { whenFetched } from '../store/index.ts';
import { FairQueue } from '../platform/fair-queue.ts';
import { renderCache } from './render-cache.ts';
import { RenderThread } from './render-thread.ts';

interface Waiting {
  readonly job: RenderJob;
  readonly key: string;
  readonly settle: (output: unknown) => void;
  readonly fail: (error: unknown) => void;
}

/** One thread for a text that needs its whole time limit, one for the others. */
const threadsMax = 2;

/** Renders texts in worker threads, with a time limit each, and caches the results. */
export class Rendering {
  readonly #clock: Clock;
  readonly #cache = renderCache(limits.renderCacheBytesMax);
  readonly #queue = new FairQueue<Waiting>(limits.rendersQueuedMax);
  /** Renderings in progress or queued, by key. */
  readonly #pending = new Map<string, Promise<unknown>>();
  readonly #free = Array.from({ length: threadsMax }, () => new RenderThread());
  readonly #threads: readonly RenderThread[] = [...this.#free];
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Renders a text, or returns the fallback. Throws `rate_limited` if too many texts are queued. */
  async render(job: RenderJob, from: string): Promise<unknown> {
    const key = keyOf(job);
    const cached = this.#cache.get(key);
    if (cached !== undefined && cached.expiresAt > this.#clock.monotonic()) return cached.output;
    return this.#pending.get(key) ?? this.#enqueue(job, key, from);
  }

  /** Rejects queued renderings and ends the threads. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { fail } of this.#queue.clear()) fail(closing());
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #enqueue(job: RenderJob, key: string, from: string): Promise<unknown> {
    if (this.#closed) return Promise.reject(closing());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (!this.#queue.add(from, { job, key, settle: resolve, fail: reject }))
      return Promise.reject(
        new PlannerError('rate_limited', 'Too many texts are waiting to be rendered. Try again.', { retry_after: 5 }),
      );
    const settled = promise.finally(() => this.#pending.delete(key));
    this.#pending.set(key, settled);
    this.#startNext();
    return settled;
  }

  #startNext(): void {
    const thread = this.#free.pop();
    if (thread === undefined) return;
    const next = this.#queue.take();
    if (next === undefined) return void this.#free.push(thread);
    void this.#run(thread, next)
      .then(next.settle, next.fail)
      .finally(() => {
        this.#free.push(thread);
        this.#startNext();
      });
  }

  async #run(thread: RenderThread, { job, key }: Waiting): Promise<unknown> {
    try {
      const output = await thread.run({ job: await loaded(job), plain: false });
      this.#cache.set(key, { output, expiresAt: Infinity });
      return output;
    } catch {
      if (this.#closed) throw closing();
      const output = await thread.run({ job: await loaded(job), plain: true });
      this.#cache.set(key, { output, expiresAt: this.#clock.monotonic() + limits.renderRetryMs });
      return output;
    }
  }
}

function closing(): PlannerError {
  return new PlannerError('unavailable', 'The service is shutting down. Try again once it has started.');
}

/** The job with its text loaded: a lazy text cannot be transferred to a thread. */
async function loaded({ name, options, text }: RenderJob): Promise<RenderJob> {
  const body = await whenFetched(() => text.body);
  return { name, options, text: { body } };
}

function keyOf({ name, text, options }: RenderJob): string {
  return createHash('sha256')
    .update(`${name} ${JSON.stringify(options)} `)
    .update(text.sha256 ?? hash('sha256', text.body, 'hex'))
    .digest('base64');
}
