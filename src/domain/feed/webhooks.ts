import { isoTime } from '../../base/clock.ts';
import { conflict, notFound, PlannerError } from '../../base/errors.ts';
import { randomToken } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { ServiceTx, ServiceReadTransaction, StoredRecord } from '../../store/index.ts';
import type { ProjectWork } from '../../platform/current-work.ts';
import type { NewWebhook, Problem, Webhook, WebhookDelivery } from '../../schema/types.ts';
import type { PlanReadTransaction, PlanTransaction } from '../records/collections.ts';

/**
 * The settings of a webhook. Only transactions on its project change it; deliveries change its progress, so that each
 * record has one log. Stored in `local/`, with the secret: a signature needs it.
 */
export interface WebhookRecord extends StoredRecord {
  readonly project: string;
  readonly url: string;
  /** Types of events; empty for all. */
  readonly types: readonly string[];
  /** `whsec_` and base64. */
  readonly secret: string;
  /** Time of the request to pause; null while it is active. */
  readonly paused_at: string | null;
  /** Increases when it is resumed: progress with a smaller one is that before. */
  readonly resumed: number;
  /** Where deliveries begin: the cursor at its creation, or at its resumption after events expired. */
  readonly from: { readonly resumed: number; readonly cursor: string };
  /** The deliveries to repeat, in order, with ascending numbers. */
  readonly redeliveries: readonly Redelivery[];
}

/** A request to deliver an event again. */
export interface Redelivery extends EventPlace {
  readonly number: number;
}

/** How to find the event of a delivery again: it is the first of its type after a cursor. */
export interface EventPlace {
  readonly after: string;
  readonly type: string;
}

/** How far the deliveries of a webhook came. It has the id of the webhook. */
export interface WebhookProgress extends StoredRecord {
  readonly resumed: number;
  /** The events up to here were delivered, or are of other types. */
  readonly cursor: string;
  /** The last redelivery that was made. */
  readonly redelivered: number;
  readonly failures: number;
  readonly failing_since: string | null;
  readonly retry_at: string | null;
  readonly paused: { readonly at: string; readonly reason: 'failing' | 'gone' | 'expired' | 'crashed' } | null;
}

/** An attempt to deliver an event, with its outcome. */
export interface DeliveryRecord extends StoredRecord, EventPlace {
  readonly webhook: string;
  readonly message_id: string;
  readonly event_cursor: string;
  readonly attempt: number;
  readonly redelivery: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly answer: string | null;
}

/** The service collections of webhooks, as declared to the store. */
export const webhookCollection = {
  name: 'webhooks',
  placement: 'project',
  indexes: { project: ({ project }: WebhookRecord) => project },
} as const;
export const webhookProgressCollection = { name: 'webhook_progress', placement: 'service' } as const;
export const deliveryCollection = {
  name: 'webhook_deliveries',
  placement: 'service',
  indexes: { webhook: ({ webhook }: DeliveryRecord) => webhook },
} as const;

/** Key bytes of a signature, as Standard Webhooks recommends. */
const secretBytes = 32;

/**
 * Creates a webhook with a URL that was checked by `webhookUrl`: events from now on are delivered. Throws `conflict` if
 * the project has too many.
 */
export function createWebhook(tx: PlanTransaction, href: string, eventTypes: readonly string[] = []): NewWebhook {
  if (webhooksOf(tx).length >= limits.webhooksPerProjectMax)
    throw conflict(`A project has at most ${limits.webhooksPerProjectMax} webhooks: delete one first.`);
  const hook = tx.service.put<WebhookRecord>(webhookCollection.name, {
    id: tx.newId('webhook'),
    created_at: tx.now,
    updated_at: tx.now,
    project: tx.project,
    url: href,
    types: [...new Set(eventTypes)],
    secret: `whsec_${Buffer.from(randomToken(secretBytes), 'base64url').toString('base64')}`,
    paused_at: null,
    resumed: 0,
    from: { resumed: 0, cursor: cursorOf(tx) },
    redeliveries: [],
  });
  const { id, project, url, types, created_at, updated_at, secret } = hook;
  return { id, project_id: project, url, types: [...types], created_at, updated_at, secret };
}

/** The webhooks of a project by created_at, id. */
export function webhooksOf({ service, project }: PlanReadTransaction): WebhookRecord[] {
  return service.by<WebhookRecord>(webhookCollection.name, 'project', project).sort(byAge);
}

/** Throws `not_found` for one of another project, too. */
export function webhookOf({ service, project }: PlanReadTransaction, id: string): WebhookRecord {
  const hook = service.get<WebhookRecord>(webhookCollection.name, id);
  if (hook?.project !== project) throw notFound('webhook', id);
  return hook;
}

