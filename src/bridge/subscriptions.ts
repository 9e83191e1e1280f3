import { ConnectionLost, SessionExpired } from '../client/connection.ts';
import type { RpcMessage } from '../client/message.ts';
import type { Session } from '../client/session.ts';
import { delay, systemClock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { updatedNotification } from '../mcp/json-rpc.ts';

export interface SubscriptionsOptions {
  readonly session: Session;
  /** Writes a message to the client. */
  readonly write: (message: RpcMessage) => void;
}

const pauseMs = { min: 100, max: 5_000 } as const;

/**
 * The resources that the client of a session subscribed to. While there are any, reads the session's stream and forwards its notifications,
 * also across restarts of the service.
 */
export class SessionSubscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #uris = new Set<string>();
  /** The session that has them. */
  #session: string | undefined;
  #reading: AbortController | undefined;

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  /** Call it with each request and its response. Returns the work that reading the stream is, if it begins. */
  onAnswer({ method, params }: RpcMessage, { result }: RpcMessage): Promise<void> | undefined {
    const uri = params?.['uri'];
    if (result === undefined || typeof uri !== 'string') return undefined;
    if (method === 'resources/unsubscribe') {
      this.#uris.delete(uri);
      if (this.#uris.size === 0) this.end();
    }
    if (method !== 'resources/subscribe') return undefined;
    this.#uris.add(uri);
    if (this.#reading !== undefined) return undefined;
    this.#session = this.#options.session.id;
    this.#reading = new AbortController();
    return this.#read(this.#reading.signal);
  }

  /** Stops reading. */
  end(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  async #read(signal: AbortSignal): Promise<void> {
    let lastId: string | undefined;
    for (let ms: number = pauseMs.min; !signal.aborted; ms = Math.min(ms * 2, pauseMs.max)) {
      try {
        if (await this.#renewed(signal)) lastId = undefined;
        for await (const { id, message } of this.#options.session.messages(lastId, signal)) {
          lastId = id ?? lastId;
          ms = pauseMs.min;
          this.#options.write(message);
        }
      } catch (thrown) {
        // Without a service there are no changes: it is looked for again.
        if (!isTransient(thrown) && !signal.aborted) throw thrown;
      }
      await delay(systemClock, ms, signal).catch(() => undefined);
    }
  }

  /** Subscribes in a session that replaced the one before. The changes in between are unknown. */
  async #renewed(signal: AbortSignal): Promise<boolean> {
    const { session, write } = this.#options;
    await session.initialize(signal);
    if (session.id === this.#session) return false;
    const { id: now } = session;
    for (const uri of this.#uris) {
      const subscribe = {
        jsonrpc: '2.0',
        id: `planner-subscribe`,
        method: 'resources/subscribe',
        params: { uri },
      } as const;
      await session.request(subscribe, { signal });
      write(updatedNotification(uri));
    }
    this.#session = now;
    return true;
  }
}

function isTransient(thrown: unknown): boolean {
  return thrown instanceof PlannerError || thrown instanceof ConnectionLost || thrown instanceof SessionExpired;
}

/** The request of the service that a call passed to the client, which a retry of the call replaces. */
export class PassedRequest {
  readonly #write: (message: RpcMessage) => void;
  #id: RpcMessage['id'] | undefined;

  constructor(write: (message: RpcMessage) => void) {
    this.#write = write;
  }

  /** Writes a message that precedes the response. */
  pass(message: RpcMessage): void {
    if (isObject(message) && message.method !== undefined && message.id !== undefined) {
      if (this.#id !== undefined)
        this.#write({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: this.#id, reason: 'The service was restarted and asks again.' },
        });
      this.#id = message.id;
    }
    this.#write(message);
  }
}
