import type { Operation } from './linearizability.ts';
import type { PlanOperation } from './task-model.ts';

/** Everything that was asked and answered, with the times of one monotonic clock. */
export class Recorder {
  readonly operations: Operation<PlanOperation>[] = [];
  /** Calls without an answer, until it is known when the process that might have done them ended. */
  readonly #open: Omit<Operation<PlanOperation>, 'completed'>[] = [];

  /**
   * Runs one call and keeps what came of it. `unanswered`: what it may have done where no answer came; undefined for what changes nothing.
   * Resolves with false where nobody answered.
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

  /** The process is gone: what it had not answered has happened by now or never does. */
  ended(): void {
    const completed = performance.now();
    for (const operation of this.#open.splice(0)) this.operations.push({ ...operation, completed });
  }
}

/** The answer of a service that cannot say whether the change happened. */
export class OutcomeUnknown extends Error {}

/** Nobody answered: the connection was refused, or broke off. Both clients say so by fetch's TypeError. */
function isGone(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof TypeError;
}
