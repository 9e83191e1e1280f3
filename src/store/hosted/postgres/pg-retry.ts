import type { Clock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import { doubling, retry } from '../../../base/retry.ts';
import { failureOf, NoServerError } from './pg-errors.ts';

/** How long to wait before a statement is sent again. */
export const pauseMs = doubling(5, 200);
const retryAfterSeconds = 1;

/** The time for which the statements of one node are sent again while no server answers them. */
export class RetryLimit {
  readonly clock: Clock;
  readonly #resolveMs: number;
  #endsAt = Infinity;

  constructor({ clock, resolveMs }: { readonly clock: Clock; readonly resolveMs: number }) {
    this.clock = clock;
    this.#resolveMs = resolveMs;
  }

  /** `since`: the monotonic time from which a statement is tried. */
  isOver(since: number): boolean {
    return this.clock.monotonic() >= Math.min(since + this.#resolveMs, this.#endsAt);
  }

  /** The node ends: statements that are sent, or will be, have `ms` from now, and one attempt afterwards. */
  shorten(ms: number): void {
    this.#endsAt = Math.min(this.#endsAt, this.clock.monotonic() + ms);
  }
}

/**
 * Sends a statement that may be executed twice until a server answers it. Throws `unavailable` when the limit is over,
 * and a server's error about the statement itself.
 */
export function untilAnswered<T>(limit: RetryLimit, send: () => Promise<T>): Promise<T> {
  const { clock } = limit;
  const since = clock.monotonic();
  const mayRetry = (error: unknown): boolean => {
    const isRefused = error instanceof PlannerError && !(error instanceof NoServerError);
    if (isRefused || failureOf(error) === 'failed') return false;
    if (limit.isOver(since)) throw error instanceof NoServerError ? error : unavailable(error);
    return true;
  };
  return retry({ clock, pauseMs, mayRetry }, send);
}

function unavailable(cause: unknown): PlannerError {
  const error = new PlannerError('unavailable', 'The database does not answer. Try again.', {
    retry_after: retryAfterSeconds,
  });
  return Object.assign(error, { cause });
}
