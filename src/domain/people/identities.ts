import { restPrefix } from '../../base/addresses.ts';
import { notFound, PlannerError } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';
import type { ServiceTx, ServiceReadTransaction, StoredRecord } from '../../store/index.ts';
import type { Identity } from '../records/collections.ts';
import { isVerified, ownerGroupOf, sameIssuer } from './claims.ts';
import type { Claims, OwnerRules } from './claims.ts';
import { endSignInsOf } from './sign-ins.ts';

/** The account of an owner: an address or a group made it one, and the address was bound to it at its first sign-in. */
export interface IdentityRecord extends StoredRecord {
  readonly issuer: string;
  readonly subject: string;
  /**
   * The address in lower case, as it was at the first sign-in; null for an owner by a group whose address is not an
   * owner's.
   */
  readonly email: string | null;
  /** The group that made it an owner's at the last sign-in. */
  readonly group?: string;
}

/** The service collection of identities, as declared to the store. */
export const identityCollection = {
  name: 'identities',
  placement: 'service',
  indexes: {
    subject: ({ issuer, subject }: IdentityRecord) => subjectKey(issuer, subject),
    email: ({ issuer, subject, email }: IdentityRecord) =>
      email === null ? JSON.stringify([issuer, subject, null]) : subjectKey(issuer, email),
  },
} as const;

function subjectKey(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}

/**
 * Returns the owner of the claims and stores a new one. After the first sign-in the pair of issuer and subject counts: an address that was
 * reassigned to another person gives no access, and a person whose address changed is still recognised. A group counts as long as the
 * provider says so at sign-in, and the operator names it. Throws `forbidden`.
 */
export function admitIdentity(tx: ServiceTx, claims: Claims, rules: OwnerRules, now: string): IdentityRecord {
  const { issuer, subject } = claims;
  const [known] = tx.by<IdentityRecord>(identityCollection.name, 'subject', subjectKey(issuer, subject));
  const group = ownerGroupOf(claims, rules);
  if (known !== undefined && typeof known.email === 'string' && rules.owners.has(known.email)) return known;
  if (group !== undefined) {
    if (known !== undefined && known.group === group) return known;
    return tx.put<IdentityRecord>(identityCollection.name, { ...(known ?? created(claims, null, now)), group });
  }
  if (typeof known?.email === 'string') throw forbidden(`${known.email} is not an owner of this service (any more).`);
  const email = verifiedOwner(claims, rules);
  if (tx.by(identityCollection.name, 'email', subjectKey(issuer, email)).length > 0) {
    throw forbidden(
      `${email} belonged to another account at its first sign-in. An owner can release it with DELETE ${restPrefix}/identities/<id>.`,
    );
  }
  return tx.put<IdentityRecord>(identityCollection.name, { ...(known ?? created(claims, email, now)), email });
}

/** The address of an owner, which is the person's. Throws `forbidden`. */
function verifiedOwner(claims: Claims, rules: OwnerRules): string {
  const email = claims.email?.toLowerCase();
  if (email === undefined)
    throw forbidden('The identity provider returned no e-mail address: it must support the scope "email".');
  if (!isVerified(claims, rules)) {
    const silent = claims.emailVerified === undefined ? ': it does not say so. The operator may trust its tenant' : '';
    throw forbidden(`The identity provider has not verified that ${email} is yours${silent}.`);
  }
  if (!rules.owners.has(email)) throw forbidden(`${email} is not an owner of this service.`);
  return email;
}

function created({ issuer, subject }: Claims, email: string | null, now: string): IdentityRecord {
  return { id: `${randomName()}${randomName()}`, created_at: now, updated_at: now, issuer, subject, email };
}

/**
 * Returns whether an account may (still) sign in: its address is an owner's, or the operator names the group that made
 * it one.
 */
export function isOwner(
  { issuer, email, group }: Pick<IdentityRecord, 'issuer' | 'email' | 'group'>,
  { owners, ownerGroups = [] }: OwnerRules,
): boolean {
  if (email !== null && owners.has(email)) return true;
  return ownerGroups.some((one) => one.group === group && sameIssuer(one.issuer, issuer));
}

function forbidden(message: string): PlannerError {
  return new PlannerError('forbidden', message);
}

export function identityById(service: ServiceReadTransaction, id: string): IdentityRecord | undefined {
  return service.get<IdentityRecord>(identityCollection.name, id);
}

/** The accounts, by created_at, id. */
export function listIdentities(service: ServiceReadTransaction): IdentityRecord[] {
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
