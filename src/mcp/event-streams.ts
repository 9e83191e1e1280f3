import { PlannerError } from '../base/errors.ts';
import type { EventListAnswer } from '../schema/types.ts';
import type { Message } from './json-rpc.ts';
import { RpcError } from './json-rpc.ts';
import { MessageStream } from './message-stream.ts';
import { completed, inStream } from './modern-streams.ts';
import type { StreamRequest } from './modern-streams.ts';
import { asRpcError, codes, expiredAt, occurrenceOf, recent, subscriptionOf } from './plan-events.ts';
import type { Subscription } from './plan-events.ts';

type Params = Readonly<Record<string, unknown>>;

/** Follows `list_events`. An error of the first answer is thrown by the first `next`. */
export type FollowEvents = (input: Subscription['input'], signal: AbortSignal) => AsyncGenerator<EventListAnswer, void>;

/** `now`: the time in milliseconds. */
type EventStreamRequest = StreamRequest & { readonly followEvents: FollowEvents; readonly now: () => number };

/**
 * Serves `events/stream`: confirms the subscription, and sends the events of its type until the client disconnects. Rejects before the
 * response has begun.
 */
export async function streamEvents(request: EventStreamRequest): Promise<void> {
  const subscription = subscriptionOf(request.message.params ?? {});
  const gone = new AbortController();
  const follower = await begun(request.followEvents, subscription.input, gone.signal);
  const stream = new SubscriptionStream(request, subscription);
  try {
    await stream.send(follower, gone);
  } finally {
    gone.abort();
    await follower.answers.return();
    stream.end();
  }
}

/** A follower, with its first answer and where that begins. */
interface Follower {
  readonly answers: AsyncGenerator<EventListAnswer, void>;
  readonly first: EventListAnswer;
  readonly cursor: string;
  /** Events before the cursor were missed. */
  readonly truncated: boolean;
}

async function begun(
  followEvents: FollowEvents,
  input: Subscription['input'],
  signal: AbortSignal,
  truncated = false,
): Promise<Follower> {
  const answers = followEvents(input, signal);
  try {
    const { value } = await answers.next();
    const first = value as EventListAnswer;
    return { answers, first, cursor: input.since === 'now' ? first.cursor : input.since, truncated };
  } catch (thrown) {
    const cursor = expiredAt(thrown);
    if (cursor === undefined || truncated) throw asRpcError(thrown);
    return begun(followEvents, { ...input, since: cursor }, signal, true);
  }
}

class SubscriptionStream {
  readonly #request: EventStreamRequest;
  readonly #subscription: Subscription;
  readonly #stream: MessageStream;
  #cursor = '';
  #isRevoked = false;

  constructor(request: EventStreamRequest, subscription: Subscription) {
    this.#request = request;
    this.#subscription = subscription;
    this.#stream = new MessageStream(request.response, {
      closing: request.closing,
      check: () => request.check().catch((thrown: unknown) => this.#revoked(thrown)),
      beat: () => this.#notify('heartbeat', { cursor: this.#cursor }),
    });
  }

  async send({ answers, first, cursor, truncated }: Follower, gone: AbortController): Promise<void> {
    const ended = this.#stream.ended.then(() => gone.abort());
    this.#cursor = cursor;
    const { maxAgeMs } = this.#subscription;
    const { skipped } = recent(first.events, maxAgeMs, this.#request.now());
    this.#stream.begin();
    await this.#notify('active', { cursor, truncated: truncated || skipped });
    try {
      for (let answer: EventListAnswer | void = first; answer !== undefined; answer = (await answers.next()).value)
        await this.#sendEvents(answer);
    } catch (thrown) {
      await this.#terminate(thrown);
      this.#stream.stop();
    }
    await ended;
    if (this.#isRevoked || this.#request.closing?.reason instanceof PlannerError)
      await this.#terminate(new Error('The credential is no longer valid.'));
    await this.#stream.send(completed(this.#request));
  }

  end(): void {
    this.#stream.end();
  }

  async #sendEvents({ events, cursor }: EventListAnswer): Promise<void> {
    const { maxAgeMs } = this.#subscription;
    for (const event of recent(events, maxAgeMs, this.#request.now()).events) {
      if (this.#request.closing?.aborted === true) return;
      await this.#notify('event', { ...occurrenceOf(event), cursor: event.cursor });
    }
    this.#cursor = cursor;
  }

  /** The subscription has ended for a reason that is not the end of the service: the client does not connect again. */
  #terminate(thrown: unknown): Promise<void> {
    const cursor = expiredAt(thrown);
    const error = asRpcError(thrown);
    const shown =
      error instanceof RpcError
        ? error.toJSON()
        : { code: codes.forbidden, message: 'The events can no longer be read.' };
    // A client that reads too slowly continues with a new stream.
    return cursor === undefined ? this.#notify('terminated', { error: shown }) : Promise.resolve();
  }

  #revoked(thrown: unknown): never {
    this.#isRevoked = true;
    throw thrown;
  }

  #notify(what: string, params: Params): Promise<void> {
    const notification: Message = { jsonrpc: '2.0', method: `notifications/events/${what}`, params };
    return this.#stream.send(inStream(this.#request.message, notification));
  }
}
