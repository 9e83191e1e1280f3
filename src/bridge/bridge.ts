import type { Readable, Writable } from 'node:stream';
import { Session } from '../client/session.ts';
import type { ServiceLocator } from '../client/session.ts';
import type { RpcId, RpcMessage } from '../client/message.ts';
import type { Clock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import { randomToken } from '../base/ids.ts';
import { isObject } from '../base/is-object.ts';
import { limits } from '../base/limits.ts';
import { answerWithoutService } from '../mcp/discover.ts';
import { envelopeOf, headersOfRequest, isModern } from '../mcp/envelope.ts';
import { readMessages } from '../mcp/json-rpc.ts';
import type { Message } from '../mcp/json-rpc.ts';
import {
  resultResponse,
  invalidMessageResponse,
  parseErrorResponse,
  errorResponse,
  rootsNeededResponse,
  withIdempotencyKey,
} from './responses.ts';
import { ClientRoots } from './client-roots.ts';
import { LineWriter, readLines } from './lines.ts';
import { isStream, ModernStream } from './modern-stream.ts';
import { PassedRequest, SessionSubscriptions } from './subscriptions.ts';

/** Locates the service of a bridge. */
export interface BridgeLocator extends ServiceLocator {
  /** The location depends on the client's roots, which may be requested only after the response to initialize. */
  readonly dependsOnRoots: boolean;
  /** Returns whether no service is found without the client's roots. Opens nothing. */
  needsRoots(): Promise<boolean>;
  /** Rewrites an error for this program's user, who does not send the key: where it is, and how to replace it. */
  explain?(error: PlannerError): PlannerError;
  /** Makes `locate` reject. A service that was located keeps running. */
  stop(): void;
  /** Closes the service if this process runs it. */
  close(): Promise<void>;
}

export interface BridgeOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** `roots`: requests the directories that the client works in. */
  readonly locator: (roots: () => Promise<readonly string[]>) => BridgeLocator;
  readonly clock: Clock;
  readonly version: string;
  /** Called with internal errors, whose text is not sent to the client. */
  readonly onError: (thrown: unknown) => void;
}

type Params = Readonly<Record<string, unknown>>;

const keyBytes = 18;
/** How long calls that were sent may take after SIGTERM, in milliseconds. */
const drainMs = 5_000;

