import { Worker } from 'node:worker_threads';
import type { RenderJob } from '../domain/text/renderers.ts';
import { limits } from '../base/limits.ts';
import { threadFile } from '../platform/thread-file.ts';

export interface RenderRequest {
  readonly job: RenderJob;
  /** True to return the fallback instead of the rendered text. */
  readonly plain: boolean;
}

/** `ready`: the first message, once the thread can render. */
export type RenderReply = { readonly output: unknown } | { readonly failure: string } | 'ready';

/** A thread that renders one text at a time, and is terminated if it takes too long. Starts with the first text, ends without work. */
export class RenderThread {
  #worker: Worker | undefined;
  /** True once the thread has loaded its modules: loading does not count as a text's processor time. */
  #isReady = false;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  /** Rejects if rendering fails, exceeds its time or memory limit, or if this is closed. */
  async run(request: RenderRequest): Promise<unknown> {
    if (this.#closed) throw new Error('The thread that renders is closed.');
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    try {
      return await this.#reply(worker, request);
    } finally {
      worker.unref();
      this.#idle = setTimeout(() => void this.#end(), limits.renderIdleMs).unref();
    }
  }

  /** Ends the thread, and never begins one again; a rendering in progress is rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(threadFile(import.meta, 'render-worker'), {
      resourceLimits: { maxOldGenerationSizeMb: limits.renderHeapMebibytesMax },
    });
    // The request in progress has its own listener; without one an error would end the process.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#isReady = false;
    return worker;
  }

  #reply(worker: Worker, request: RenderRequest): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onMessage = (reply: RenderReply): void => {
      if (reply === 'ready') this.#isReady = true;
      else if ('output' in reply) resolve(reply.output);
      else reject(new Error(reply.failure));
    };
    const onExit = (): void => reject(new Error('The thread that renders has ended.'));
    worker.on('message', onMessage).once('error', reject).once('exit', onExit);
    const expire = (): void => {
      reject(new Error('Rendering took too long.'));
      void this.#end();
    };
    const end = watchTime(worker, { isReady: () => this.#isReady, expire });
    worker.postMessage(request);
    return promise.finally(() => {
      end();
      worker.off('message', onMessage).off('error', reject).off('exit', onExit);
    });
  }
}

/**
 * Calls `expire` once the thread has exceeded its processor time, or has not finished within the maximum wait. The limit is on processor
 * time, because on a busy machine an ordinary text takes long too. Returns a function that stops the checks.
 */
function watchTime(
  worker: Worker,
  { isReady, expire }: { readonly isReady: () => boolean; readonly expire: () => void },
): () => void {
  let checks = 0;
  let first: NodeJS.CpuUsage | undefined;
  let hasEnded = false;
  const check = async (): Promise<void> => {
    if (++checks * limits.renderCheckMs >= limits.renderWaitMs) return expire();
    if (!isReady()) return;
    const used = await cpuUsage(worker, checks);
    // A check whose response is pending must not end the thread of the next text.
    if (hasEnded) return;
    first ??= used;
    if ((used.user + used.system - first.user - first.system) / 1000 > limits.renderMs) expire();
  };
  // The timer also keeps the process running while a text is rendered.
  const timer = setInterval(() => void check().catch(() => undefined), limits.renderCheckMs);
  return () => {
    hasEnded = true;
    clearInterval(timer);
  };
}

/** Microseconds of processor time; before Node 24.6 the time since the start instead. */
async function cpuUsage(worker: Worker, checks: number): Promise<NodeJS.CpuUsage> {
  const { cpuUsage: usage } = worker as { cpuUsage?: Worker['cpuUsage'] };
  return usage === undefined ? { user: checks * limits.renderCheckMs * 1000, system: 0 } : usage.call(worker);
}
