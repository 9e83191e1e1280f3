import { hash } from 'node:crypto';
import { isoTime } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { byCreation } from '../../store/index.ts';
import type { ServiceTx, ServiceReadTransaction, StoredRecord } from '../../store/index.ts';

/** A resource that an MCP session subscribed to. */
export interface Subscription {
  /** A key that is equal for every name of the resource. */
  readonly key: string;
  /** As the client names it. */
  readonly uri: string;
  /** The cursor of its project after which its changes are reported. */
  readonly cursor: string;
}

interface SubscriptionRecord extends Subscription, StoredRecord {
  readonly session: string;
  readonly credential: string;
  readonly drop_at: string;
}

/** The session of subscriptions, which end with it. */
export interface SubscribedSession {
  readonly id: string;
  readonly credential: string;
  readonly drop_at: string;
}

/**
 * The service collection of subscriptions: one record each, so that a new subscription does not store the others again.
 */
export const subscriptionCollection = {
  name: 'subscriptions',
  placement: 'service',
  indexes: {
    session: ({ session }: SubscriptionRecord) => session,
    credential: ({ credential }: SubscriptionRecord) => credential,
  },
} as const;

const { name } = subscriptionCollection;

/** The subscriptions of a session, the oldest first. */
export function subscriptionsOf(service: ServiceReadTransaction, session: string): SubscriptionRecord[] {
  return service.by<SubscriptionRecord>(name, 'session', session).sort(byCreation);
}

/** The number of resources that all sessions of a credential subscribed to. */
export function subscribedBy(service: ServiceReadTransaction, credential: string): number {
  return service.by(name, 'credential', credential).length;
}

/**
 * Stores a subscription, instead of one to the same resource. Returns the bytes that were stored: 0 if it exists
 * already.
 */
export function putSubscription(
  tx: ServiceTx,
  { id: session, credential, drop_at }: SubscribedSession,
  { key, uri, cursor }: Subscription,
  now: number,
): number {
  const id = hash('sha256', `${session}\0${key}`, 'base64url');
  if (tx.get<SubscriptionRecord>(name, id)?.uri === uri) return 0;
  const at = isoTime(now);
  const record = { id, created_at: at, updated_at: at, session, credential, key, uri, cursor, drop_at };
  tx.put<SubscriptionRecord>(name, record);
  return JSON.stringify(record).length;
}

/** Keeps the subscriptions of a session as long as the session. */
export function prolongSubscriptions(tx: ServiceTx, { id, drop_at }: SubscribedSession): void {
  for (const record of subscriptionsOf(tx, id)) tx.put<SubscriptionRecord>(name, { ...record, drop_at });
}

/** Removes the subscriptions of a session, or the matching ones. */
export function removeSubscriptions(
  tx: ServiceTx,
  session: string,
  matches: (one: Subscription) => boolean = () => true,
): void {
  for (const one of subscriptionsOf(tx, session)) if (matches(one)) tx.remove(name, one.id);
}

/** Throws if a session, or a stream, watches more resources than it may. */
export function requireFewResources(count: number): void {
  if (count <= limits.watchedResourcesMax) return;
  throw new PlannerError('invalid_argument', `At most ${limits.watchedResourcesMax} resources can be subscribed to.`);
}

/** Throws if all sessions and streams of a credential watch more resources than they may. */
export function requireFewOfCredential(count: number): void {
  const max = limits.watchedResourcesPerCredentialMax;
  if (count <= max) return;
  const message = `The sessions and streams of one credential watch at most ${max} resources: end some, or unsubscribe.`;
  throw new PlannerError('rate_limited', message);
}
