import type { ServerResponse } from 'node:http';
import { beginEventStream, keepAliveMs, writeToStream } from '../http/event-stream.ts';

export interface MessageStreamOptions {
  /** Aborts when the credential ends, or the service is closed. */
  readonly closing?: AbortSignal | undefined;
  /** Called at intervals; the stream ends if it rejects: the credential was revoked. */
  readonly check?: () => Promise<unknown>;
  /** Sends something at intervals. Default: a comment. */
  readonly beat?: () => Promise<void>;
}

/** JSON-RPC messages as Server-Sent Events. */
export class MessageStream {
  /** Resolves when the stream is to end: the client is gone, `closing` aborts, or `stop` was called. */
  readonly ended: Promise<void>;
  readonly #response: ServerResponse;
  readonly #options: MessageStreamOptions;
  readonly #begun = Promise.withResolvers<void>();
  #stop!: () => void;
  #isOver = false;
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, options: MessageStreamOptions = {}) {
    this.#response = response;
    this.#options = options;
    this.ended = new Promise((resolve) => (this.#stop = resolve));
    response.once('close', this.stop);
    options.closing?.addEventListener('abort', this.stop);
    if (options.closing?.aborted === true) this.stop();
  }

  /** Begins the response: before it, another response is possible, and messages wait. */
  begin(): this {
    beginEventStream(this.#response);
    this.#keepAlive = setInterval(() => void this.#beat(), keepAliveMs).unref();
    this.#begun.resolve();
    return this;
  }

  /** Sends a message. `id`: where the client continues. Resolves when the client can take more. */
  async send(message: object, id?: string): Promise<void> {
    await this.#begun.promise;
    const place = id === undefined ? '' : `id: ${id}\n`;
    await writeToStream(this.#response, `event: message\n${place}data: ${JSON.stringify(message)}\n\n`);
  }

  /** Sets how long the client waits before it connects again. */
  retryAfter(ms: number): Promise<void> {
    return writeToStream(this.#response, `retry: ${ms}\n\n`);
  }

  /** Makes `ended` resolve. */
  readonly stop = (): void => {
    this.#isOver = true;
    this.#stop();
  };

  /** True once `ended` resolves. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends the response, if it has begun. */
  end(): void {
    clearInterval(this.#keepAlive);
    this.#options.closing?.removeEventListener('abort', this.stop);
    if (this.#keepAlive !== undefined) this.#response.end();
  }

  async #beat(): Promise<void> {
    const { check, beat = () => writeToStream(this.#response, ': keep-alive\n\n') } = this.#options;
    try {
      await check?.();
      await beat();
    } catch {
      this.stop();
    }
  }
}
