import { isoTime } from '../../clock.ts';
import { notFound } from '../../errors.ts';
import { randomName, randomToken } from '../../ids.ts';
import { limits } from '../../limits.ts';
import type { ServiceTx, ServiceView } from '../../store/index.ts';
import type { SignIn } from '../records/collections.ts';
import { bearerOf, digestOf, secretBytes, secretIndex } from './secrets.ts';
import type { SecretBearer } from './secrets.ts';

/** A browser in which a person is signed in. Its cookie holds the secret. */
export interface SignInRecord extends SecretBearer {
  /** What revisions name as author. */
  readonly name: string;
  /** The owner key, or the identity, that it stands and falls with. */
  readonly by: 'key' | 'identity';
  readonly by_id: string;
  readonly drop_at: string;
}

/** The service collection of sign-ins, as the store must know it. */
export const signInCollection = {
  name: 'sign_ins',
  indexes: { ...secretIndex, by: ({ by_id: id }: SignInRecord) => id },
} as const;

const hourMs = 3_600_000;
/** Use is noted at most so often. */
const noteMs = 5 * 60_000;

/** A sign-in just made, with the secret for its cookie. */
export interface MadeSignIn {
  readonly signIn: SignInRecord;
  readonly secret: string;
}

/** Begins a sign-in at `now` (ISO), with a secret that no browser had before. */
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

/** When a sign-in last used then is over. */
function endOf(used: string): string {
  return isoTime(Date.parse(used) + limits.signInIdleHours * hourMs);
}

/** The sign-in with this secret; undefined for one that is unknown, ended, or idle too long at `now` (ISO). */
export function signInWith(service: ServiceView, secret: string, now: string): SignInRecord | undefined {
  const found = bearerOf<SignInRecord>(service, signInCollection.name, secret);
  return found === undefined || found.drop_at <= now ? undefined : found;
}

/** Whether that a sign-in is in use has to be noted again. */
export function isNoteDue({ updated_at: noted }: SignInRecord, now: string): boolean {
  return Date.parse(now) - Date.parse(noted) > noteMs;
}

/** Notes that a sign-in is in use; one that was ended meanwhile stays ended. */
export function noteUse(tx: ServiceTx, id: string, now: string): void {
  const record = tx.get<SignInRecord>(signInCollection.name, id);
  if (record !== undefined) tx.put(signInCollection.name, { ...record, updated_at: now, drop_at: endOf(now) });
}

/** Those that are not over at `now` (ISO), by created_at, id. */
export function listSignIns(service: ServiceView, now: string): SignInRecord[] {
  return [...service.list<SignInRecord>(signInCollection.name)].filter(({ drop_at: end }) => end > now);
}

/** Throws `not_found`. */
export function endSignIn(tx: ServiceTx, id: string): void {
  if (tx.get(signInCollection.name, id) === undefined) throw notFound('sign_in', id);
  tx.remove(signInCollection.name, id);
}

/** Ends what was begun with a key or an identity. */
export function endSignInsOf(tx: ServiceTx, by: string): void {
  for (const { id } of tx.by<SignInRecord>(signInCollection.name, 'by', by)) tx.remove(signInCollection.name, id);
}

/** A sign-in as its owner sees it; `current` is the id of the one that asks. */
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
