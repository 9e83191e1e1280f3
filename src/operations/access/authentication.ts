import { limits } from '../../base/limits.ts';
import type { RateLimiters } from '../../base/rate-limiters.ts';
import { AttemptLimiter } from './attempt-limiter.ts';
import { Authenticator } from './authenticate.ts';
import type { CredentialScheme } from './authenticate.ts';
import type { Caller } from '../declaration/operation.ts';
import { adminScheme, basicScheme, keyScheme, signInScheme } from './schemes.ts';
import type { SignInSchemeOptions } from './schemes.ts';

export interface AuthenticationOptions extends SignInSchemeOptions {
  /** The owner's name. Revisions have the author `human:<name>`. */
  readonly owner: string;
  /** The project that the root's config.json binds, if any. */
  readonly defaultProject: string | undefined;
  /** The service is reachable from other machines: a request without a credential is rejected. */
  readonly hosted: boolean;
  /** PLANNER_AUTH_PASSWORD. */
  readonly password?: string | undefined;
  /** The content of `local/admin`. */
  readonly admin?: string | undefined;
  /** Where failed attempts are counted. Default: in this process. */
  readonly limiters?: RateLimiters | undefined;
}

/** The authenticator and, if the service is hosted, the limiter of failed attempts. */
export interface Authentication {
  readonly authenticator: Authenticator;
  readonly failures: AttemptLimiter | undefined;
}

/** The credentials that a service accepts with these settings. */
export function authentication(options: AuthenticationOptions): Authentication {
  const { owner, defaultProject, hosted, password, admin, store, limiters } = options;
  const person: Caller = Object.freeze({ kind: 'owner', id: 'loopback', author: `human:${owner}` });
  const here: Caller = Object.freeze(defaultProject === undefined ? person : { ...person, defaultProject });
  const schemes: CredentialScheme[] = [
    ...(admin === undefined ? [] : [adminScheme(admin, here)]),
    keyScheme(store),
    ...(password === undefined ? [] : [basicScheme(password, hosted ? person : here)]),
    // Without sign-in, cookies are not accepted: browsers send a cookie of loopback to every port, whichever program set it.
    ...(hosted ? [signInScheme(options)] : []),
  ];
  const failures = hosted
    ? new AttemptLimiter('credentials', limits.failedCredentialsPerMinuteMax, limiters)
    : undefined;
  const open = !hosted && password === undefined;
  const remedy = remedyOf(open, hosted, password !== undefined);
  return {
    authenticator: new Authenticator({ anonymous: open ? here : undefined, schemes, failures, remedy }),
    failures,
  };
}

function remedyOf(open: boolean, hosted: boolean, basic: boolean): string {
  const key = 'Send a valid key in "Authorization: Bearer <key>"';
  if (open) return `${key}; at a service on loopback send no Authorization header at all.`;
  return `${key}${basic ? ', or the password by HTTP basic with the user planner' : ''}${hosted ? ', or sign in at /sign-in' : ''}.`;
}
