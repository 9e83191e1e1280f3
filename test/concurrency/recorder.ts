import type { Operation } from './linearizability.ts';
import type { PlanOperation } from './task-model.ts';

/** All requests and responses, with the times of one monotonic clock. */
export class Recorder {
  readonly operations: Operation<PlanOperation>[] = [];
  /** Calls without a response, until it is known when the process that might have executed them ended. */
  readonly #open: Omit<Operation<PlanOperation>, 'completed'>[] = [];

  /**
   * Runs one call and records its outcome. `unanswered`: its possible effect without a response; undefined if it
   * changes nothing. Resolves to false if there was no response.
   */
  async record(
    client: number,
    call: () => Promise<PlanOperation>,
    unanswered: PlanOperation | undefined,
  ): Promise<boolean> {
    const invoked = performance.now();
    try {
      const what = await call();
      this.operations.push({ client, invoked, completed: performance.now(), what });
      return true;
    } catch (error) {
      if (!isGone(error)) throw error;
      if (unanswered !== undefined) this.#open.push({ client, invoked, what: unanswered });
      return false;
    }
  }

  /** The process has ended: calls without a response have happened by now or never will. */
  ended(): void {
    const completed = performance.now();
    for (const operation of this.#open.splice(0)) this.operations.push({ ...operation, completed });
  }
}

/** The response of a service that cannot say whether the change happened. */
export class OutcomeUnknown extends Error {}

/** There was no response: the connection was refused, or broke off. Both clients report that by fetch's TypeError. */
function isGone(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof TypeError;
}
