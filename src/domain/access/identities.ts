import { notFound, PlannerError } from '../../errors.ts';
import { randomName } from '../../ids.ts';
import type { ServiceTx, ServiceView, StoredRecord } from '../../store/index.ts';
import type { Identity } from '../records/collections.ts';
import { endSignInsOf } from './sign-ins.ts';

/** What an identity provider says of a person who signed in there. */
export interface Claims {
  readonly issuer: string;
  /** Who it is: never given to anybody else by this issuer. */
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
}

/** Whom an owner's e-mail address means since it was first signed in with. */
export interface IdentityRecord extends StoredRecord {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case, as it was at the first sign-in. */
  readonly email: string;
}

/** The service collection of identities, as the store must know it. */
export const identityCollection = {
  name: 'identities',
  indexes: {
    subject: ({ issuer, subject }: IdentityRecord) => subjectKey(issuer, subject),
    email: ({ issuer, email }: IdentityRecord) => subjectKey(issuer, email),
  },
} as const;

function subjectKey(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}

/**
 * The owner that the claims are of; one seen for the first time is kept. `owners` are e-mail addresses in lower case. After the first
 * sign-in the pair of issuer and subject is what counts: an address that was given to somebody else opens nothing, a person whose address
 * changed is still known. Throws `forbidden`.
 */
export function admitIdentity(tx: ServiceTx, claims: Claims, owners: ReadonlySet<string>, now: string): IdentityRecord {
  const { issuer, subject } = claims;
  const [known] = tx.by<IdentityRecord>(identityCollection.name, 'subject', subjectKey(issuer, subject));
  if (known !== undefined) {
    if (owners.has(known.email)) return known;
    throw forbidden(`${known.email} is no owner of this service (any more).`);
  }
  const email = claims.email?.toLowerCase();
  if (email === undefined)
    throw forbidden('The identity provider told no e-mail address: it must give the scope "email".');
  if (!claims.emailVerified) throw forbidden(`The identity provider has not verified that ${email} is yours.`);
  if (!owners.has(email)) throw forbidden(`${email} is no owner of this service.`);
  if (tx.by(identityCollection.name, 'email', subjectKey(issuer, email)).length > 0) {
    throw forbidden(
      `${email} was another person's account when it was first signed in with. An owner lets it in anew by DELETE /api/v1/identities/<id>.`,
    );
  }
  return tx.put<IdentityRecord>(identityCollection.name, {
    id: `${randomName()}${randomName()}`,
    created_at: now,
    updated_at: now,
    issuer,
    subject,
    email,
  });
}

function forbidden(message: string): PlannerError {
  return new PlannerError('forbidden', message);
}

export function identityById(service: ServiceView, id: string): IdentityRecord | undefined {
  return service.get<IdentityRecord>(identityCollection.name, id);
}

/** By created_at, id. */
export function listIdentities(service: ServiceView): IdentityRecord[] {
  return [...service.list<IdentityRecord>(identityCollection.name)];
}

/** Lets an e-mail address mean whoever signs in with it next; ends the sign-ins of whom it meant. Throws `not_found`. */
export function forgetIdentity(tx: ServiceTx, id: string): void {
  if (identityById(tx, id) === undefined) throw notFound('identity', id);
  tx.remove(identityCollection.name, id);
  endSignInsOf(tx, id);
}

export function showIdentity({ id, email, issuer, subject, created_at, updated_at }: IdentityRecord): Identity {
  return { id, email, issuer, subject, created_at, updated_at };
}
