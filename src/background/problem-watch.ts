import type { Clock } from '../base/clock.ts';
import { hasUnknownProblems, noteProblems } from '../domain/feed/known-problems.ts';
import { webhookCollection, webhookProgressCollection } from '../domain/feed/webhooks.ts';
import type { WebhookRecord } from '../domain/feed/webhooks.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import type { Store } from '../store/index.ts';
import { NotedProjects } from './noted-projects.ts';
import type { Supervisor } from './supervisor.ts';

export interface ProblemWatchOptions {
  readonly store: Pick<
    Store<PlannerCollections>,
    'onServiceChange' | 'onProjects' | 'inMemory' | 'read' | 'readService' | 'update'
  >;
  readonly clock: Clock;
  readonly supervisor: Pick<Supervisor, 'run'>;
}

/** Notes in the feeds which problems were found and cleared, each once, also if it happened while no service ran. */
export class ProblemWatch {
  readonly #options: ProblemWatchOptions;
  readonly #noted: NotedProjects;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: ProblemWatchOptions) {
    this.#options = options;
    this.#noted = new NotedProjects({ clock: options.clock, look: (projects) => this.#look(projects) });
  }

  start(): void {
    const { store } = this.#options;
    this.#unsubscribe.push(
      store.onProjects((project) => this.#noted.note(project)),
      store.onServiceChange(webhookProgressCollection.name, ({ id }) => void this.#noteWebhook(id)),
    );
    // Others are noted when they are loaded.
    this.#noted.note(...store.inMemory());
  }

  async close(): Promise<void> {
    for (const end of this.#unsubscribe) end();
    await this.#noted.close();
  }

  /** A webhook that is paused is a problem of its project. What cannot be read now is noted at the next start. */
  async #noteWebhook(id: string): Promise<void> {
    const read = this.#options.store.readService((service) => service.get<WebhookRecord>(webhookCollection.name, id));
    const hook = await read.catch(() => undefined);
    if (hook !== undefined) this.#noted.note(hook.project);
  }

  async #look(projects: readonly string[]): Promise<void> {
    for (const project of projects) if (!this.#noted.isClosed) await this.#lookAt(project);
  }

  /** A problem that is not noted now is noted at the next start. */
  async #lookAt(project: string): Promise<void> {
    const { store, supervisor } = this.#options;
    await supervisor.run('problems', project, async () => {
      if (await store.read(project, hasUnknownProblems))
        await store.update(project, { author: 'system', source: 'system' }, noteProblems);
    });
  }
}
