import { delay, systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import type { PlannerPort } from '../service/planner-port.ts';

/** The time of one call that waits, in seconds. */
const waitSeconds = 25;
const backoffMsMin = 1000;
const backoffMsMax = 30_000;

interface EventPage {
  readonly cursor: string;
  readonly events: readonly unknown[];
}

/** The time before the next attempt after a number of failures. */
export function backoffMs(failures: number): number {
  return Math.min(backoffMsMax, backoffMsMin * 2 ** failures);
}

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
    for (let failures = 0; ;) {
      try {
        const isFirst = this.#cursor === 'now';
        const { cursor, events } = await this.#read();
        this.#cursor = cursor;
        if (isFirst || events.length > 0 || failures > 0) return;
      } catch (thrown) {
        if (!(thrown instanceof PlannerError)) throw thrown;
        if (thrown.code === 'cursor_expired') this.#cursor = 'now';
        else if (isPassing(thrown)) await delay(systemClock, backoffMs(failures++));
        else throw thrown;
      }
    }
  }

  async #read(): Promise<EventPage> {
    const input = { project_id: this.#project, since: this.#cursor, wait: this.#cursor === 'now' ? 0 : waitSeconds };
    return (await this.#planner.call('list_events', input)) as unknown as EventPage;
  }
}

/** Returns whether a call may succeed later as it is. */
export function isPassing({ code }: PlannerError): boolean {
  return code === 'unavailable' || code === 'rate_limited';
}
