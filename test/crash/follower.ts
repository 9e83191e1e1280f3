import type { Event } from '../../src/schema/types.ts';
import { eventsSince, Fold } from '../support/feed.ts';
import { RestClient } from '../support/rest-client.ts';

const fields = ['label', 'status', 'priority'];

/** Follows the events of a project across kills of the service, with the last cursor that it got. */
export class Follower {
  readonly #project: string;
  readonly #fold = new Fold('task', fields);
  #cursor: string | undefined;
  /** The number of events so far. */
  count = 0;

  constructor(project: string) {
    this.#project = project;
  }

  /** Waits for events until the service no longer answers. */
  async run(url: string): Promise<void> {
    const rest = new RestClient(url);
    for (;;) {
      const since = this.#cursor === undefined ? '' : `&since=${this.#cursor}`;
      const answer = await rest
        .get(`/projects/${this.#project}/events?wait=30&limit=50${since}`)
        .catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status !== 200) throw new Error(`The feed answered ${JSON.stringify(answer.body)}`);
      this.#take(answer.body as { events: Event[]; cursor: string });
    }
  }

  /** Throws unless the events of all lives together give these tasks, each event once. */
  async expectTasks(url: string, tasks: readonly { readonly id: string }[], where: string): Promise<void> {
    this.#take(await eventsSince(new RestClient(url), this.#project, this.#cursor, 'limit=1000'));
    this.#fold.expectRows(tasks, where);
  }

  #take({ events, cursor }: { readonly events: readonly Event[]; readonly cursor: string }): void {
    this.#fold.apply(events);
    this.#cursor = cursor;
    this.count += events.length;
  }
}
