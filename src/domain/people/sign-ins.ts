import { isoTime } from '../../base/clock.ts';
import { notFound } from '../../base/errors.ts';
import { randomName, randomToken } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { ServiceTx, ServiceReadTransaction } from '../../store/index.ts';
import type { SignIn } from '../records/collections.ts';
import { recordWithSecret, digestOf, secretBytes, secretIndex } from './secrets.ts';
import type { SecretRecord } from './secrets.ts';

/** A browser in which a person is signed in. Its cookie contains the secret. */
export interface SignInRecord extends SecretRecord {
  /** The author in revisions. */
  readonly name: string;
  /** The owner key or the identity that it was started with and ends with. */
  readonly by: 'key' | 'identity';
  readonly by_id: string;
  readonly drop_at: string;
}

/** The service collection of sign-ins, as declared to the store. */
export const signInCollection = {
  name: 'sign_ins',
  placement: 'service',
  indexes: { ...secretIndex, by: ({ by_id: id }: SignInRecord) => id },
} as const;

const hourMs = 3_600_000;
/** The minimal interval at which use is recorded. */
const noteMs = 5 * 60_000;

/** A new sign-in with the secret for its cookie. */
export interface MadeSignIn {
  readonly signIn: SignInRecord;
  readonly secret: string;
}

/** Starts a sign-in at `now` (ISO) with a new secret. */
export function beginSignIn(
  tx: ServiceTx,
  { by, by_id, name }: Pick<SignInRecord, 'by' | 'by_id' | 'name'>,
  now: string,
): MadeSignIn {
  const secret = randomToken(secretBytes);
  const signIn = tx.put<SignInRecord>(signInCollection.name, {
    id: `${randomName()}${randomName()}`,
    created_at: now,
    updated_at: now,
    name,
    by,
    by_id,
    secret_sha256: digestOf(secret),
    drop_at: endOf(now),
  });
  return { signIn, secret };
}

/** The end of a sign-in with this last use. */
function endOf(used: string): string {
  return isoTime(Date.parse(used) + limits.signInIdleHours * hourMs);
}

/** The sign-in with this secret; undefined for one that is unknown, ended, or idle too long at `now` (ISO). */
export function signInWith(service: ServiceReadTransaction, secret: string, now: string): SignInRecord | undefined {
  return unlessEnded(recordWithSecret<SignInRecord>(service, signInCollection.name, secret), now);
}

/** The sign-in with an id, unless it has ended. */
export function signInById(service: ServiceReadTransaction, id: string, now: string): SignInRecord | undefined {
  return unlessEnded(service.get<SignInRecord>(signInCollection.name, id), now);
}

function unlessEnded(found: SignInRecord | undefined, now: string): SignInRecord | undefined {
  return found === undefined || found.drop_at <= now ? undefined : found;
}

/** Returns whether the use of a sign-in has to be recorded again. */
export function isNoteDue({ updated_at: noted }: SignInRecord, now: string): boolean {
  return Date.parse(now) - Date.parse(noted) > noteMs;
}

/** Records the use of a sign-in. Does not revive one that has ended in the meantime. */
export function noteUse(tx: ServiceTx, id: string, now: string): void {
  const record = tx.get<SignInRecord>(signInCollection.name, id);
  if (record !== undefined) tx.put(signInCollection.name, { ...record, updated_at: now, drop_at: endOf(now) });
}

/** The sign-ins that have not ended at `now` (ISO), by created_at, id. */
export function listSignIns(service: ServiceReadTransaction, now: string): SignInRecord[] {
  return [...service.list<SignInRecord>(signInCollection.name)].filter(({ drop_at: end }) => end > now);
}

/** Throws `not_found`. */
export function endSignIn(tx: ServiceTx, id: string): void {
  if (tx.get(signInCollection.name, id) === undefined) throw notFound('sign_in', id);
  tx.remove(signInCollection.name, id);
}

/** Ends the sign-ins that were started with a key or an identity. */
export function endSignInsOf(tx: ServiceTx, by: string): void {
  for (const { id } of tx.by<SignInRecord>(signInCollection.name, 'by', by)) tx.remove(signInCollection.name, id);
}

/** A sign-in in the form for its owner. `current` is the id of the caller's sign-in. */
export function showSignIn(record: SignInRecord, current: string): SignIn {
  const { id, name, by, by_id: of, drop_at: expires_at, created_at, updated_at } = record;
  return {
    id,
    name,
    key_id: by === 'key' ? of : null,
    identity_id: by === 'identity' ? of : null,
    current: id === current,
    expires_at,
    created_at,
    updated_at,
  };
}
