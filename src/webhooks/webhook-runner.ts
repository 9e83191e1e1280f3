import type { Supervisor } from '../background/supervisor.ts';
import { isoTime } from '../base/clock.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { listEvents } from '../domain/feed/events.ts';
import type { PlannerCollections } from '../domain/records/collections.ts';
import {
  afterAttempt,
  afterPause,
  isDelivered,
  keepDelivery,
  progressOf,
  webhookCollection,
  webhookProgressCollection,
  workOf,
} from '../domain/feed/webhooks.ts';
import type { DeliveryOutcome, WebhookProgress, WebhookRecord } from '../domain/feed/webhooks.ts';
import { PlannerError } from '../base/errors.ts';
import { projectCodeOf, randomShare } from '../base/ids.ts';
import type { IdSource } from '../base/ids.ts';
import { runAsWork } from '../platform/current-work.ts';
import type { Event } from '../schema/types.ts';
import type { ServiceTx, Store, ReadTransaction } from '../store/index.ts';
import { messageId, signed } from './message.ts';
import type { Message } from './message.ts';

export interface RunnerDeps {
  readonly store: Pick<Store<PlannerCollections>, 'peek' | 'read' | 'updateService'>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly supervisor: Pick<Supervisor, 'isSuspended'>;
  /** Sends a message of a project to a URL, when there is a free connection. */
  readonly post: (project: string, url: URL, message: Message, signal: AbortSignal) => Promise<DeliveryOutcome>;
  readonly log: (entry: {
    readonly level: 'warn' | 'error';
    readonly message: string;
    readonly webhook: string;
  }) => void;
}

/** An event that is to be sent. */
interface Attempt {
  readonly hook: WebhookRecord;
  /** The cursor before the event. */
  readonly after: string;
  readonly event: Event;
  /** The number of this attempt. */
  readonly attempt: number;
  /** The number of the redelivery; undefined if it is the next event. */
  readonly redelivery: number | undefined;
}

/** The next step of a webhook. */
type Step =
  | { readonly kind: 'send'; readonly attempt: Attempt }
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'advance'; readonly cursor: string; readonly more: boolean }
  /** Its events, or the events of a redelivery, are no longer kept. */
  | { readonly kind: 'expired'; readonly redelivery: number | undefined }
  /** Its deliveries ended the process. */
  | { readonly kind: 'crashed' }
  | { readonly kind: 'idle' };

/** How often the place of a webhook is stored while events are of other types: a later start reads them again. */
const placeSavedMs = 3_600_000;

/** The deliveries of one webhook, one after the other. */
export class WebhookRunner {
  readonly #id: string;
  readonly #project: string;
  readonly #deps: RunnerDeps;
  readonly #stop = new AbortController();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  /** Events up to `at` are of other types; those up to `stored` are so by the stored progress. */
  #place = { stored: '', at: '' };
  #savedAt: number;
  /** The cursor up to which it saw its project when it had nothing to do. */
  #seen: string | undefined;

  constructor({ id, project }: WebhookRecord, deps: RunnerDeps) {
    this.#id = id;
    this.#project = project;
    this.#deps = deps;
    this.#savedAt = deps.clock.monotonic();
  }

