import { hash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { PlannerError } from '../errors.ts';
import { randomToken } from '../ids.ts';
import { limits } from '../limits.ts';
import { plainLine } from '../printable.ts';

/** A program that asks for a key, with the members of an authorization request (RFC 6749, RFC 7636). */
export interface ProgramRequest {
  /** Where the browser brings the code: the program's own port on the machine of the browser (RFC 8252). Absent: the page shows the code. */
  readonly redirectUri: string | undefined;
  readonly state: string;
  /** The SHA-256 of the program's verifier, base64url: only who has the verifier can use the code. */
  readonly challenge: string;
  /** The machine, as the person sees it. */
  readonly device: string;
}

interface Issued extends ProgramRequest {
  /** The browser's session, which has to be valid still when the code is used. */
  readonly cookie: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** How long a code is valid. */
const codeMs = 120_000;
/** The bytes of a code. */
const codeBytes = 32;
const deviceCharactersMax = 100;

const loopbackCallback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[1-9]\d{0,4}\/callback$/;

/** Reads a request from a query or a form. Throws `invalid_argument` with the member. */
export function programRequest(fields: Readonly<Record<string, string>>): ProgramRequest {
  const { redirect_uri: redirectUri, state = '', code_challenge: challenge = '', device = '' } = fields;
  const invalid = (field: string, right: string): PlannerError =>
    new PlannerError('invalid_argument', `${field} is missing or invalid: it is ${right}.`, { field });
  if (redirectUri !== undefined && !loopbackCallback.test(redirectUri))
    throw invalid('redirect_uri', 'http://127.0.0.1:<port>/callback');
  if (!/^[\w-]{16,200}$/.test(state)) throw invalid('state', '16 to 200 random characters of base64url');
  if (!/^[\w-]{43}$/.test(challenge)) throw invalid('code_challenge', 'the SHA-256 of the verifier as base64url');
  if (fields['code_challenge_method'] !== 'S256') throw invalid('code_challenge_method', 'S256');
  const name = plainLine(device).slice(0, deviceCharactersMax);
  if (name === '') throw invalid('device', 'the name of the machine');
  return { redirectUri, state, challenge, device: name };
}

/** The codes that programs exchange for keys, each once and within two minutes. They exist only in this process. */
export class ProgramCodes {
  readonly #clock: Clock;
  readonly #issued = new Map<string, Issued>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(request: ProgramRequest, cookie: string): string {
    const now = this.#clock.now();
    for (const [code, { until }] of this.#issued)
      if (until <= now || this.#issued.size >= limits.signInsPerMinuteMax) this.#issued.delete(code);
    const code = randomToken(codeBytes);
    this.#issued.set(code, { ...request, cookie, until: now + codeMs });
    return code;
  }

  /** Takes a code back; undefined unless it is valid and the verifier and the address are those of its request. */
  redeem(code: string, verifier: string, redirectUri: string | undefined): Issued | undefined {
    const issued = this.#issued.get(code);
    this.#issued.delete(code);
    if (issued === undefined || issued.until <= this.#clock.now()) return undefined;
    const isItsOwn = issued.challenge === hash('sha256', verifier, 'base64url') && issued.redirectUri === redirectUri;
    return isItsOwn ? issued : undefined;
  }
}