/** Pauses deliveries. Events of the pause are delivered when it is resumed. Throws `not_found`. */
export function pauseWebhook(tx: PlanTransaction, id: string): WebhookRecord {
  const hook = webhookOf(tx, id);
  if (hook.paused_at !== null) return hook;
  return change(tx, hook, { paused_at: tx.now });
}

/**
 * Resumes deliveries with the event at which they ended, whatever paused them; with the next event if the event is no
 * longer kept. Throws `not_found`.
 */
export function resumeWebhook(tx: PlanTransaction, id: string): WebhookRecord {
  const hook = webhookOf(tx, id);
  const { paused, failures } = progressOf(tx.service, hook);
  if (hook.paused_at === null && paused === null && failures === 0) return hook;
  const resumed = hook.resumed + 1;
  const from = paused?.reason === 'expired' ? { resumed, cursor: cursorOf(tx) } : hook.from;
  return change(tx, hook, { paused_at: null, resumed, from });
}

/** Throws `not_found`. */
export function deleteWebhook(tx: PlanTransaction, id: string): void {
  tx.service.remove(webhookCollection.name, webhookOf(tx, id).id);
}

/** Removes the webhooks of a deleted project. */
export function deleteWebhooksOf(tx: ServiceTx, project: string): void {
  for (const { id } of tx.by<WebhookRecord>(webhookCollection.name, 'project', project))
    tx.remove(webhookCollection.name, id);
}

/**
 * Requests that an event is delivered once more, of a paused webhook, too. Throws `not_found` for an unknown delivery,
 * `rate_limited` if too many wait.
 */
export function redeliver(tx: PlanTransaction, id: string, deliveryId: string): WebhookRecord {
  const hook = webhookOf(tx, id);
  const delivery = tx.service.get<DeliveryRecord>(deliveryCollection.name, deliveryId);
  if (delivery?.webhook !== id) throw notFound('delivery', deliveryId);
  const { redelivered } = progressOf(tx.service, hook);
  const waiting = hook.redeliveries.filter(({ number }) => number > redelivered);
  if (waiting.length >= limits.webhookRedeliveriesMax)
    throw new PlannerError('rate_limited', 'Too many redeliveries of this webhook wait.', {
      retry_after: redeliverySeconds,
    });
  const { after, type } = delivery;
  const number = Math.max(redelivered, hook.redeliveries.at(-1)?.number ?? 0) + 1;
  return change(tx, hook, { redeliveries: [...waiting, { number, after, type }] });
}

/** When a rejected caller may try again. */
const redeliverySeconds = 10;

/** The deliveries of a webhook that are kept, the oldest first. */
export function deliveriesOf(service: ServiceReadTransaction, id: string): DeliveryRecord[] {
  return service.by<DeliveryRecord>(deliveryCollection.name, 'webhook', id).sort(byAge);
}

/** Adds a delivery and removes those beyond the kept number. */
export function keepDelivery(tx: ServiceTx, delivery: DeliveryRecord): void {
  tx.put<DeliveryRecord>(deliveryCollection.name, delivery);
  const kept = deliveriesOf(tx, delivery.webhook);
  for (const { id } of kept.slice(0, -limits.webhookDeliveriesKept)) tx.remove(deliveryCollection.name, id);
}

/** Removes the stored progress and deliveries of deleted webhooks. */
export function forgetDeletedWebhooks(tx: ServiceTx): void {
  for (const { id } of [...tx.list<WebhookProgress>(webhookProgressCollection.name)]) {
    if (tx.get(webhookCollection.name, id) !== undefined) continue;
    tx.remove(webhookProgressCollection.name, id);
    for (const delivery of deliveriesOf(tx, id)) tx.remove(deliveryCollection.name, delivery.id);
  }
}

/** The progress of a webhook; the initial progress if no progress was stored since it was created or resumed. */
export function progressOf(service: ServiceReadTransaction, hook: WebhookRecord): WebhookProgress {
  const stored = service.get<WebhookProgress>(webhookProgressCollection.name, hook.id);
  if (stored?.resumed === hook.resumed) return stored;
  const { id, created_at, updated_at, resumed, from } = hook;
  const isBegin = stored === undefined || from.resumed > stored.resumed;
  return {
    ...{ id, created_at, updated_at, resumed },
    cursor: isBegin ? from.cursor : stored.cursor,
    redelivered: stored?.redelivered ?? 0,
    ...{ failures: 0, failing_since: null, retry_at: null, paused: null },
  };
}

/** The answer of a receiver, or the reason why there was no answer. */
export interface DeliveryOutcome {
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly answer: string | null;
}

const gone = 410;

