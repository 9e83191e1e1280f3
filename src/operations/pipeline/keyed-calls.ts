import { PlannerError } from '../../base/errors.ts';
import type { Collections } from '../../store/index.ts';
import type { Transactions } from '../declaration/transactions.ts';
import type { Outcome } from './call.ts';
import { AlreadyExecuted, isExecuted, mayBeExecuted } from './change.ts';
import type { FirstResponse, KeyedCall } from './idempotency.ts';

/** How often a call is executed again whose answer was stored and has expired when it is looked up. */
const attemptsMax = 3;

export interface KeyedCallsOptions {
  readonly store: Pick<Transactions<Collections>, 'findAnswer'>;
  /** The present time (ISO). */
  readonly now: () => string;
}

/** The two ways of a call with a key: it executes, or shows its first response. */
export interface Once {
  readonly write: () => Promise<Outcome>;
  readonly repeat: (first: FirstResponse) => Promise<Outcome>;
}

/**
 * Executes calls with idempotency keys once. The store decides: it stores an answer together with the change, and one only.
 */
export class KeyedCalls {
  readonly #options: KeyedCallsOptions;
  readonly #running = new Map<string, Promise<void>>();

  constructor(options: KeyedCallsOptions) {
    this.#options = options;
  }

  /** Runs a call whose input is known. Calls with the same key run one after the other here. */
  async run(keyed: KeyedCall, once: Once): Promise<Outcome> {
    const { id } = keyed;
    for (let other = this.#running.get(id); other !== undefined; other = this.#running.get(id)) await other;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.set(id, promise);
    try {
      const first = await this.#lookUp(keyed);
      return first === undefined ? await this.#execute(keyed, once) : await once.repeat(first);
    } finally {
      this.#running.delete(id);
      resolve();
    }
  }

  /**
   * A call with an upload, whose content is known only after it has been read: it is executed, and the first response is
   * found when that ends. `isStream`: it cannot be executed again.
   */
  runUpload(keyed: KeyedCall, isStream: boolean, once: Once): Promise<Outcome> {
    return this.#execute(keyed, once, isStream);
  }

  async #execute(keyed: KeyedCall, { write, repeat }: Once, isStream = false): Promise<Outcome> {
    for (let attempt = 1; ; attempt++)
      try {
        return await write();
      } catch (thrown) {
        if (!mayBeExecuted(thrown) || (isStream && !isExecuted(thrown))) throw thrown;
        // The change of the first call may not be durable yet: a look-up resolves once it is.
        const found = await this.#lookUp(keyed);
        const executed = thrown instanceof AlreadyExecuted ? thrown.first : found;
        if (executed !== undefined) return repeat(executed);
        if (!isExecuted(thrown)) throw thrown;
        if (isStream || attempt === attemptsMax) throw notFoundAgain();
      }
  }

  #lookUp(keyed: KeyedCall): Promise<FirstResponse | undefined> {
    return keyed.lookUp(this.#options.store, this.#options.now());
  }
}

function notFoundAgain(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The response to an earlier call with this idempotency key expired at this moment; nothing was changed. Send the request again.',
    { retry_after: 1 },
  );
}
