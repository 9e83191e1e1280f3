import { restPrefix } from '../../addresses.ts';
import { notFound, PlannerError } from '../../errors.ts';
import { randomName } from '../../ids.ts';
import type { ServiceTx, ServiceView, StoredRecord } from '../../store/index.ts';
import type { Identity } from '../records/collections.ts';
import { endSignInsOf } from './sign-ins.ts';

/** The claims of an identity provider about a person who signed in. */
export interface Claims {
  readonly issuer: string;
  /** The subject: the issuer never assigns it to another person. */
  readonly subject: string;
  readonly email: string | undefined;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
}

/** The account to which an owner's e-mail address was bound at its first sign-in. */
export interface IdentityRecord extends StoredRecord {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case, as it was at the first sign-in. */
  readonly email: string;
}

/** The service collection of identities, as declared to the store. */
export const identityCollection = {
  name: 'identities',
  placement: 'service',
  indexes: {
    subject: ({ issuer, subject }: IdentityRecord) => subjectKey(issuer, subject),
    email: ({ issuer, email }: IdentityRecord) => subjectKey(issuer, email),
  },
} as const;

function subjectKey(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}

/**
 * Returns the owner of the claims and stores a new one. `owners` are e-mail addresses in lower case. After the first sign-in the pair of
 * issuer and subject counts: an address that was reassigned to another person gives no access, and a person whose address changed is still
 * recognised. Throws `forbidden`.
 */
export function admitIdentity(tx: ServiceTx, claims: Claims, owners: ReadonlySet<string>, now: string): IdentityRecord {
  const { issuer, subject } = claims;
  const [known] = tx.by<IdentityRecord>(identityCollection.name, 'subject', subjectKey(issuer, subject));
  if (known !== undefined) {
    if (owners.has(known.email)) return known;
    throw forbidden(`${known.email} is not an owner of this service (any more).`);
  }
  const email = claims.email?.toLowerCase();
  if (email === undefined)
    throw forbidden('The identity provider returned no e-mail address: it must support the scope "email".');
  if (!claims.emailVerified) throw forbidden(`The identity provider has not verified that ${email} is yours.`);
  if (!owners.has(email)) throw forbidden(`${email} is not an owner of this service.`);
  if (tx.by(identityCollection.name, 'email', subjectKey(issuer, email)).length > 0) {
    throw forbidden(
      `${email} belonged to another account at its first sign-in. An owner can release it with DELETE ${restPrefix}/identities/<id>.`,
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

/** Removes the binding of an e-mail address, which the next sign-in renews, and ends the sign-ins of the bound account. Throws `not_found`. */
export function forgetIdentity(tx: ServiceTx, id: string): void {
  if (identityById(tx, id) === undefined) throw notFound('identity', id);
  tx.remove(identityCollection.name, id);
  endSignInsOf(tx, id);
}

export function showIdentity({ id, email, issuer, subject, created_at, updated_at }: IdentityRecord): Identity {
  return { id, email, issuer, subject, created_at, updated_at };
}
