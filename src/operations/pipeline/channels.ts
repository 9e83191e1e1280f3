import { type Clock, delay, type Timer } from '../../base/clock.ts';
import { nextTurn } from '../../base/slices.ts';
import type { Waits } from '../declaration/operation.ts';
import type { Input, Outcome } from './call.ts';

/** Where the answers of an operation that is followed go. */
export interface AnswerSink {
  /** Sends an answer. Returns false if no other is to be sent before `drained` resolves. */
  send(outcome: Outcome): boolean;
  /** Resolves when answers may be sent again, or the client is gone. */
  drained(): Promise<unknown>;
  /** Called at each pause with the last answer, which may have been sent. The sink ends if it rejects. */
  pause(last: Outcome): Promise<unknown>;
}

export interface ChannelOptions {
  readonly waits: Waits<Input, unknown>;
  /** Reads within this turn the durable state; undefined if that is not possible at the moment. */
  readonly read: (input: Input) => Outcome | undefined;
  /** Calls the listener after events were added. Returns the function that removes it. */
  readonly onEvents: (listener: () => void) => () => void;
  readonly clock: Clock;
}

/** Sending takes at most this share of the time if there are many followers: they then get more events together. */
const shareMax = 0.1;
const restMsMax = 250;
const growthMax = 1.1;
/** When a project is read again that is being changed in slices. */
const busyMs = 20;

/** A follower that has everything up to where its channel is. */
interface Member {
  readonly sink: AnswerSink;
  /** Called once: with the input that continues, if the sink accepts no more; undefined at the end. */
  readonly leave: (input: Input | undefined) => void;
}

/**
 * Followers of the same events: each event is read once for all of them, and they get the same answer object, so that
 * transports serialise it once.
 */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #members = new Set<Member>();
  /** The input that continues after the members' last answer. */
  #input: Input = {};
  #last: Outcome | undefined;
  #stop: (() => void) | undefined;
  #timer: Timer | undefined;
  /** The time of a round for one member, and when the next round may begin. */
  #costMs = 0;
  #restsUntil = 0;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  get last(): Outcome | undefined {
    return this.#last;
  }

  /**
   * Adds a member that has everything up to the input. Returns the answer that it has to get before, or `busy` if that
   * cannot be read at the moment.
   */
  join(member: Member, input: Input): Outcome | 'busy' | undefined {
    if (!this.#catchUp()) return 'busy';
    const { read, waits, onEvents } = this.#options;
    const outcome = read(input);
    if (outcome === undefined) return 'busy';
    if (!waits.isEmpty(outcome.value) || waits.hasMore(outcome.value)) return outcome;
    // Both are at the present now: nothing is between them. The members' cursor may name projects that the new
    // follower's cursor does not.
    if (this.#members.size === 0) {
      this.#input = waits.continued(input, outcome.value);
      this.#last = outcome;
    }
    this.#members.add(member);
    this.#stop ??= onEvents(() => this.#schedule());
    return undefined;
  }

  leave(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#timer !== undefined) return;
    const ms = this.#restsUntil - this.#options.clock.monotonic();
    if (ms > 0) this.#runAfter(ms);
    else this.#round();
  }

  #runAfter(ms: number): void {
    this.#timer = this.#options.clock
      .after(ms, () => {
        this.#timer = undefined;
        this.#round();
      })
      .unref();
  }

  #round(): void {
    const { clock } = this.#options;
    const begun = clock.monotonic();
    const count = this.#members.size;
    const isDone = this.#catchUp();
    const now = clock.monotonic();
    // Another program may have had the processor: the time of a longer round counts only in part.
    const costMs = (now - begun) / Math.max(1, count);
    this.#costMs = this.#costMs === 0 ? costMs : Math.min(costMs, growthMax * this.#costMs);
    this.#restsUntil = now + Math.min(restMsMax, (this.#costMs * count * (1 - shareMax)) / shareMax);
    if (!isDone && this.#members.size > 0 && this.#timer === undefined) this.#runAfter(busyMs);
  }

  /** Sends the members the added events. Returns false if it could not be read to the end. */
  #catchUp(): boolean {
    const { read, waits } = this.#options;
    while (this.#members.size > 0) {
      let outcome: Outcome | undefined;
      try {
        outcome = read(this.#input);
      } catch {
        // A client that connects again gets the error.
        for (const member of [...this.#members]) this.#remove(member, undefined);
        return true;
      }
      if (outcome === undefined) return false;
      this.#input = waits.continued(this.#input, outcome.value);
      this.#last = outcome;
      if (!waits.isEmpty(outcome.value))
        for (const member of [...this.#members]) if (!member.sink.send(outcome)) this.#remove(member, this.#input);
      if (!waits.hasMore(outcome.value)) return true;
    }
    return true;
  }

  #remove(member: Member, input: Input | undefined): void {
    this.leave(member);
    member.leave(input);
  }
}

/**
 * The channels of everything that is followed, by the followed thing. A channel is forgotten with its last follower.
 */
export class Channels {
  readonly #open = new Map<string, { readonly channel: Channel; followers: number }>();

  async follow(key: string, make: () => Channel, run: (channel: Channel) => Promise<void>): Promise<void> {
    const entry = this.#open.get(key) ?? { channel: make(), followers: 0 };
    this.#open.set(key, entry);
    entry.followers++;
    try {
      await run(entry.channel);
    } finally {
      if (--entry.followers === 0) this.#open.delete(key);
    }
  }
}

export interface Following {
  readonly channel: Channel;
  readonly waits: Waits<Input, unknown>;
  readonly clock: Clock;
  readonly sink: AnswerSink;
  /** The interval of pauses. */
  readonly pauseMs: number;
  /** The client is gone. */
  readonly signal: AbortSignal;
}

/**
 * Sends an answer, and then everything that is added after it until the client is gone. New events for all followers
 * come from their channel; a follower reads separately only the events that it missed because its client read slowly.
 */
export async function followBehind(first: Outcome, input: Input, following: Following): Promise<void> {
  const { waits, clock, sink, signal, pauseMs, channel } = following;
  const state = { isOver: signal.aborted };
  let joined: Member | undefined;
  const end = (): void => {
    state.isOver = true;
    joined?.leave(undefined);
  };
  signal.addEventListener('abort', end);
  let own = first;
  const lastOf = (): Outcome => (joined && channel.last) ?? own;
  const pauses = clock.every(pauseMs, () => void sink.pause(lastOf()).catch(end)).unref();
  try {
    let next = waits.continued(input, first.value);
    for (let isReady = sink.send(first); !state.isOver;) {
      if (!isReady) await sink.drained();
      if (state.isOver) return;
      isReady = true;
      const { promise, resolve } = Promise.withResolvers<Input | undefined>();
      const member = { sink, leave: resolve };
      const answer = channel.join(member, next);
      if (answer === 'busy') await delay(clock, busyMs);
      else if (answer === undefined) {
        joined = member;
        const behind = await promise;
        channel.leave(member);
        own = lastOf();
        joined = undefined;
        if (behind === undefined) return;
        [next, isReady] = [behind, false];
      } else {
        own = answer;
        next = waits.continued(next, answer.value);
        if (!waits.isEmpty(answer.value)) isReady = sink.send(answer);
        if (waits.hasMore(answer.value)) await nextTurn();
      }
    }
  } finally {
    pauses.cancel();
    signal.removeEventListener('abort', end);
  }
}
