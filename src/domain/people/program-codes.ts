import { hash } from 'node:crypto';
import { isoTime } from '../../base/clock.ts';
import { randomName, randomToken } from '../../base/ids.ts';
import { limits } from '../../base/limits.ts';
import type { ServiceTx } from '../../store/index.ts';
import { digestOf, recordWithSecret, secretBytes, secretIndex } from './secrets.ts';
import type { SecretRecord } from './secrets.ts';

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

/** The code and the proof that a program presents for its key. */
export interface PresentedCode {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string | undefined;
}

/** A code that a program exchanges for a key. Any node may be asked to; the service does not store the code. */
export interface ProgramCodeRecord extends SecretRecord {
  /** The sign-in of the browser that allowed it, which has to be valid still when the code is used. */
  readonly sign_in: string;
  readonly challenge: string;
  readonly redirect_uri: string | null;
  readonly device: string;
  readonly drop_at: string;
}

/** The service collection of codes, as declared to the store. */
export const programCodeCollection = { name: 'program_codes', placement: 'service', indexes: secretIndex } as const;

const { name: collection } = programCodeCollection;
/** How long a code is valid. */
const codeMs = 120_000;

/** A new code for a program that the person of a sign-in has allowed. There are only so many: the oldest ones end. */
export function issueCode(
  tx: ServiceTx,
  { redirectUri, challenge, device }: Pick<ProgramRequest, 'redirectUri' | 'challenge' | 'device'>,
  signIn: string,
  now: string,
): string {
  const known = [...tx.list<ProgramCodeRecord>(collection)];
  const surplus = known.length + 1 - limits.signInsPerMinuteMax;
  for (const [at, { id, drop_at: end }] of known.entries()) if (end <= now || at < surplus) tx.remove(collection, id);
  const code = randomToken(secretBytes);
  tx.put<ProgramCodeRecord>(collection, {
    id: `${randomName()}${randomName()}`,
    created_at: now,
    updated_at: now,
    secret_sha256: digestOf(code),
    sign_in: signIn,
    challenge,
    redirect_uri: redirectUri ?? null,
    device,
    drop_at: isoTime(Date.parse(now) + codeMs),
  });
  return code;
}

/** Takes a code back; undefined unless it is valid and the verifier and the address match its request. */
export function redeemCode(
  tx: ServiceTx,
  { code, verifier, redirectUri }: PresentedCode,
  now: string,
): ProgramCodeRecord | undefined {
  const issued = recordWithSecret<ProgramCodeRecord>(tx, collection, code);
  if (issued === undefined) return undefined;
  tx.remove(collection, issued.id);
  const isItsOwn =
    issued.challenge === hash('sha256', verifier, 'base64url') && issued.redirect_uri === (redirectUri ?? null);
  return isItsOwn && issued.drop_at > now ? issued : undefined;
}
