/** The claims of an identity provider about a person who signed in. */
export interface Claims {
  readonly issuer: string;
  /** The subject: the issuer never assigns it to another person. */
  readonly subject: string;
  readonly email: string | undefined;
  /** Undefined if the provider does not say whether the address is verified. */
  readonly emailVerified: boolean | undefined;
  /** The name of the person. It decides nothing, because at many providers people choose it themselves. */
  readonly name: string | undefined;
  /** The directory of the person at a provider that has several. */
  readonly tenant?: string | undefined;
  readonly groups?: readonly string[];
}

/** A group of an issuer whose members own the service. */
export interface OwnerGroup {
  readonly issuer: string;
  readonly group: string;
}

/** The rules of the operator about the owners of a service. */
export interface OwnerRules {
  /** E-mail addresses in lower case. */
  readonly owners: ReadonlySet<string>;
  /** Issuers and tenants whose addresses count though they never say that they are verified. */
  readonly trustedTenants?: ReadonlySet<string>;
  readonly ownerGroups?: readonly OwnerGroup[];
}

type Values = Readonly<Record<string, unknown>>;

/** The names under which providers list groups. */
const groupClaims = ['groups', 'cognito:groups'] as const;

/** Returns whether the ID token contains everything that a provider can report about a person. */
export function isComplete(token: Values, { ownerGroups = [] }: Pick<OwnerRules, 'ownerGroups'>): boolean {
  return text(token['email']) !== undefined && (ownerGroups.length === 0 || groupClaims.some((name) => name in token));
}

/** The claims in an ID token and, if it was requested, the answer of the userinfo endpoint. Providers differ in shapes. */
export function claimsOf(token: Values & { readonly iss: string; readonly sub: string }, info: Values = {}): Claims {
  // An address and whether it is verified belong together.
  const address = text(token['email']) === undefined ? info : token;
  const named = (name: string): string | undefined => text(token[name]) ?? text(info[name]);
  return {
    issuer: token.iss,
    subject: token.sub,
    email: text(address['email']),
    emailVerified: flag(address['email_verified']),
    name: named('name') ?? named('preferred_username'),
    tenant: text(token['tid']),
    groups: groupClaims.flatMap((name) => texts(token[name] ?? info[name])),
  };
}

/**
 * Returns whether the address of the claims is the person's: the provider says so, or says nothing and the operator
 * trusts its tenant.
 */
export function isVerified({ emailVerified, issuer, tenant }: Claims, { trustedTenants }: OwnerRules): boolean {
  if (emailVerified !== undefined || trustedTenants === undefined) return emailVerified === true;
  return [...trustedTenants].some((one) => one.toLowerCase() === tenant?.toLowerCase() || sameIssuer(one, issuer));
}

/** The group of the person that the operator named for this issuer, or undefined. */
export function ownerGroupOf({ issuer, groups = [] }: Claims, { ownerGroups = [] }: OwnerRules): string | undefined {
  return ownerGroups.find((one) => sameIssuer(one.issuer, issuer) && groups.includes(one.group))?.group;
}

/** Issuers are compared as URLs, because some have a trailing slash after the host and some do not. */
export function sameIssuer(one: string, other: string): boolean {
  const [first, second] = [URL.parse(one), URL.parse(other)];
  return first !== null && second !== null && first.href === second.href;
}

/** Cognito sends texts. Anything else is a no. */
function flag(value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}
