import { isoTime } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { admitIdentity } from '../../domain/people/identities.ts';
import type { Claims, OwnerRules } from '../../domain/people/claims.ts';
import { createKey, keyWith } from '../../domain/people/keys.ts';
import type { MadeKey } from '../../domain/people/keys.ts';
import { issueCode, redeemCode } from '../../domain/people/program-codes.ts';
import type { PresentedCode, ProgramRequest } from '../../domain/people/program-codes.ts';
import { beginSignIn, endSignIn, signInById, signInWith } from '../../domain/people/sign-ins.ts';
import type { SignInRecord } from '../../domain/people/sign-ins.ts';
import type { ServiceTx } from '../../store/index.ts';
import { isStillValid } from './schemes.ts';
import type { SignInSchemeOptions } from './schemes.ts';

export { claimsOf, isComplete } from '../../domain/people/claims.ts';
export type { Claims, OwnerRules } from '../../domain/people/claims.ts';
export type { ProgramRequest } from '../../domain/people/program-codes.ts';

export interface SignInDeskOptions extends OwnerRules {
  readonly store: SignInSchemeOptions['store'];
  readonly clock: Clock;
  readonly admits: SignInSchemeOptions['admits'];
}

const system = { author: 'system', source: 'system' } as const;

/** Starts and ends sign-ins. Each start returns a new secret for the browser's cookie; `former` is the previous one. */
export class SignInDesk {
  readonly #options: SignInDeskOptions;

  constructor(options: SignInDeskOptions) {
    this.#options = options;
  }

  /** Undefined if it is not a valid owner key. */
  async withKey(presented: string, former: string | undefined): Promise<string | undefined> {
    return this.#begin(former, (tx) => {
      const key = keyWith(tx, presented);
      return key?.kind === 'owner' ? { by: 'key', by_id: key.id, name: key.name } : undefined;
    });
  }

  /** Throws `forbidden` if the person is not an owner. */
  async withClaims(claims: Claims, former: string | undefined): Promise<string> {
    const secret = await this.#begin(former, (tx, now) => {
      const { id, email } = admitIdentity(tx, claims, this.#options, now);
      return { by: 'identity', by_id: id, name: oneLine(claims.name) ?? email ?? claims.subject };
    });
    return secret!;
  }

  /** A code for a program that the person of this sign-in has allowed. */
  issueCode(request: ProgramRequest, signIn: string): Promise<string> {
    const now = isoTime(this.#options.clock.now());
    return this.#options.store.updateService(system, (tx) => issueCode(tx, request, signIn, now));
  }

  /** An owner key for a program that presents its code, once; undefined unless it and the person's sign-in are valid. */
  redeemCode(presented: PresentedCode): Promise<MadeKey | undefined> {
    const { store, clock, admits } = this.#options;
    const now = isoTime(clock.now());
    return store.updateService(system, (tx) => {
      const issued = redeemCode(tx, presented, now);
      const signIn = issued && signInById(tx, issued.sign_in, now);
      if (signIn === undefined || !isStillValid(tx, signIn, admits)) return undefined;
      const name = `${signIn.name} on ${issued!.device}`;
      return createKey(tx, { kind: 'owner', name }, { now, hasProject: () => false });
    });
  }

  async end(secret: string): Promise<void> {
    const now = isoTime(this.#options.clock.now());
    await this.#options.store.updateService(system, (tx) => forget(tx, secret, now));
  }

  #begin(
    former: string | undefined,
    decide: (tx: ServiceTx, now: string) => Pick<SignInRecord, 'by' | 'by_id' | 'name'> | undefined,
  ): Promise<string | undefined> {
    const now = isoTime(this.#options.clock.now());
    return this.#options.store.updateService(system, (tx) => {
      const person = decide(tx, now);
      if (person === undefined) return undefined;
      if (former !== undefined) forget(tx, former, now);
      return beginSignIn(tx, person, now).secret;
    });
  }
}

function forget(tx: ServiceTx, secret: string, now: string): void {
  const found = signInWith(tx, secret, now);
  if (found !== undefined) endSignIn(tx, found.id);
}

const nameCharactersMax = 100;

/** A name as an author, on one line and bounded: a provider may send any text. */
function oneLine(name: string | undefined): string | undefined {
  const line = (name ?? '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line === '' ? undefined : [...line].slice(0, nameCharactersMax).join('').trim();
}
