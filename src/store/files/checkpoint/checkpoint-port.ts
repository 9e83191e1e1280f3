import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../../base/clock.ts';
import { limits } from '../../../base/limits.ts';
import { threadFile } from '../../../platform/thread-file.ts';
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
  | { readonly run: readonly CheckpointJob[] }
  | { readonly sync: readonly string[] }
);
export type CheckpointReply = { readonly number: number } & (
  | { readonly answer: BatchResult | readonly SyncFailure[] }
  | { readonly error: Error }
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
 * Executes jobs in a worker thread, one request after the other. The thread starts with the first request and ends when
 * there was none for a while: an idle service needs no second heap. If it ends unasked, every further request is
 * rejected; no change is lost, since the journal has them.
 */
export class ThreadCheckpoints implements CheckpointPort {
  readonly #options: CheckpointThreadOptions;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #number = 0;
  #failed: Error | undefined;
  #idle: Timer | undefined;
  #closed = false;
  /** Directories that could not be synced before the thread was to end: the next call of `sync` returns them. */
  readonly #failures: SyncFailure[] = [];

  constructor(options: CheckpointThreadOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** True if the thread runs. */
  get runs(): boolean {
    return this.#worker !== undefined;
  }

  run(jobs: readonly CheckpointJob[]): Promise<BatchResult> {
    return this.#request<BatchResult>((number) => ({ number, run: jobs.map(detached) }));
  }

  async sync(paths: readonly string[]): Promise<readonly SyncFailure[]> {
    const failures = this.#failures.splice(0);
    if (paths.length > 0 || this.#worker !== undefined) failures.push(...(await this.#sync(paths)));
    return failures;
  }

  #sync(paths: readonly string[]): Promise<readonly SyncFailure[]> {
    return this.#request<readonly SyncFailure[]>((number) => ({ number, sync: paths }));
  }

  /** Completes the requests in progress, then ends the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#idle?.cancel();
    if (this.#worker === undefined) return;
    await this.sync([]).catch(() => undefined);
    await this.#end();
  }

  #request<A>(request: (number: number) => CheckpointRequest): Promise<A> {
    if (this.#failed) return Promise.reject(this.#failed);
    if (this.#closed && this.#worker === undefined)
      return Promise.reject(new Error('The thread that writes files is closed.'));
    this.#idle?.cancel();
    const { promise, resolve, reject } = Promise.withResolvers<A>();
    const number = ++this.#number;
    const worker = (this.#worker ??= this.#start());
    worker.postMessage(request(number));
    this.#waiting.set(number, { resolve, reject });
    // The process stays alive for a reply, not for an idle thread.
    worker.ref();
    return promise;
  }

  #start(): Worker {
    const worker = new Worker(threadFile(import.meta, 'checkpoint-worker'), {
      workerData: this.#options,
      resourceLimits: { maxYoungGenerationSizeMb: limits.writerYoungGenerationMebibytesMax },
    });
    worker.on('message', (reply: CheckpointReply) => this.#onReply(reply));
    worker.on('error', (error: unknown) => this.#fail(error as Error));
    worker.on('exit', (code) => this.#fail(new Error(`The thread that writes files has ended (${code}).`)));
    worker.unref();
    return worker;
  }

  #onReply(reply: CheckpointReply): void {
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (this.#waiting.size === 0) this.#rest();
    if ('error' in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.answer as never);
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle?.cancel();
    if (this.#closed) return;
    this.#idle = this.#clock.after(limits.writerIdleMs, () => void this.#endIdle()).unref();
  }

  /** The thread knows which directories are to be synced: it ends once they are. */
  async #endIdle(): Promise<void> {
    const last = this.#number + 1;
    const failures = await this.#sync([]).catch(() => undefined);
    this.#failures.push(...(failures ?? []));
    if (failures?.length === 0 && this.#number === last && !this.#closed) await this.#end();
  }

  async #end(): Promise<void> {
    this.#idle?.cancel();
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.removeAllListeners();
    await worker?.terminate();
  }

  #fail(error: Error): void {
    this.#failed ??= error;
    this.#idle?.cancel();
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
