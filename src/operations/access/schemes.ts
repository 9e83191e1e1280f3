import { isoTime } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { identityById } from '../../domain/people/identities.ts';
import type { IdentityRecord } from '../../domain/people/identities.ts';
import { keyById, keyWith } from '../../domain/people/keys.ts';
import { sameText } from '../../domain/people/secrets.ts';
import { isNoteDue, noteUse, signInWith } from '../../domain/people/sign-ins.ts';
import type { SignInRecord } from '../../domain/people/sign-ins.ts';
import type { ServiceReadTransaction } from '../../store/index.ts';
import type { CredentialScheme } from './authenticate.ts';
import { cookieOf } from './cookie.ts';
import type { Caller } from '../declaration/operation.ts';
import type { Transactions } from '../declaration/transactions.ts';

// Credentials belong to the service and do not depend on the collections of projects.
// oxlint-disable-next-line typescript/no-explicit-any
type Store = Pick<Transactions<any>, 'readService' | 'updateService'>;

/** The token of `Authorization: Bearer <token>`, undefined for another scheme. */
function bearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/**
 * `local/admin`: anyone who can read the root acts as the owner. `content` is the text that the service wrote there at
 * this start. The caller equals the caller of a loopback service without a credential, so a call retried at the next
 * service has the same caller with or without the token.
 */
export function adminScheme(content: string, owner: Caller): CredentialScheme {
  const presented = (authorization: string | undefined): string | undefined => {
    const token = bearer(authorization);
    return token?.startsWith(adminPrefix) === true ? token : undefined;
  };
  return {
    challenge: 'Bearer',
    ambient: false,
    guessable: false,
    matches: ({ authorization }) => presented(authorization) !== undefined,
    callerOf: ({ authorization }) =>
      Promise.resolve(sameText(presented(authorization) ?? '', content) ? owner : undefined),
  };
}

/** The prefix of the content of `local/admin`. */
export const adminPrefix = 'pln_admin_';

/** Keys: `Authorization: Bearer pln_owner_…` or `pln_agent_…`. Any other bearer token is an unknown key. */
export function keyScheme(store: Store): CredentialScheme {
  return {
    challenge: 'Bearer',
    ambient: false,
    guessable: false,
    matches: ({ authorization }) => bearer(authorization) !== undefined,
    callerOf: async ({ authorization }) => {
      const key = await store.readService((service) => keyWith(service, bearer(authorization)!));
      if (key === undefined) return undefined;
      const { id, name, project } = key;
      if (project === null) return { kind: 'owner', id, author: `human:${name}` };
      return { kind: 'agent', id, author: `agent:${name}`, boundTo: project };
    },
  };
}

const basicUser = 'planner';

/** HTTP basic with the owner's password. */
export function basicScheme(password: string, owner: Caller): CredentialScheme {
  return {
    challenge: 'Basic',
    ambient: true,
    sentByPrograms: true,
    guessable: true,
    matches: ({ authorization }) => /^basic( |$)/i.test(authorization ?? ''),
    callerOf: ({ authorization }) => {
      const encoded = /^basic +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
      const presented = Buffer.from(encoded, 'base64').toString();
      return Promise.resolve(sameText(presented, `${basicUser}:${password}`) ? { ...owner, id: 'basic' } : undefined);
    },
  };
}

export interface SignInSchemeOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The name of the cookie that contains a sign-in's secret. */
  readonly cookie: () => string;
  /** Returns whether an identity may sign in now. */
  readonly admits: (identity: Pick<IdentityRecord, 'issuer' | 'email' | 'group'>) => boolean;
}

const system = { author: 'system', source: 'system' } as const;

/** The cookie of a browser in which a person is signed in. A request with an Authorization header is authenticated by the header. */
export function signInScheme({ store, clock, cookie, admits }: SignInSchemeOptions): CredentialScheme {
  return {
    ambient: true,
    guessable: false,
    matches: (presented) => presented.authorization === undefined && cookieOf(presented.cookie, cookie()) !== undefined,
    callerOf: async (presented) => {
      const now = isoTime(clock.now());
      const secret = cookieOf(presented.cookie, cookie())!;
      const signIn = await store.readService((service) => {
        const found = signInWith(service, secret, now);
        return found !== undefined && isStillValid(service, found, admits) ? found : undefined;
      });
      if (signIn === undefined) return undefined;
      if (isNoteDue(signIn, now)) await store.updateService(system, (service) => noteUse(service, signIn.id, now));
      return { kind: 'owner', id: signIn.id, author: `human:${signIn.name}` };
    },
  };
}

/** Returns whether the key or identity of a sign-in is still valid. */
export function isStillValid(
  service: ServiceReadTransaction,
  { by, by_id: id }: SignInRecord,
  admits: SignInSchemeOptions['admits'],
): boolean {
  if (by === 'key') return keyById(service, id) !== undefined;
  const identity = identityById(service, id);
  return identity !== undefined && admits(identity);
}
