import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../base/clock.ts';
import { limits } from '../../../base/limits.ts';
import { threadFile } from '../../../platform/thread-file.ts';
import type { DirectoryDepths } from '../../record/directory-depths.ts';

/** Events of files below `projects/`, by path relative to it. */
export interface WatchEvents {
  /** The number of events of each path: the service's own writes cause some of them. */
  readonly counted: ReadonlyMap<string, number>;
  /** Paths to rescan, even if the service is writing them. */
  readonly changed: ReadonlySet<string>;
}

/** The reports of a watch. */
export interface WatchListener {
  /** The next events are reported when the returned promise resolves: until then they accumulate. */
  readonly onEvents: (events: WatchEvents) => Promise<void> | void;
  /** Called when events were probably lost. */
  readonly onOverflow: () => void;
  /** Called when a part of the watch may be lost. */
  readonly onWatchLost: () => void;
  readonly onWatchFailed: (error: Error) => void;
}

/** A watch of the project directories of a root. */
export interface WatchPort {
  /** Resolves when the watch is ready. */
  start(): Promise<void>;
  /** Recreates the watch. Resolves when it is ready; changes during it are not reported. */
  restart(): Promise<void>;
  /** Resolves when the events that the system had queued were reported, or after `settleMsMax`: events are hints. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** The options that the thread is started with. */
export interface WatchThreadOptions {
  /** Absolute path of `projects/`. */
  readonly directory: string;
  readonly depths: DirectoryDepths;
}

/** A call of the thread's watch, and the reply with the same number. */
export type WatchCall = { readonly number: number; readonly call: 'start' | 'restart' | 'settle' };
/** A message to the thread. `more`: the events that were reported are processed. */
export type WatchRequest = WatchCall | { readonly more: true };
/** A message of the thread. */
export type WatchMessage =
  | { readonly number: number }
  | { readonly events: WatchEvents }
  | { readonly overflow: true }
  | { readonly lost: true }
  /** Errors are cloned without their codes. */
  | { readonly failed: Error; readonly code: string | undefined };

const settleMsMax = 500;

/**
 * Watches in a worker thread. An event costs about 20 µs between the kernel and its listener, and all events that the
 * kernel has queued arrive in one turn of the event loop, however many there are: a checkout of thousands of files
 * would block the thread that serves requests. The thread reports each path once, with the number of its events.
 */
export class ThreadWatch implements WatchPort {
  readonly #worker: Worker;
  readonly #listener: WatchListener;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, () => void>();
  #number = 0;
  #ended = false;

  constructor(options: WatchThreadOptions, clock: Clock, listener: WatchListener) {
    this.#listener = listener;
    this.#clock = clock;
    this.#worker = new Worker(threadFile(import.meta, 'watch-worker'), {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: limits.watchYoungGenerationMebibytesMax },
    });
    this.#worker.on('message', (message: WatchMessage) => this.#onMessage(message));
    this.#worker.on('error', (error: unknown) => this.#onEnd(error as Error));
    this.#worker.on('exit', (code) => this.#onEnd(new Error(`The thread that watches files has ended (${code}).`)));
    this.#worker.unref();
  }

  start(): Promise<void> {
    return this.#call('start');
  }

  restart(): Promise<void> {
    return this.#call('restart');
  }

  async settle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.after(settleMsMax, resolve);
    void this.#call('settle').then(resolve);
    await promise;
    timer.cancel();
  }

  async close(): Promise<void> {
    this.#release();
    await this.#worker.terminate();
  }

  /** Resolves also when the thread ends: only the periodic rescan finds edits then. */
  #call(call: WatchCall['call']): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const number = ++this.#number;
    this.#waiting.set(number, resolve);
    this.#worker.postMessage({ number, call } satisfies WatchRequest);
    return promise;
  }

  #onMessage(message: WatchMessage): void {
    if (this.#ended) return;
    if ('number' in message) {
      this.#waiting.get(message.number)?.();
      this.#waiting.delete(message.number);
    } else if ('events' in message) {
      void this.#listener.onEvents(message.events);
      // It continues in the next turn, so that other requests are served between two reports.
      setImmediate(() => this.#worker.postMessage({ more: true } satisfies WatchRequest));
    } else if ('overflow' in message) this.#listener.onOverflow();
    else if ('lost' in message) this.#listener.onWatchLost();
    else this.#listener.onWatchFailed(Object.assign(message.failed, { code: message.code }));
  }

  #onEnd(error: Error): void {
    if (this.#ended) return;
    this.#release();
    this.#listener.onWatchFailed(error);
  }

  #release(): void {
    this.#ended = true;
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