/**
 * An MCP server over stdio in front of a service: forwards the messages of one client and writes the responses. A call whose service exits
 * is retried at the next one with its idempotency key, so that it is executed once and gets one response.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #out: LineWriter;
  readonly #locator: BridgeLocator;
  readonly #session: Session;
  readonly #roots: ClientRoots;
  readonly #ending = new AbortController();
  readonly #subscriptions: SessionSubscriptions;
  /** Requests in progress. Aborting one drops it without a response. */
  readonly #inFlight = new Map<RpcId, AbortController>();
  /** The streams that end only if they are aborted. */
  readonly #streams = new Set<AbortController>();
  readonly #work = new Set<Promise<unknown>>();
  /** Resolves when the response to initialize was sent. Messages that arrive before wait for it. */
  #initialized: Promise<unknown> = Promise.resolve();
  /** The client sends requests of a revision without sessions. */
  #modern = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#out = new LineWriter(options.output);
    this.#roots = new ClientRoots((message) => this.#write(message));
    this.#locator = options.locator(() => this.#roots.list());
    this.#session = new Session({ locator: this.#locator, clock: options.clock, signal: this.#ending.signal });
    this.#subscriptions = new SessionSubscriptions({
      session: this.#session,
      write: (message) => this.#write(message),
    });
  }

  /** Serves until the input ends, completes the requests in progress and closes everything. */
  async run(): Promise<void> {
    await readLines(this.#options.input, limits.requestBytesMax, (line) => this.#track(this.#onLine(line)));
    this.#roots.end();
    this.#endStreams();
    // Without requests in progress, do not open a root just for pending notifications.
    if (this.#inFlight.size === 0) this.#locator.stop();
    while (this.#work.size > 0) await Promise.all(this.#work);
    await this.#session.end();
    await this.#locator.close();
    await this.#out.flushed();
  }

  /** Ends the streams that would never end without the client. */
  #endStreams(): void {
    this.#subscriptions.end();
    for (const [id, waiting] of this.#inFlight)
      if (this.#streams.has(waiting)) {
        this.#inFlight.delete(id);
        waiting.abort();
      }
  }

  /** Stops reading, and drops messages that were not sent yet. `run` resolves soon after. */
  stop(): void {
    this.#locator.stop();
    this.#options.input.destroy();
    setTimeout(() => this.#ending.abort(shutdownError()), drainMs).unref();
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.catch(this.#options.onError).finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  async #onLine(line: string | PlannerError): Promise<void> {
    if (typeof line !== 'string') return this.#write(parseErrorResponse(line));
    let body: unknown;
    try {
      body = JSON.parse(line);
    } catch (error) {
      const reason = `The line is not JSON: ${(error as Error).message}. Each line is one message of JSON-RPC.`;
      return this.#write(parseErrorResponse(new PlannerError('invalid_argument', reason)));
    }
    let messages: readonly Message[];
    try {
      messages = readMessages(body);
      if (Array.isArray(body) && messages.some((message) => isModern(message)))
        throw new PlannerError('invalid_argument', 'Messages of this revision of MCP are sent alone, not in a batch.');
    } catch (error) {
      return this.#write(invalidMessageResponse(error as PlannerError, body));
    }
    const answers = (await Promise.all(messages.map((message) => this.#answer(message)))).filter(isResponse);
    if (answers.length > 0) this.#write(Array.isArray(body) ? answers : answers[0]!);
  }

  /** Handles a message. Resolves with the response; undefined for a message without a response. */
  async #answer(message: Message): Promise<RpcMessage | undefined> {
    const { id, method, params = {} } = message;
    if (method === undefined) return void (await this.#onResponse(message));
    if (id === undefined) return void (await this.#onNotification(message));
    const modern = isModern(message);
    if (method === 'ping' && !modern) return resultResponse(id, {});
    const waiting = new AbortController();
    this.#inFlight.set(id, waiting);
    try {
      if (modern) return this.#explained(message, await this.#answerModern(message, waiting));
      if (method !== 'initialize') return await this.#forward(message, waiting.signal);
      const introduced = this.#initialize(params);
      // One turn later the response is written; no request may be sent to the client before it.
      this.#initialized = introduced.catch(() => undefined).then(() => new Promise(setImmediate));
      return { ...(await introduced), id };
    } catch (thrown) {
      return waiting.signal.aborted ? undefined : errorResponse(message, this.#asError(thrown));
    } finally {
      if (this.#inFlight.get(id) === waiting) this.#inFlight.delete(id);
    }
  }

  /** A revision without sessions gets the service's own refusal, which is about the header of a request. */
  #explained(message: Message, answer: RpcMessage | undefined): RpcMessage | undefined {
    const refused = isObject(answer?.error) ? answer.error['data'] : undefined;
    if (!isObject(refused) || refused['error'] !== 'unauthorized') return answer;
    const error = new PlannerError('unauthorized', String(refused['message']));
    return errorResponse(message, this.#locator.explain?.(error) ?? error);
  }

  async #forward(message: RpcMessage, signal: AbortSignal): Promise<RpcMessage> {
    // The key is created once, before the first attempt.
    const keyed = withIdempotencyKey(message, () => randomToken(keyBytes));
    await this.#initialized;
    const passed = new PassedRequest((notification) => this.#write(notification));
    const answer = await this.#session.request(keyed, { signal, notify: (one) => passed.pass(one) });
    const reading = this.#subscriptions.onAnswer(message, answer);
    if (reading !== undefined) this.#track(reading);
    return answer;
  }

  /** A response to a request of the bridge, or of the service. */
  async #onResponse(message: Message): Promise<void> {
    if (this.#roots.onResponse(message) || this.#modern) return;
    // If the service is gone, so is its question.
    await this.#session.notify(message as RpcMessage).catch(() => undefined);
  }

  /** Responds to a request of a revision without sessions, or forwards it: it needs nothing of what came before it. */
  async #answerModern(message: Message, waiting: AbortController): Promise<RpcMessage> {
    const { signal } = waiting;
    this.#modern = true;
    const own = answerWithoutService(message, this.#options.version) as RpcMessage | undefined;
    const discovered = own?.result !== undefined;
    if (discovered && isObject(envelopeOf(message).capabilities['roots']) && (await this.#locator.needsRoots()))
      return rootsNeededResponse(message.id!);
    if (own !== undefined) return own;
    if (isStream(message)) {
      this.#streams.add(waiting);
      const stream = new ModernStream(message, (notification) => this.#write(notification));
      return stream.run(this.#session, signal).finally(() => this.#streams.delete(waiting));
    }
    const keyed = withIdempotencyKey(message, () => randomToken(keyBytes));
    return this.#session.requestOutside(keyed, { signal, envelope: headersOfRequest(message) });
  }

  /** The service's own response if the service is known; else the response that every service gives, and the session starts later. */
  async #initialize(params: Params): Promise<RpcMessage> {
    this.#session.setInitializeParams(params);
    this.#roots.setCapabilities(params);
    if (!this.#roots.supported || !this.#locator.dependsOnRoots) return this.#session.initialize();
    const { introduction } = await import('../mcp/introduction.ts');
    return introduction(params, this.#options.version);
  }

  async #onNotification(message: Message): Promise<void> {
    const { method, params = {} } = message;
    if (method === 'notifications/cancelled') this.#inFlight.get(params['requestId'] as RpcId)?.abort();
    if (method === 'notifications/roots/list_changed' || this.#modern) return;
    await this.#initialized;
    // A notification has no response. If there is no service, the next call reports it.
    await this.#session.notify(message as RpcMessage).catch(() => undefined);
  }

  #asError(thrown: unknown): PlannerError {
    if (thrown instanceof PlannerError) return this.#locator.explain?.(thrown) ?? thrown;
    this.#options.onError(thrown);
    return new PlannerError('internal', 'The bridge failed; its standard error has the reason.');
  }

  #write(message: RpcMessage | readonly RpcMessage[]): void {
    this.#out.write(JSON.stringify(message));
  }
}

function shutdownError(): PlannerError {
  return new PlannerError('unavailable', 'planner mcp was stopped before the service responded.', {
    outcome: 'unknown',
  });
}

function isResponse(message: RpcMessage | undefined): message is RpcMessage {
  return isObject(message);
}
