import { timeOfDay } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import type { Event } from '../../schema/types.ts';
import { countedSentence, EventNames, sentenceOf, withoutRepeats } from './event-lines.ts';
import type { CallPort } from './planner-port.ts';

/** The changes of this time are printed together. */
const gatherMs = 200;
/** While there are so many changes that they are summed up, they are gathered for ever longer. */
const gatherMsMax = 5000;
/** More of them are summed up by author, type and project. */
const linesMax = 8;

export interface ChangeLinesOptions {
  /** The service itself. */
  readonly port: CallPort;
  readonly clock: Clock;
  /** Must not wait for its reader. */
  readonly print: (line: string) => void;
}

/**
 * Prints the changes of a service for a person who watches it: a line each, or one line with their number for a burst.
 */
export class ChangeLines {
  readonly #options: ChangeLinesOptions;
  #gathered: Event[] = [];
  #printing: Promise<void> | undefined;
  #waitMs = gatherMs;

  constructor(options: ChangeLinesOptions) {
    this.#options = options;
  }

  add(events: readonly Event[]): void {
    for (const event of events) this.#gathered.push(event);
    if (events.length > 0) this.#printing ??= this.#print().finally(() => (this.#printing = undefined));
  }

  async #print(): Promise<void> {
    const { clock, print, port } = this.#options;
    while (this.#gathered.length > 0) {
      await new Promise<void>((resolve) => void clock.after(this.#waitMs, resolve).unref());
      const events = withoutRepeats(this.#gathered);
      this.#gathered = [];
      const isBurst = events.length > linesMax;
      this.#waitMs = isBurst ? Math.min(gatherMsMax, 2 * this.#waitMs) : gatherMs;
      const names = new EventNames(port);
      for (const group of isBurst ? alike(events) : events.map((event) => [event])) print(await lineOf(group, names));
    }
  }
}

/** The events by author, type and project, in the order of the first ones. */
function alike(events: readonly Event[]): Iterable<readonly Event[]> {
  return Map.groupBy(events, ({ author, type, project_id }) => JSON.stringify([author, type, project_id])).values();
}

async function lineOf(group: readonly Event[], names: EventNames): Promise<string> {
  const event = group.at(-1)!;
  const where = await names.place(event);
  const what =
    group.length === 1 ? await sentenceOf(event, names, where) : countedSentence(event, group.length) + where;
  return `${timeOfDay(event.at)} ${what}`;
}
