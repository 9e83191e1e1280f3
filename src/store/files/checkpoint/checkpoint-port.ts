import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { limits } from '../../../limits.ts';
import type { BatchResult, CheckpointJob, CheckpointPort, SyncFailure } from './checkpoint-job.ts';
import type { CheckpointWriter } from './checkpoint-writer.ts';

/** The options that the thread is started with. */
export interface CheckpointThreadOptions {
  /** The root's `.planner` directory, absolute. */
  readonly root: string;
  /**
   * A module (file URL) whose `createRenderer(data)` returns the thread's `Renderer`; `data` is anything that can be
   * cloned. A function cannot be transferred to a thread.
   */
  readonly renderer?: { readonly module: string; readonly data: unknown };
}

/** A request to the thread, and the reply with the same number. */
export type CheckpointRequest = { readonly number: number } & (
  { readonly run: readonly CheckpointJob[] } | { readonly sync: readonly string[] }
);
export type CheckpointReply = { readonly number: number } & (
  { readonly answer: BatchResult | readonly SyncFailure[] } | { readonly error: Error }
);

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Executes jobs in the caller's thread, before the call returns. */
export class InlineCheckpoints implements CheckpointPort {
  readonly #writer: CheckpointWriter;

  constructor(writer: CheckpointWriter) {
    this.#writer = writer;
  }

  run(jobs: readonly CheckpointJob[]): Promise<BatchResult> {
    return new Promise((resolve) => resolve(this.#writer.run(jobs)));
  }

  sync(paths: readonly string[]): Promise<readonly SyncFailure[]> {
    return new Promise((resolve) => resolve(this.#writer.sync(paths)));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/**
 * Executes jobs in a worker thread, one request after the other. If the thread ends, every further request is rejected;
 * no change is lost, since the journal has them.
 */
export class ThreadCheckpoints implements CheckpointPort {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #failed: Error | undefined;

  constructor(options: CheckpointThreadOptions) {
    // In the same directory, with the same extension (source or compiled).
    const file = join(import.meta.dirname, `checkpoint-worker${extname(import.meta.filename)}`);
    this.#worker = new Worker(file, {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: limits.writerYoungGenerationMebibytesMax },
    });
    this.#worker.on('message', (reply: CheckpointReply) => this.#onReply(reply));
    this.#worker.on('error', (error: unknown) => this.#fail(error as Error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`The thread that writes files has ended (${code}).`)));
    this.#worker.unref();
  }

  run(jobs: readonly CheckpointJob[]): Promise<BatchResult> {
    return this.#request<BatchResult>((number) => ({ number, run: jobs.map(detached) }));
  }

  sync(paths: readonly string[]): Promise<readonly SyncFailure[]> {
    return this.#request<readonly SyncFailure[]>((number) => ({ number, sync: paths }));
  }

  /** Completes the requests in progress, then ends the thread. */
  async close(): Promise<void> {
    await this.sync([]).catch(() => undefined);
    await this.#worker.terminate();
  }

  #request<A>(request: (number: number) => CheckpointRequest): Promise<A> {
    if (this.#failed) return Promise.reject(this.#failed);
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const number = ++this.#number;
    this.#worker.postMessage(request(number));
    this.#waiting.set(number, { resolve, reject });
    // The process stays alive for a reply, not for an idle thread.
    this.#worker.ref();
    return promise;
  }

  #onReply(reply: CheckpointReply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('error' in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.answer as never);
  }

  #fail(error: Error): void {
    this.#failed ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failed);
    this.#waiting.clear();
  }
}

/** A view of a larger buffer is cloned with the whole buffer; small Buffers are such views of Node's pool. */
function detached(job: CheckpointJob): CheckpointJob {
  if (!('bytes' in job) || !(job.bytes instanceof Uint8Array)) return job;
  const { bytes } = job;
  return bytes.byteLength === bytes.buffer.byteLength
    ? job
    : ({ ...job, bytes: Uint8Array.from(bytes) } as CheckpointJob);
}