/** Only 2xx says that the receiver has the event. */
export function isDelivered({ status }: { readonly status: number | null }): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * The progress after an attempt at the event after the cursor. `cursor`: the cursor of the event. `share`: a random
 * number from 0 to 1. After a failure it is retried, each time later, for 24 hours since the first one; then it pauses.
 */
export function afterAttempt(
  progress: WebhookProgress,
  outcome: DeliveryOutcome,
  { cursor, now, share }: { readonly cursor: string; readonly now: number; readonly share: number },
): WebhookProgress {
  const at = isoTime(now);
  if (isDelivered(outcome))
    return { ...progress, updated_at: at, cursor, failures: 0, failing_since: null, retry_at: null };
  const failing_since = progress.failing_since ?? at;
  const failed = { ...progress, updated_at: at, failures: progress.failures + 1, failing_since };
  if (outcome.status === gone) return { ...failed, retry_at: null, paused: { at, reason: 'gone' } };
  const ends = Date.parse(failing_since) + limits.webhookRetryHours * 3_600_000;
  if (now >= ends) return { ...failed, retry_at: null, paused: { at, reason: 'failing' } };
  const waits = Math.min(limits.webhookRetryMs * 2 ** progress.failures, limits.webhookRetryMsMax);
  // Half of it is random, so that the webhooks of a receiver that was down do not all retry at the same time.
  return { ...failed, retry_at: isoTime(Math.min(now + Math.round(waits * (0.5 + share / 2)), ends)) };
}

/** The progress when the events after the cursor are no longer kept, or when deliveries ended the service. */
export function afterPause(progress: WebhookProgress, reason: 'expired' | 'crashed', now: number): WebhookProgress {
  const at = isoTime(now);
  return { ...progress, updated_at: at, retry_at: null, paused: { at, reason } };
}

/** The deliveries of a webhook as work of its project; others after it was resumed. */
export function workOf({ id, project, resumed }: WebhookRecord): ProjectWork {
  return { worker: 'webhooks', project, of: `${id}.${resumed}` };
}

/** A webhook in the form for its owner. */
export function showWebhook(service: ServiceReadTransaction, hook: WebhookRecord): Webhook {
  const { id, project, url, types, created_at, updated_at } = hook;
  const { failures, failing_since, retry_at, paused } = progressOf(service, hook);
  const requested = hook.paused_at === null ? null : { at: hook.paused_at, reason: 'requested' as const };
  const pause = paused ?? requested;
  const state = pause !== null ? 'paused' : failures > 0 ? 'retrying' : 'active';
  return {
    ...{ id, project_id: project, url, types: [...types], state, paused: pause },
    ...{ failures, failing_since, retry_at: pause === null ? retry_at : null, created_at, updated_at },
  };
}

export function showDelivery(delivery: DeliveryRecord): WebhookDelivery {
  const { id, webhook, message_id, type, event_cursor, attempt, redelivery } = delivery;
  const { status, error, duration_ms, answer, created_at, updated_at } = delivery;
  return {
    ...{ id, webhook_id: webhook, message_id, type, event_cursor, attempt, redelivery },
    ...{ delivered: isDelivered(delivery), status, error, duration_ms, answer, created_at, updated_at },
  };
}

/** The kind of the problem that is a paused webhook. */
export const pausedKind = 'webhook_paused';

const pausedBecause = {
  failing: `no delivery succeeded for ${limits.webhookRetryHours} hours`,
  gone: 'its receiver answered 410',
  expired: 'events that were not delivered are no longer kept',
  crashed: `its deliveries ended the service ${limits.workEndsMax} times`,
} as const;

/** The webhooks of a project that were paused without a request. Their remedy is a request, so the caller adds it. */
export function webhookProblems(view: PlanReadTransaction): Problem[] {
  return webhooksOf(view).flatMap((hook) => {
    const { paused } = progressOf(view.service, hook);
    if (paused === null) return [];
    return {
      path: '.planner/local',
      kind: pausedKind,
      reason: `The webhook ${hook.id} to ${new URL(hook.url).host} is paused since ${paused.at}: ${pausedBecause[paused.reason]}.`,
      id: hook.id,
    };
  });
}

function change(tx: PlanTransaction, hook: WebhookRecord, members: Partial<WebhookRecord>): WebhookRecord {
  return tx.service.put<WebhookRecord>(webhookCollection.name, { ...hook, ...members, updated_at: tx.now });
}

function cursorOf({ cursor }: PlanReadTransaction): string {
  if (cursor === undefined) throw new PlannerError('unavailable', 'This store keeps no events.');
  return cursor;
}

function byAge(a: StoredRecord, b: StoredRecord): number {
  return `${a.created_at} ${a.id}` < `${b.created_at} ${b.id}` ? -1 : 1;
}
