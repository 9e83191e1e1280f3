import type { Clock } from '../clock.ts';
import { PlannerError } from '../errors.ts';
import { ConnectionLost, endSession, postMessage, SessionExpired } from './connection.ts';
import type { PostOptions, ServiceAddress } from './connection.ts';
import type { RpcMessage } from './message.ts';

/** Where the service of a session is at present. */
export interface ServiceLocator {
  /** A service that can be called now. Throws `PlannerError` where none can be had. */
  locate(signal: AbortSignal | undefined): Promise<ServiceAddress>;
  /** What `reach` answered did not answer, or no longer takes this credential. */
  invalidate(address: ServiceAddress): void;
}

export interface SessionOptions {
  readonly locator: ServiceLocator;
  readonly clock: Clock;
  /** How long a message is repeated while the connection breaks, in milliseconds. Default 15,000. */
  readonly retryMs?: number | undefined;
  /** Ends everything that waits, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

type Params = Readonly<Record<string, unknown>>;

const retryMsDefault = 15_000;
const pauseMsMax = 500;
const endMsMax = 1_000;
const initializeId = 'initialize';

/**
 * A session of MCP that outlives the service it began at: a message whose connection breaks is sent again, to the same service or to whatever
 * is in its place by then, in the same session. Every request is safe to repeat: what changes something bears its idempotency key.
 */
export class Session {
  readonly #locator: ServiceLocator;
  readonly #clock: Clock;
  readonly #retryMs: number;
  readonly #signal: AbortSignal | undefined;
  /** What the client said at initialize, with which the session is begun anew where it is over. */
  #initializeParams: Params | undefined;
  #initialized: Promise<RpcMessage> | undefined;
  #id: string | undefined;
  #protocolVersion: string | undefined;
  #lastAddress: ServiceAddress | undefined;

  constructor({ locator: place, clock, retryMs: patienceMs = retryMsDefault, signal }: SessionOptions) {
    this.#locator = place;
    this.#clock = clock;
    this.#retryMs = patienceMs;
    this.#signal = signal;
  }

  /** What the client says of itself. The session begins with its first message, or with `begin`. */
  setInitializeParams(params: Params): void {
    this.#initializeParams = params;
    this.#initialized = undefined;
    this.#id = undefined;
  }

  /** Begins the session where it has not begun; the service's answer to initialize. Throws `PlannerError`. */
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

  /** Sends a request and answers what the service answers. Throws `PlannerError`, and the signal's reason. */
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

  /** Sends a notification, once: what is lost with it is not worth a repeat. Throws like `request`. */
  async notify(message: RpcMessage): Promise<void> {
    if (this.#initializeParams !== undefined) await this.initialize();
    const address = await this.#locator.locate(this.#signal);
    await postMessage(address, message, this.#headers(), { signal: this.#signal });
  }

  /** Ends the session at the service, as well as that can be done. */
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

  /** Sends a message until it is answered, `patienceMs` long while nobody answers. */
  async #post(message: RpcMessage, { signal: own, notify }: PostOptions): ReturnType<typeof postMessage> {
    const signal =
      own === undefined || this.#signal === undefined ? (own ?? this.#signal) : AbortSignal.any([own, this.#signal]);
    let since: number | undefined;
    let sent = false;
    for (let pauseMs = 0; ; pauseMs = Math.min(pauseMs === 0 ? 20 : pauseMs * 2, pauseMsMax)) {
      const address = await this.#locator.locate(signal);
      try {
        const posted = await postMessage(address, message, this.#headers(), { signal, notify });
        this.#lastAddress = address;
        return posted;
      } catch (thrown) {
        if (thrown instanceof PlannerError && thrown.code === 'unauthorized') this.#locator.invalidate(address);
        if (!(thrown instanceof ConnectionLost)) throw thrown;
        this.#locator.invalidate(address);
        since ??= this.#clock.now();
        sent ||= thrown.sent;
        if (this.#clock.now() - since >= this.#retryMs) throw retriesExhausted(thrown, sent);
      }
      await delay(pauseMs, signal);
    }
  }
}

function retriesExhausted({ message }: ConnectionLost, sent: boolean): PlannerError {
  if (!sent) return new PlannerError('unavailable', `${message}. Is it running, and is the URL right?`);
  return new PlannerError(
    'unavailable',
    `${message}. Whether the call was done is not known: repeated with the same idempotency key it changes nothing twice.`,
    { outcome: 'unknown' },
  );
}

/** Waits; throws the signal's reason when it is given. */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return abortable(new Promise((resolve) => setTimeout(resolve, ms)), signal);
}

/** The same promise, which a signal ends earlier. */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  // What nobody waits for any more may still fail.
  work.catch(() => undefined);
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop!);
  }
}
