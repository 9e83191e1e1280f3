import type { Clock } from '../clock.ts';
import { PlannerError } from '../errors.ts';
import { ConnectionLost, endSession, postMessage, SessionOver } from './connection.ts';
import type { PostOptions, ServiceAddress } from './connection.ts';
import type { RpcMessage } from './message.ts';

/** Where the service of a session is at present. */
export interface ServicePlace {
  /** A service that can be called now. Throws `PlannerError` where none can be had. */
  reach(signal: AbortSignal | undefined): Promise<ServiceAddress>;
  /** What `reach` answered did not answer, or no longer takes this credential. */
  lost(address: ServiceAddress): void;
}

export interface SessionOptions {
  readonly place: ServicePlace;
  readonly clock: Clock;
  /** How long a message is repeated while the connection breaks, in milliseconds. Default 15,000. */
  readonly patienceMs?: number | undefined;
  /** Ends everything that waits, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

type Params = Readonly<Record<string, unknown>>;

const patienceMsDefault = 15_000;
const pauseMsMax = 500;
const endMsMax = 1_000;
const initializeId = 'initialize';

/**
 * A session of MCP that outlives the service it began at: a message whose connection breaks is sent again, to the same service or to whatever
 * is in its place by then, in the same session. Every request is safe to repeat: what changes something bears its idempotency key.
 */
export class Session {
  readonly #place: ServicePlace;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #signal: AbortSignal | undefined;
  /** What the client said at initialize, with which the session is begun anew where it is over. */
  #initialize: Params | undefined;
  #begun: Promise<RpcMessage> | undefined;
  #id: string | undefined;
  #protocolVersion: string | undefined;
  #last: ServiceAddress | undefined;

  constructor({ place, clock, patienceMs = patienceMsDefault, signal }: SessionOptions) {
    this.#place = place;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#signal = signal;
  }

  /** What the client says of itself. The session begins with its first message, or with `begin`. */
  introduce(params: Params): void {
    this.#initialize = params;
    this.#begun = undefined;
    this.#id = undefined;
  }

  /** Begins the session where it has not begun; the service's answer to initialize. Throws `PlannerError`. */
  async begin(signal?: AbortSignal): Promise<RpcMessage> {
    signal?.throwIfAborted();
    this.#begun ??= this.#beginNow();
    const begun = this.#begun;
    try {
      return await abortable(begun, signal);
    } catch (thrown) {
      if (this.#begun === begun && signal?.aborted !== true) this.#begun = undefined;
      throw thrown;
    }
  }

  /** Sends a request and answers what the service answers. Throws `PlannerError`, and the signal's reason. */
  async request(message: RpcMessage, options: PostOptions = {}): Promise<RpcMessage> {
    for (let renewed = false; ; renewed = true) {
      if (this.#initialize !== undefined) await this.begin(options.signal);
      const begun = this.#begun;
      try {
        return (await this.#post(message, options)).answer!;
      } catch (thrown) {
        if (!(thrown instanceof SessionOver)) throw thrown;
        if (renewed) throw new PlannerError('unavailable', thrown.message);
        if (this.#begun === begun) this.#forget();
      }
    }
  }

  /** Sends a notification, once: what is lost with it is not worth a repeat. Throws like `request`. */
  async notify(message: RpcMessage): Promise<void> {
    if (this.#initialize !== undefined) await this.begin();
    const address = await this.#place.reach(this.#signal);
    await postMessage(address, message, this.#headers(), { signal: this.#signal });
  }

  /** Ends the session at the service, as well as that can be done. */
  async end(): Promise<void> {
    if (this.#id !== undefined && this.#last !== undefined) await endSession(this.#last, this.#headers(), endMsMax);
    this.#forget();
  }

  async #beginNow(): Promise<RpcMessage> {
    const message = { jsonrpc: '2.0', id: initializeId, method: 'initialize', params: this.#initialize ?? {} } as const;
    const { answer, session } = await this.#post(message, {});
    const { protocolVersion } = (answer?.result ?? {}) as { readonly protocolVersion?: string };
    this.#id = session;
    this.#protocolVersion = protocolVersion;
    return answer!;
  }

  #forget(): void {
    this.#begun = undefined;
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
      const address = await this.#place.reach(signal);
      try {
        const posted = await postMessage(address, message, this.#headers(), { signal, notify });
        this.#last = address;
        return posted;
      } catch (thrown) {
        if (thrown instanceof PlannerError && thrown.code === 'unauthorized') this.#place.lost(address);
        if (!(thrown instanceof ConnectionLost)) throw thrown;
        this.#place.lost(address);
        since ??= this.#clock.now();
        sent ||= thrown.sent;
        if (this.#clock.now() - since >= this.#patienceMs) throw gaveUp(thrown, sent);
      }
      await pause(pauseMs, signal);
    }
  }
}

function gaveUp({ message }: ConnectionLost, sent: boolean): PlannerError {
  if (!sent) return new PlannerError('unavailable', `${message}. Is it running, and is the URL right?`);
  return new PlannerError(
    'unavailable',
    `${message}. Whether the call was done is not known: repeated with the same idempotency key it changes nothing twice.`,
    { outcome: 'unknown' },
  );
}

/** Waits; throws the signal's reason when it is given. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
