import { PlannerError } from '../../base/errors.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { Caller } from '../declaration/operation.ts';

/** The credentials of a request, which the transport reads from its headers. */
export interface Presented {
  /** The Authorization header. */
  readonly authorization?: string | undefined;
  /** The Cookie header. */
  readonly cookie?: string | undefined;
  /** The Origin header: the page that a browser sends the request for. */
  readonly origin?: string | undefined;
  /** The Sec-Fetch-Site header: the relation of that page's site to the service, determined by the browser. */
  readonly 'sec-fetch-site'?: string | undefined;
}

/** Where a request comes from, and over which transport. */
export interface RequestOrigin {
  /** The author in revisions depends on this and on `client`. */
  readonly transport: 'rest' | 'mcp' | 'cli';
  /** The MCP client's name, if it gave one. */
  readonly client?: string | undefined;
  /** The request's method. Default: a safe method. */
  readonly method?: string | undefined;
  /** The service's URL for the caller. Only pages of this origin may send requests that change something. */
  readonly baseUrl?: string | undefined;
  /** The network address, by which failures are counted. */
  readonly address?: string | undefined;
}

/** One kind of credential. */
export interface CredentialScheme {
  /** The scheme in WWW-Authenticate; absent if a client cannot be challenged for it. */
  readonly challenge?: 'Bearer' | 'Basic';
  /**
   * A browser sends it automatically, whichever page causes the request: a request that changes something then needs the service's own
   * Origin.
   */
  readonly ambient: boolean;
  /** Programs send an ambient credential too: a request with neither Origin nor Sec-Fetch-Site is not a browser's. */
  readonly sentByPrograms?: boolean;
  /** Short enough to be guessed: an address with too many failures must wait, whatever credential it sends. */
  readonly guessable: boolean;
  /** Returns whether a request has a credential of this kind, valid or not. */
  matches(presented: Presented): boolean;
  /** The caller of the credential; undefined if it is unknown or revoked. */
  callerOf(presented: Presented, origin: RequestOrigin): Promise<Caller | undefined>;
}

export interface AuthenticatorOptions {
  /** The caller of a request without a credential; undefined if one is required. */
  readonly anonymous: Caller | undefined;
  /** Tried in order. The first one that matches the kind of the request's credential is used. */
  readonly schemes: readonly CredentialScheme[];
  /** Counts rejected requests by address. Absent if the service listens on loopback only. */
  readonly failures?: AttemptLimiter | undefined;
  /** The remedies for a rejected caller, as sentences. */
  readonly remedy: string;
}

const clientCharactersMax = 100;
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Determines the caller. A credential that is sent is always checked, even if no credential is required. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #challenges: readonly string[];

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#challenges = [...new Set(options.schemes.flatMap(({ challenge }) => challenge ?? []))];
  }

  /**
   * Throws `unauthorized` if a credential is missing or invalid, `forbidden` if a foreign page makes a browser send a request that changes
   * something, `rate_limited` if an address has failed too often.
   */
  async authenticate(presented: Presented, origin: RequestOrigin): Promise<Caller> {
    const isAnonymous = presented.authorization === undefined && presented.cookie === undefined;
    const scheme = isAnonymous ? undefined : this.#options.schemes.find((one) => one.matches(presented));
    let caller = this.#options.anonymous;
    if (scheme === undefined) {
      if (presented.authorization !== undefined) throw await this.#failed('The credential is unknown.', origin);
      if (caller === undefined) throw this.#unauthorized('A credential is required.');
    } else {
      if (scheme.guessable) this.#options.failures?.check(origin.address);
      caller = await scheme.callerOf(presented, origin);
      if (caller === undefined) throw await this.#failed('The credential is unknown, expired or revoked.', origin);
      if (scheme.ambient && !(scheme.sentByPrograms === true && isProgram(presented)))
        requireOwnOrigin(presented, origin);
    }
    return origin.transport === 'mcp' ? underName(caller, origin) : caller;
  }

  async #failed(reason: string, { address }: RequestOrigin): Promise<PlannerError> {
    await this.#options.failures?.take(address);
    return this.#unauthorized(reason);
  }

  /** `schemes`: the accepted schemes, in the syntax of WWW-Authenticate. */
  #unauthorized(reason: string): PlannerError {
    const message = `${reason} ${this.#options.remedy}`;
    return new PlannerError('unauthorized', message, { schemes: this.#challenges });
  }
}

/** Browsers send Origin with every request of a page except GET and HEAD; no page can remove it. */
function isProgram({ origin, 'sec-fetch-site': site }: Presented): boolean {
  return origin === undefined && site === undefined;
}

/** Pages of other sites can make a browser send its cookie or password here. They cannot send this Origin. */
function requireOwnOrigin({ origin }: Presented, { method = 'GET', baseUrl }: RequestOrigin): void {
  if (safeMethods.has(method)) return;
  const own = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  if (origin !== undefined && origin === own) return;
  throw new PlannerError(
    'forbidden',
    `With a cookie or a password a ${method} must come from the service's own pages: send "Origin: ${own}", or use a key.`,
  );
}

/**
 * The caller with the author for revisions: a client of MCP writes under its own name, after the name of an agent's
 * key.
 */
export function underName(caller: Caller, { client }: Pick<RequestOrigin, 'client'>): Caller {
  if (caller.kind === 'guest') return caller;
  if (caller.kind === 'owner') return { ...caller, author: `agent:${clientName(client)}` };
  return client === undefined
    ? caller
    : { ...caller, author: authorNamed(caller, clientName(client)), key: caller.author };
}

/**
 * The author of changes by an agent that names itself: `agent:robo (recipes)`. The name proves nothing; its key or
 * client is in brackets.
 */
export function authorNamed({ author, key = author }: Pick<Caller, 'author' | 'key'>, name: string): string {
  const known = key.slice('agent:'.length);
  return name === known ? author : `agent:${name} (${known})`;
}

/** A client's name as an author: one line, bounded; `mcp` without a name. */
export function clientName(client: string | undefined): string {
  const name = (client ?? '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return name === '' ? 'mcp' : [...name].slice(0, clientCharactersMax).join('').trim();
}
