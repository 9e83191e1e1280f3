import type { Clock, Timer } from '../clock.ts';
import { hasUnknownProblems, noteProblems } from '../domain/known-problems.ts';
import { webhookCollection, webhookProgressCollection } from '../domain/webhooks.ts';
import type { WebhookRecord } from '../domain/webhooks.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import { PlannerError } from '../errors.ts';
import type { Store } from '../store/index.ts';

export interface ProblemWatchOptions {
  readonly store: Pick<
    Store<PlannerCollections>,
    'onServiceChange' | 'onProjects' | 'projects' | 'readAtOnce' | 'readService' | 'update'
  >;
  readonly clock: Clock;
  readonly log: (entry: { readonly level: 'error'; readonly message: string }) => void;
}

/** The changes of a burst are looked at together, and a file that an editor is writing is not reported. */
const debounceMs = 250;
/** Looking takes at most this share of the time, however many problems there are. */
const shareMax = 0.02;

/** Notes in the feeds which problems were found and cleared, each once, also if it happened while no service ran. */
export class ProblemWatch {
  readonly #options: ProblemWatchOptions;
  readonly #noted = new Set<string>();
  readonly #unsubscribe: (() => void)[] = [];
  #timer: Timer | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  #restMs = 0;

  constructor(options: ProblemWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { store } = this.#options;
    this.#unsubscribe.push(
      store.onProjects((project) => this.#note(project)),
      store.onServiceChange(webhookProgressCollection.name, ({ id }) => void this.#noteWebhook(id)),
    );
    for (const project of store.projects()) this.#note(project);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#unsubscribe) end();
    this.#timer?.cancel();
    await this.#running;
  }

  /** A webhook that is paused is a problem of its project. */
  async #noteWebhook(id: string): Promise<void> {
    const hook = await this.#options.store.readService((service) =>
      service.get<WebhookRecord>(webhookCollection.name, id),
    );
    if (hook !== undefined) this.#note(hook.project);
  }

  #note(project: string): void {
    if (this.#isClosed) return;
    this.#noted.add(project);
    this.#timer ??= this.#options.clock
      .after(debounceMs + this.#restMs, () => {
        this.#timer = undefined;
        this.#running = this.#running.then(() => this.#look());
      })
      .unref();
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    const begun = clock.monotonic();
    const noted = [...this.#noted];
    this.#noted.clear();
    for (const project of noted) if (!this.#isClosed) await this.#lookAt(project);
    this.#restMs = (clock.monotonic() - begun) / shareMax;
  }

  async #lookAt(project: string): Promise<void> {
    const { store, log } = this.#options;
    try {
      if (store.readAtOnce(project, hasUnknownProblems) === false) return;
      await store.update(project, { author: 'system', source: 'system' }, noteProblems);
    } catch (error) {
      // A project that was removed, or a root that cannot be written: the next start notes what is left.
      if (error instanceof PlannerError && error.code === 'not_found') return;
      log({ level: 'error', message: `Problems: ${(error as Error).message}` });
    }
  }
}
