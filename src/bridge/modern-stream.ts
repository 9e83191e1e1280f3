import type { RpcMessage } from '../client/message.ts';
import type { Session } from '../client/session.ts';
import { delay, systemClock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';
import { headersOfRequest, metaNames } from '../mcp/envelope.ts';
import { updatedNotification } from '../mcp/json-rpc.ts';
import type { Message } from '../mcp/json-rpc.ts';

type Params = Readonly<Record<string, unknown>>;

const streamMethods = new Set(['subscriptions/listen', 'events/stream']);
const pauseMs = 500;

/** Returns whether the response to a request is a stream that ends when the client cancels it. */
export function isStream({ method = '' }: Message): boolean {
  return streamMethods.has(method);
}

/**
 * A request whose notifications come until it is cancelled. If the service ends, it is sent to the next one, and the client notices nothing
 * but the notifications.
 */
export class ModernStream {
  readonly #request: Message;
  readonly #write: (message: RpcMessage) => void;
  /** The resources whose changes are reported, once that is confirmed. */
  #uris: readonly string[] = [];
  /** Where the events continue. */
  #cursor: unknown;
  #isConfirmed = false;
  #isTerminated = false;

  constructor(request: Message, write: (message: RpcMessage) => void) {
    this.#request = request;
    this.#write = write;
  }

  /** Resolves with the response: an error, or the end that is no restart. Rejects with the signal's reason. */
  async run(session: Session, signal: AbortSignal): Promise<RpcMessage> {
    const notify = (message: RpcMessage): void => this.#onMessage(message);
    for (;;) {
      try {
        const envelope = headersOfRequest(this.#request);
        const answer = await session.requestOutside(() => this.#next(), { signal, envelope, notify });
        if (answer.result === undefined || !this.#continues()) return answer;
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof PlannerError) || thrown.code !== 'unavailable' || !this.#isConfirmed) throw thrown;
      }
      await delay(systemClock, pauseMs, signal);
    }
  }

  /** The request, which continues after the client's last event. */
  #next(): RpcMessage {
    if (this.#cursor === undefined) return { ...this.#request };
    return { ...this.#request, params: { ...this.#request.params, cursor: this.#cursor } };
  }

  /** A stream that has something to report ends only with its service. */
  #continues(): boolean {
    return this.#isConfirmed && !this.#isTerminated && (this.#cursor !== undefined || this.#uris.length > 0);
  }

  #onMessage(message: RpcMessage): void {
    const { method = '', params = {} } = message;
    if (method === 'notifications/subscriptions/acknowledged') return this.#onAcknowledged(message, params);
    if (typeof params['cursor'] === 'string') this.#cursor = params['cursor'];
    if (method === 'notifications/events/terminated') this.#isTerminated = true;
    if (method === 'notifications/events/active') {
      const isKnown = this.#isConfirmed && params['truncated'] !== true;
      this.#isConfirmed = true;
      if (isKnown) return;
    }
    this.#write(message);
  }

  /** The first acknowledgement is for the client; after a later one, the changes in between are unknown. */
  #onAcknowledged(message: RpcMessage, { notifications }: Params): void {
    const uris = isObject(notifications) ? notifications['resourceSubscriptions'] : undefined;
    this.#uris = Array.isArray(uris) ? (uris as string[]) : [];
    if (!this.#isConfirmed) {
      this.#isConfirmed = true;
      return this.#write(message);
    }
    const _meta = { [metaNames.subscription]: this.#request.id };
    for (const uri of this.#uris) {
      const { params, ...updated } = updatedNotification(uri);
      this.#write({ ...updated, params: { ...params, _meta } });
    }
  }
}
