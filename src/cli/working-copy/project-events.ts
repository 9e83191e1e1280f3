import { systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { doubling, retry } from '../../base/retry.ts';
import type { PlannerPort } from '../service/planner-port.ts';

/** The time of one call that waits, in seconds. */
const waitSeconds = 25;

interface EventPage {
  readonly cursor: string;
  readonly events: readonly unknown[];
}

/** The time before the next attempt after a number of failures. */
export const backoffMs = doubling(1000, 30_000);

/** Notices that a project changes, by the events of its service. */
export class ProjectEvents {
  readonly #planner: PlannerPort;
  readonly #project: string;
  #cursor = 'now';
  #pending: Promise<void> | undefined;

  constructor(planner: PlannerPort, project: string) {
    this.#planner = planner;
    this.#project = project;
  }

  /**
   * Resolves once something may have changed since the last call resolved; the first call resolves immediately. While
   * the service is away, the request is retried at growing intervals. Rejects with its refusal.
   */
  next(): Promise<void> {
    this.#pending ??= this.#follow().finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  async #follow(): Promise<void> {
    let hasChanged = false;
    const mayRetry = (thrown: unknown): boolean => (hasChanged = thrown instanceof PlannerError && isPassing(thrown));
    while (!hasChanged) {
      const found = await retry({ clock: systemClock, pauseMs: backoffMs, mayRetry }, () => this.#read());
      hasChanged ||= found;
    }
  }

  /** Resolves with whether something may have changed. */
  async #read(): Promise<boolean> {
    const isFirst = this.#cursor === 'now';
    const input = { project_id: this.#project, since: this.#cursor, wait: isFirst ? 0 : waitSeconds };
    try {
      const page = (await this.#planner.call('list_events', input)) as unknown as EventPage;
      this.#cursor = page.cursor;
      return isFirst || page.events.length > 0;
    } catch (thrown) {
      if (!(thrown instanceof PlannerError) || thrown.code !== 'cursor_expired') throw thrown;
      this.#cursor = 'now';
      return this.#read();
    }
  }
}

/** Returns whether a call may succeed later as it is. */
export function isPassing({ code }: PlannerError): boolean {
  return code === 'unavailable' || code === 'rate_limited';
}
