import { type Clock, delay } from '../../clock.ts';
import { PlannerError } from '../../errors.ts';
import { ConnectionLostError, failureOf, NoServerError } from './pg-errors.ts';

const retryMsMin = 5;
const retryMsMax = 200;
const retryAfterSeconds = 1;

/**
 * Sends a statement that may be executed twice until a server answers it. Throws `unavailable` after `resolveMs`, and what
 * a server says of the statement itself.
 */
export async function untilAnswered<T>(
  { clock, resolveMs }: { readonly clock: Clock; readonly resolveMs: number },
  send: () => Promise<T>,
): Promise<T> {
  const giveUpAt = clock.monotonic() + resolveMs;
  for (let retryMs = retryMsMin; ; retryMs = Math.min(2 * retryMs, retryMsMax)) {
    try {
      return await send();
    } catch (error) {
      const mayRetry =
        error instanceof NoServerError || error instanceof ConnectionLostError || failureOf(error) !== 'failed';
      if (!mayRetry) throw error;
      if (clock.monotonic() >= giveUpAt) throw error instanceof NoServerError ? error : unavailable(error);
      await delay(clock, retryMs);
    }
  }
}

function unavailable(cause: unknown): PlannerError {
  const error = new PlannerError('unavailable', 'The database does not answer. Try again.', {
    retry_after: retryAfterSeconds,
  });
  return Object.assign(error, { cause });
}
