import { currentGoalCollection } from '../domain/current-goal.ts';
import { fatalWorkCollection } from '../domain/fatal-work.ts';
import { identityCollection } from '../domain/access/identities.ts';
import { keyCollection } from '../domain/access/keys.ts';
import { knownProblemCollection } from '../domain/known-problems.ts';
import { knownProjectCollection } from '../domain/known-projects.ts';
import { leaseCollection } from '../domain/leases.ts';
import { programCodeCollection } from '../domain/access/program-codes.ts';
import { pullCollection } from '../domain/pulls.ts';
import { shareCollection } from '../domain/access/shares.ts';
import { signInCollection } from '../domain/access/sign-ins.ts';
import { trashCollection } from '../domain/trash.ts';
import { deliveryCollection, webhookCollection, webhookProgressCollection } from '../domain/webhooks.ts';
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
