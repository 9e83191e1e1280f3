import { currentGoalCollection } from '../domain/plan/current-goal.ts';
import { fatalWorkCollection } from '../domain/feed/fatal-work.ts';
import { identityCollection } from '../domain/people/identities.ts';
import { keyCollection } from '../domain/people/keys.ts';
import { knownProblemCollection } from '../domain/feed/known-problems.ts';
import { knownProjectCollection } from '../domain/feed/known-projects.ts';
import { leaseCollection } from '../domain/plan/leases.ts';
import { programCodeCollection } from '../domain/people/program-codes.ts';
import { pullCollection } from '../domain/plan/pulls.ts';
import { shareCollection } from '../domain/sharing/shares.ts';
import { signInCollection } from '../domain/people/sign-ins.ts';
import { trashCollection } from '../domain/records/trash.ts';
import { deliveryCollection, webhookCollection, webhookProgressCollection } from '../domain/feed/webhooks.ts';
import { keptFileCollection } from '../store/index.ts';
import { idempotencyCollection } from './pipeline/idempotency.ts';
import { sessionsCollection } from './access/sessions.ts';
import { subscriptionCollection } from './access/subscriptions.ts';

/**
 * The service's own collections, declared for the store. They are stored in `local/`, and durable before a write is
 * acknowledged.
 */
export const serviceCollections = [
  leaseCollection,
  knownProblemCollection,
  knownProjectCollection,
  shareCollection,
  keyCollection,
  identityCollection,
  signInCollection,
  programCodeCollection,
  pullCollection,
  trashCollection,
  keptFileCollection,
  currentGoalCollection,
  webhookCollection,
  webhookProgressCollection,
  deliveryCollection,
  fatalWorkCollection,
  { name: sessionsCollection, placement: 'service' },
  subscriptionCollection,
  idempotencyCollection,
] as const;
