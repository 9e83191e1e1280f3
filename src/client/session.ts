import { abortable, type Clock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import { doubling, retry } from '../base/retry.ts';
import { ConnectionLost, endSession, postMessage, SessionExpired, sessionMessages } from './connection.ts';
import type { PostOptions, ServiceAddress } from './connection.ts';
import type { RpcMessage } from './message.ts';
import type { StreamedMessage } from './response.ts';

/** Finds the service of a session. */
export interface ServiceLocator {
  /** Resolves with the address of a running service. Rejects with `PlannerError` if no service runs. */
  locate(signal: AbortSignal | undefined): Promise<ServiceAddress>;
  /** Reports that an address from `locate` does not respond or no longer accepts the credential. */
  invalidate(address: ServiceAddress): void;
}

export interface SessionOptions {
  readonly locator: ServiceLocator;
  readonly clock: Clock;
  /** How long a message is retried while connections fail, in milliseconds. Default 15,000. */
  readonly retryMs?: number | undefined;
  /** Aborts all pending requests with its reason. */
  readonly signal?: AbortSignal | undefined;
}

type Params = Readonly<Record<string, unknown>>;

const retryMsDefault = 15_000;
const endMsMax = 1_000;
const initializeId = 'initialize';
/** At first at once: the service may have been replaced already. */
const pauseMs = (failures: number): number => (failures === 1 ? 0 : doubling(20, 500)(failures - 1));

/**
 * An MCP session that survives restarts of the service: a message whose connection fails is retried in the same session, at the same
 * service or its successor. Every request is safe to retry, since changes have an idempotency key.
 */
export class Session {
  readonly #locator: ServiceLocator;
  readonly #clock: Clock;
  readonly #retryMs: number;
  readonly #signal: AbortSignal | undefined;
  /** The client's initialize parameters, to start a new session when the current session expires. */
  #initializeParams: Params | undefined;
  #initialized: Promise<RpcMessage> | undefined;
  #id: string | undefined;
  #protocolVersion: string | undefined;
  #lastAddress: ServiceAddress | undefined;

  constructor({ locator, clock, retryMs = retryMsDefault, signal }: SessionOptions) {
    this.#locator = locator;
    this.#clock = clock;
    this.#retryMs = retryMs;
    this.#signal = signal;
  }

  /** Sets the initialize parameters. The session starts with its first message, or with `initialize`. */
  setInitializeParams(params: Params): void {
    this.#initializeParams = params;
    this.#initialized = undefined;
    this.#id = undefined;
  }

  /** Starts the session unless it is started. Resolves with the service's response to initialize. Rejects with `PlannerError`. */
  async initialize(signal?: AbortSignal): Promise<RpcMessage> {
    signal?.throwIfAborted();
    this.#initialized ??= this.#sendInitialize();
    const begun = this.#initialized;
    try {
      return await abortable(begun, signal);
    } catch (thrown) {
      if (this.#initialized === begun && signal?.aborted !== true) this.#initialized = undefined;
      throw thrown;
    }
  }

  /** The id of the session; undefined before it started. It changes when an expired session is replaced. */
  get id(): string | undefined {
    return this.#id;
  }

  /**
   * The messages that belong to no request, after the one with `lastEventId`. Starts the session if it has to be. Ends when the stream ends.
   * Rejects with `ConnectionLost`, `PlannerError` or the signal's reason; an expired session is replaced by the next call.
   */
  async *messages(lastEventId: string | undefined, signal: AbortSignal): AsyncGenerator<StreamedMessage, void> {
    await this.initialize(signal);
    const begun = this.#initialized;
    const address = await this.#locator.locate(signal);
    try {
      yield* sessionMessages(address, this.#headers(), lastEventId, signal);
    } catch (thrown) {
      if (thrown instanceof SessionExpired && this.#initialized === begun) this.#reset();
      if (thrown instanceof ConnectionLost || isUnauthorized(thrown)) this.#locator.invalidate(address);
      throw thrown;
    }
  }

  /** Sends a request of a revision without sessions; a function creates it for each attempt. Otherwise like `request`. */
  async requestOutside(
    message: RpcMessage | (() => RpcMessage),
    options: PostOptions & Required<Pick<PostOptions, 'envelope'>>,
  ): Promise<RpcMessage> {
    return (await this.#post(message, options)).answer!;
  }

  /** Sends a request and resolves with the response. Rejects with `PlannerError` or the signal's reason. */
  async request(message: RpcMessage, options: PostOptions = {}): Promise<RpcMessage> {
    for (let renewed = false; ; renewed = true) {
      if (this.#initializeParams !== undefined) await this.initialize(options.signal);
      const begun = this.#initialized;
      try {
        return (await this.#post(message, options)).answer!;
      } catch (thrown) {
        if (!(thrown instanceof SessionExpired)) throw thrown;
        if (renewed) throw new PlannerError('unavailable', thrown.message);
        if (this.#initialized === begun) this.#reset();
      }
    }
  }

  /**
   * Sends a notification or a response without retries, because no message of this kind matters enough. Rejects like
   * `request`.
   */
  async notify(message: RpcMessage): Promise<void> {
    if (this.#initializeParams !== undefined) await this.initialize();
    const address = await this.#locator.locate(this.#signal);
    await postMessage(address, message, this.#headers(), { signal: this.#signal });
  }

  /** Ends the session at the service. Errors are ignored. */
  async end(): Promise<void> {
    if (this.#id !== undefined && this.#lastAddress !== undefined)
      await endSession(this.#lastAddress, this.#headers(), endMsMax);
    this.#reset();
  }

  async #sendInitialize(): Promise<RpcMessage> {
    const message = {
      jsonrpc: '2.0',
      id: initializeId,
      method: 'initialize',
      params: this.#initializeParams ?? {},
    } as const;
    const { answer, session } = await this.#post(message, {});
    const { protocolVersion } = (answer?.result ?? {}) as { readonly protocolVersion?: string };
    this.#id = session;
    this.#protocolVersion = protocolVersion;
    return answer!;
  }

  #reset(): void {
    this.#initialized = undefined;
    this.#id = undefined;
  }

  #headers(): { readonly id: string | undefined; readonly protocolVersion: string | undefined } {
    return { id: this.#id, protocolVersion: this.#protocolVersion };
  }

  /** Sends a message and retries it with backoff, for `retryMs` at most, while connections fail. */
  async #post(
    message: RpcMessage | (() => RpcMessage),
    { signal: own, notify, envelope }: PostOptions,
  ): ReturnType<typeof postMessage> {
    const signal =
      own === undefined || this.#signal === undefined ? (own ?? this.#signal) : AbortSignal.any([own, this.#signal]);
    const attempt = async (): ReturnType<typeof postMessage> => {
      const address = await this.#locator.locate(signal);
      const headers = envelope === undefined ? this.#headers() : {};
      try {
        const sending = typeof message === 'function' ? message() : message;
        const posted = await postMessage(address, sending, headers, { signal, notify, envelope });
        this.#lastAddress = address;
        return posted;
      } catch (thrown) {
        if (thrown instanceof ConnectionLost || isUnauthorized(thrown)) this.#locator.invalidate(address);
        // Another service may have the same URL by now: it was started after this one, or is of another root.
        if (isUnauthorized(thrown) && !isSame(await this.#locator.locate(signal), address)) return attempt();
        throw thrown;
      }
    };
    let since: number | undefined;
    let sent = false;
    const mayRetry = (thrown: unknown): boolean => {
      if (!(thrown instanceof ConnectionLost)) return false;
      since ??= this.#clock.now();
      sent ||= thrown.sent;
      if (this.#clock.now() - since >= this.#retryMs) throw retriesExhausted(thrown, sent);
      return true;
    };
    return retry({ clock: this.#clock, pauseMs, mayRetry, signal }, attempt);
  }
}

function isUnauthorized(thrown: unknown): boolean {
  return thrown instanceof PlannerError && thrown.code === 'unauthorized';
}

function isSame(left: ServiceAddress, right: ServiceAddress): boolean {
  return left.url === right.url && left.authorization === right.authorization;
}

function retriesExhausted({ message }: ConnectionLost, sent: boolean): PlannerError {
  if (!sent) return new PlannerError('unavailable', `${message}. Is it running, and is the URL correct?`);
  return new PlannerError(
    'unavailable',
    `${message}. The call may have been executed; retrying it with the same idempotency key is safe.`,
    { outcome: 'unknown' },
  );
}
