import type { Clock, Timer } from '../base/clock.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import type { WebhookHosts } from '../domain/feed/webhook-addresses.ts';
import { forgetDeletedWebhooks, webhookCollection } from '../domain/feed/webhooks.ts';
import type { WebhookRecord } from '../domain/feed/webhooks.ts';
import { IdSource } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import type { Store } from '../store/index.ts';
import { post } from './post.ts';
import type { Resolve } from './post.ts';
import { Slots } from './slots.ts';
import { WebhookRunner } from './webhook-runner.ts';
import type { RunnerDeps } from './webhook-runner.ts';

export interface WebhooksOptions {
  readonly store: RunnerDeps['store'] & Pick<Store<PlannerCollections>, 'onEvents' | 'readService'>;
  readonly clock: Clock;
  readonly hosts: WebhookHosts;
  readonly supervisor: RunnerDeps['supervisor'];
  /** Entries contain no URL, which may contain a secret of the receiver. */
  readonly log: RunnerDeps['log'];
  /** All addresses of a host name. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
}

/** The changes of a burst are looked at together. */
const debounceMs = 20;

/**
 * Delivers the events of projects to their webhooks: at least once, and in order for each. Its progress is stored after
 * the answer, so that a restart repeats unanswered attempts. Without new events it does nothing.
 */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #deps: RunnerDeps;
  readonly #runners = new Map<string, WebhookRunner>();
  #unsubscribe: (() => void) | undefined;
  #timer: Timer | undefined;
  #refreshing: Promise<void> = Promise.resolve();
  /** Runners of deleted webhooks, which may wait for a connection: others do not wait for them. */
  readonly #ending = new Set<Promise<void>>();

  constructor(options: WebhooksOptions) {
    const { store, clock, supervisor, log } = options;
    this.#options = options;
    const slots = new Slots({
      max: limits.webhookConnectionsMax,
      perSourceMax: limits.webhookConnectionsPerProjectMax,
    });
    this.#deps = {
      ...{ store, clock, supervisor, log },
      ids: new IdSource(clock),
      post: (project, url, message, signal) => slots.run(project, () => post(url, message, options, signal)),
    };
  }

  /** Begins to deliver. */
  start(): void {
    // Creating and deleting webhooks are changes of their projects.
    this.#unsubscribe = this.#options.store.onEvents(undefined, () => this.#refreshSoon());
    this.#refresh(true);
  }

  /** Ends deliveries in progress. They are repeated at the next start, unless they were answered. */
  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.#timer?.cancel();
    await this.#refreshing;
    for (const id of [...this.#runners.keys()]) this.#end(id);
    await Promise.all(this.#ending);
  }

  #refreshSoon(): void {
    this.#timer ??= this.#options.clock
      .after(debounceMs, () => {
        this.#timer = undefined;
        this.#refresh(false);
      })
      .unref();
  }

  #refresh(isFirst: boolean): void {
    this.#refreshing = this.#refreshing
      .then(() => this.#follow(isFirst))
      .catch((error: unknown) =>
        this.#options.log({ level: 'error', webhook: '', message: `Webhooks: ${(error as Error).message}` }),
      );
  }

  /** Starts new webhooks, ends deleted ones, and wakes the webhooks of a changed project. */
  async #follow(isFirst: boolean): Promise<void> {
    const { store } = this.#options;
    const hooks = await store.readService((service) => [...service.list<WebhookRecord>(webhookCollection.name)]);
    const ids = new Set(hooks.map(({ id }) => id));
    const deleted = [...this.#runners.keys()].filter((id) => !ids.has(id));
    for (const id of deleted) this.#end(id);
    if (deleted.length > 0 || isFirst)
      await store.updateService({ author: 'system', source: 'system' }, (tx) => forgetDeletedWebhooks(tx));
    for (const hook of hooks)
      if (!this.#runners.has(hook.id)) this.#runners.set(hook.id, new WebhookRunner(hook, this.#deps));
    for (const runner of this.#runners.values()) runner.wake();
  }

  #end(id: string): void {
    const runner = this.#runners.get(id)!;
    this.#runners.delete(id);
    const ending = runner.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
