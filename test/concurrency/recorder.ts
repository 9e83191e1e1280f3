import type { Operation } from './linearizability.ts';
import type { PlanOperation } from './task-model.ts';

/** All requests and responses, with the times of one monotonic clock. */
export class Recorder {
  readonly operations: Operation<PlanOperation>[] = [];
  /** Calls that were refused without a change and without showing anything. */
  refused = 0;
  /** Calls without a response, by the process that might have executed them, until it is known when it ended. */
  readonly #open = new Map<string, Omit<Operation<PlanOperation>, 'completed'>[]>();
  /** Processes that were named when they ended: no other takes their name. */
  readonly #ended = new Set<string>();

  /**
   * Runs one call and records its outcome. `unanswered`: its possible effect without a response; undefined if it
   * changes nothing. `at`: the process that is called. Resolves to false if there was no response.
   */
  async record(
    client: number,
    call: () => Promise<PlanOperation>,
    unanswered: PlanOperation | undefined,
    at = '',
  ): Promise<boolean> {
    const invoked = performance.now();
    try {
      const what = await call();
      this.operations.push({ client, invoked, completed: performance.now(), what });
      return true;
    } catch (error) {
      if (error instanceof NothingChanged || isUnavailable(error)) {
        this.refused++;
        return true;
      }
      if (!isGone(error)) throw error;
      if (unanswered !== undefined) this.#unanswered({ client, invoked, what: unanswered }, at);
      return false;
    }
  }

  /** The process has ended: calls without a response have happened by now or never will. */
  ended(at?: string): void {
    const completed = performance.now();
    for (const operation of this.#open.get(at ?? '') ?? []) this.operations.push({ ...operation, completed });
    this.#open.delete(at ?? '');
    if (at !== undefined) this.#ended.add(at);
  }

  #unanswered(operation: Omit<Operation<PlanOperation>, 'completed'>, at: string): void {
    if (this.#ended.has(at)) this.operations.push({ ...operation, completed: performance.now() });
    else this.#open.set(at, [...(this.#open.get(at) ?? []), operation]);
  }
}

/** The response of a service that could not carry out the call, and has changed nothing. */
export class NothingChanged extends Error {}

/**
 * Returns whether a session could not begin, or be used: the client of the SDK throws the status of such a response.
 */
export function isUnavailable(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 503;
}

/** The response of a service that cannot say whether the change happened. */
export class OutcomeUnknown extends Error {}

/** There was no response: the connection was refused, or broke off. Both clients report that by fetch's TypeError. */
function isGone(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof TypeError;
}
