import type { Clock } from '../../base/clock.ts';
import { FollowerRoom } from '../../domain/feed/follower-room.ts';
import type { FollowingCaller } from '../../domain/feed/follower-room.ts';
import { PlannerError } from '../../base/errors.ts';
import { nextTurn } from '../../base/slices.ts';
import type { Waits } from '../declaration/operation.ts';

export interface FollowersOptions {
  /** Calls the listener after events of a project were added, or of any. Returns the function that removes it. */
  readonly onEvents: (project: string | undefined, listener: () => void) => () => void;
  readonly clock: Clock;
}

/** The events that one follower waits for. */
export interface Follower {
  /** Resolves to true once there are events that were added since the last call, to false after the time or at the end. */
  next(ms: number): Promise<boolean>;
  /** Stops following. May be called twice. */
  end(): void;
}

/** The calls that wait for events, within the bounds of `FollowerRoom`. */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #room = new FollowerRoom('Too many connections wait for events: close some, or poll.');

  constructor(options: FollowersOptions) {
    this.#options = options;
  }

  /** Waits for events of a project, or of any. `signal`: the caller is gone. Throws as `enter` does. */
  follow(caller: FollowingCaller, project: string | undefined, signal: AbortSignal | undefined): Follower {
    return this.#follower(this.enter(caller), project, signal);
  }

  /** Counts one more. Returns the function that ends it. Throws `rate_limited`. */
  enter(caller: FollowingCaller): () => void {
    return this.#room.enter(caller);
  }

  #follower(release: () => void, project: string | undefined, signal: AbortSignal | undefined): Follower {
    let [hasNew, isOver] = [false, false];
    let wake: (() => void) | undefined;
    const stop = this.#options.onEvents(project, () => {
      hasNew = true;
      wake?.();
    });
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      stop();
      signal?.removeEventListener('abort', end);
      release();
      wake?.();
    };
    signal?.addEventListener('abort', end);
    if (signal?.aborted === true) end();
    const next = async (ms: number): Promise<boolean> => {
      if (!hasNew && !isOver)
        await new Promise<void>((resolve) => {
          const timer = this.#options.clock.after(ms, resolve).unref();
          wake = () => (timer.cancel(), resolve());
        });
      wake = undefined;
      const found = hasNew && !isOver;
      hasNew = false;
      return found;
    };
    return { next, end };
  }
}

type Input = Readonly<Record<string, unknown>>;

/** A read that is repeated with a follower's events. */
export interface FollowedRead<T extends { readonly value: unknown }> {
  readonly follower: Follower;
  readonly waits: Waits<Input, unknown>;
  readonly read: (input: Input) => Promise<T>;
  readonly clock: Clock;
  /** The caller is gone. */
  readonly signal: AbortSignal | undefined;
}

/** The first answer that is not empty, or the empty one after that time. Ends the follower. */
export async function awaitAnswer<T extends { readonly value: unknown }>(
  { follower, waits, read, clock, signal }: FollowedRead<T>,
  input: Input,
  ms: number,
): Promise<T> {
  const until = clock.monotonic() + ms;
  try {
    // Events that were added before the follower existed are found by the first read.
    for (let next = input; ;) {
      const answer = await read(next);
      // Events that are read after the credential was revoked are not for the caller.
      if (signal?.reason instanceof PlannerError) throw signal.reason;
      const left = until - clock.monotonic();
      if (!waits.isEmpty(answer.value) || left <= 0 || isGone(signal)) return answer;
      next = waits.continued(next, answer.value);
      if (waits.hasMore(answer.value)) await nextTurn();
      else await follower.next(left);
    }
  } finally {
    follower.end();
  }
}

/** The first answer, each further one that is not empty, and an empty one after each pause. Ends the follower. */
export async function* followAnswers<T extends { readonly value: unknown }>(
  { follower, waits, read, signal }: FollowedRead<T>,
  input: Input,
  pauseMs: number,
): AsyncGenerator<T, void> {
  try {
    for (let [next, isDue] = [input, true]; !isGone(signal);) {
      const answer = await read(next);
      if (isGone(signal)) return;
      next = waits.continued(next, answer.value);
      if (isDue || !waits.isEmpty(answer.value)) yield answer;
      if (waits.hasMore(answer.value)) await nextTurn();
      else isDue = !(await follower.next(pauseMs));
    }
  } finally {
    follower.end();
  }
}

function isGone(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** When a rejected caller may try again, in seconds. */