  /** Looks for work if the webhook or something else in its project was changed. */
  wake(): void {
    const cursor = this.#cursor();
    if (cursor !== undefined && cursor === this.#seen) return;
    if (this.#running !== undefined) this.#isWoken = true;
    else if (!this.#stop.signal.aborted) this.#begin();
  }

  /** The end of the project's feed; undefined if the project is being changed, or is not there. */
  #cursor(): string | undefined {
    try {
      return this.#deps.store.peek(this.#project, ({ cursor }) => cursor);
    } catch {
      return undefined;
    }
  }

  /** Ends a delivery in progress, which is repeated at the next start. Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer?.cancel();
    await this.#running;
  }

  #begin(): void {
    this.#timer?.cancel();
    this.#isWoken = false;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#isWoken && !this.#stop.signal.aborted) this.#begin();
    });
  }

  async #run(): Promise<void> {
    let until: number | undefined;
    try {
      until = await this.#work();
    } catch (error) {
      // A root that cannot be written: nothing is delivered that would have to be delivered again.
      this.#deps.log({ level: 'error', webhook: this.#id, message: `Webhook: ${(error as Error).message}` });
      until = this.#deps.clock.now() + brokenMs;
    }
    if (until === undefined || this.#stop.signal.aborted) return;
    // Time passed since the step was chosen, because the step waited until its reads were durable.
    const ms = Math.max(0, until - this.#deps.clock.now());
    this.#timer = this.#deps.clock.after(ms, () => this.#begin()).unref();
  }

  /** Works until there is nothing to do. Resolves with the time when there is; undefined: with the next event. */
  async #work(): Promise<number | undefined> {
    while (!this.#stop.signal.aborted) {
      const step = await this.#next();
      if (step.kind === 'idle') return undefined;
      if (step.kind === 'wait') return step.until;
      if (step.kind === 'send') await this.#send(step.attempt);
      else if (step.kind === 'expired') await this.#expire(step.redelivery);
      else if (step.kind === 'crashed') await this.#pause('crashed');
      else if (!(await this.#advance(step))) return undefined;
    }
    return undefined;
  }

  async #next(): Promise<Step> {
    try {
      return await this.#deps.store.read(this.#project, (view) => this.#stepOf(view));
    } catch (error) {
      // The project's directory is not there at the moment.
      if (error instanceof PlannerError && error.code === 'not_found') return { kind: 'idle' };
      throw error;
    }
  }

  #stepOf(view: ReadTransaction<PlannerCollections>): Step {
    this.#seen = view.cursor;
    const hook = view.service.get<WebhookRecord>(webhookCollection.name, this.#id);
    if (hook === undefined) return { kind: 'idle' };
    const progress = progressOf(view.service, hook);
    // Before a redelivery, too: it waits until the webhook is resumed.
    if (this.#deps.supervisor.isSuspended(workOf(hook)))
      return { kind: progress.paused?.reason === 'crashed' ? 'idle' : 'crashed' };
    const again = hook.redeliveries.find(({ number }) => number > progress.redelivered);
    if (again !== undefined) return redelivering(view, hook, again);
    if (hook.paused_at !== null || progress.paused !== null) return { kind: 'idle' };
    const until = progress.retry_at === null ? 0 : Date.parse(progress.retry_at);
    if (until > this.#deps.clock.now()) return { kind: 'wait', until };
    const after = this.#place.stored === progress.cursor ? this.#place.at : progress.cursor;
    this.#place = { stored: progress.cursor, at: after };
    const page = eventsAfter(view, after, hook.types);
    if (page === undefined) return { kind: 'expired', redelivery: undefined };
    const [event] = page.events;
    // The view may have changes that are no events yet, because they are not durable.
    this.#seen = page.cursor;
    if (event === undefined) return { kind: 'advance', cursor: page.cursor, more: page.more };
    const attempt = progress.failures + 1;
    return { kind: 'send', attempt: { hook, after, event, attempt, redelivery: undefined } };
  }

  /** Remembers that the events up to a cursor are of other types. Resolves to whether there are further ones. */
  async #advance({ cursor, more }: Extract<Step, { readonly kind: 'advance' }>): Promise<boolean> {
    this.#place = { ...this.#place, at: cursor };
    const now = this.#deps.clock.monotonic();
    // The feed keeps a number of events: after many of other types, a stored cursor would be too old.
    if (more || now - this.#savedAt >= placeSavedMs) {
      this.#savedAt = now;
      await this.#update((_, progress) => ({ ...progress, cursor }));
    }
    return more;
  }

  async #send(attempt: Attempt): Promise<void> {
    const { hook, event } = attempt;
    const { clock, post } = this.#deps;
    const id = messageId(hook.id, event.cursor);
    const message = signed(id, event, hook.secret, clock.now());
    const deliver = (): Promise<DeliveryOutcome> => post(this.#project, new URL(hook.url), message, this.#stop.signal);
    const outcome = await runAsWork(workOf(hook), deliver);
    // An aborted attempt without an answer leaves open whether the receiver has it.
    if (this.#stop.signal.aborted && !isDelivered(outcome)) return;
    const now = clock.now();
    await this.#update((tx, progress) => {
      this.#keep(tx, attempt, id, outcome);
      return attempt.redelivery === undefined
        ? afterAttempt(progress, outcome, { cursor: event.cursor, now, share: randomShare() })
        : { ...progress, redelivered: attempt.redelivery };
    });
  }

  #keep(tx: ServiceTx, { after, event, attempt, redelivery }: Attempt, id: string, outcome: DeliveryOutcome): void {
    const at = isoTime(this.#deps.clock.now());
    keepDelivery(tx, {
      id: this.#deps.ids.next('delivery', projectCodeOf(this.#id)!),
      created_at: at,
      updated_at: at,
      webhook: this.#id,
      message_id: id,
      ...{ after, type: event.type, event_cursor: event.cursor, attempt, redelivery: redelivery !== undefined },
      ...outcome,
    });
  }

  /** The webhook is paused; a redelivery is left out. */
  async #expire(redelivery: number | undefined): Promise<void> {
    if (redelivery === undefined) await this.#pause('expired');
    else await this.#update((_, progress) => ({ ...progress, redelivered: redelivery }));
  }

  async #pause(reason: 'expired' | 'crashed'): Promise<void> {
    await this.#update((_, progress) => afterPause(progress, reason, this.#deps.clock.now()));
  }

  /** Stores the progress of the webhook, unless it was deleted in between. */
  async #update(change: (tx: ServiceTx, progress: WebhookProgress) => WebhookProgress): Promise<void> {
    const paused = await this.#deps.store.updateService({ author: 'system', source: 'system' }, (tx) => {
      const hook = tx.get<WebhookRecord>(webhookCollection.name, this.#id);
      if (hook === undefined) return undefined;
      const before = progressOf(tx, hook);
      const after = tx.put<WebhookProgress>(webhookProgressCollection.name, change(tx, before));
      return before.paused === null ? after.paused : undefined;
    });
    if (paused != null)
      this.#deps.log({ level: 'warn', webhook: this.#id, message: `Webhook paused: ${paused.reason}` });
  }
}

/** When a webhook is tried again whose progress could not be stored. */
const brokenMs = 60_000;

function redelivering(
  view: ReadTransaction<PlannerCollections>,
  hook: WebhookRecord,
  { number, after, type }: WebhookRecord['redeliveries'][number],
): Step {
  const event = eventsAfter(view, after, [type])?.events[0];
  if (event === undefined) return { kind: 'expired', redelivery: number };
  return { kind: 'send', attempt: { hook, after, event, attempt: 1, redelivery: number } };
}

/** The next event of these types, if any; undefined if the cursor expired. */
function eventsAfter(
  view: ReadTransaction<PlannerCollections>,
  since: string,
  types: readonly string[],
): ReturnType<typeof listEvents> | undefined {
  try {
    return listEvents(view, { since, limit: 1, ...(types.length > 0 && { types: types.join(',') }) }, 'people');
  } catch (error) {
    if (error instanceof PlannerError && error.code === 'cursor_expired') return undefined;
    throw error;
  }
}
