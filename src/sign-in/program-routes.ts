import type { Request, Response } from 'express';
import { PlannerError } from '../base/errors.ts';
import { isForm, readForm } from '../http/page-form.ts';
import { pageSecurity } from '../http/security-headers.ts';
import { sendError, sendJson } from '../http/send.ts';
import type { AttemptLimiter } from '../operations/access/attempt-limiter.ts';
import type { SignInDesk } from '../operations/access/sign-in-desk.ts';
import type { Caller } from '../operations/declaration/operation.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { programCodePage, programPage, styleSource } from './pages.ts';
import { programRequest } from './program-request.ts';

export const programPath = '/sign-in/program';
export const programKeyPath = '/sign-in/program/key';

const formBytesMax = 8 * 1024;

export interface ProgramRoutesOptions {
  readonly desk: Pick<SignInDesk, 'issueCode' | 'redeemCode'>;
  /** The person who is signed in with a Cookie header; undefined without a valid session. */
  readonly signedIn: (cookie: string | undefined) => Promise<Caller | undefined>;
  readonly failures: AttemptLimiter | undefined;
  readonly log: Log;
  readonly sendPage: (response: Response, status: number, html: string) => void;
  readonly redirect: (response: Response, to: string) => void;
}

/**
 * How a program on the person's machine gets an owner key: the person signs in in the browser and allows it, the browser brings a one-time
 * code to the program's port (RFC 8252), and the program exchanges it for the key, with the verifier of its challenge (RFC 7636).
 */
export class ProgramRoutes {
  readonly #options: ProgramRoutesOptions;

  constructor(options: ProgramRoutesOptions) {
    this.#options = options;
  }

  /** GET: asks the person, who signs in first. */
  async ask(request: Request, response: Response): Promise<void> {
    const query = new URL(request.originalUrl, 'http://localhost').searchParams;
    const requested = programRequest(Object.fromEntries(query));
    const person = await this.#options.signedIn(request.headers.cookie);
    if (person === undefined)
      return this.#options.redirect(
        response,
        `/sign-in?${new URLSearchParams({ to: request.originalUrl }).toString()}`,
      );
    // After the form, the browser follows to the program's port.
    const formTargets = requested.redirectUri === undefined ? [] : [new URL(requested.redirectUri).origin];
    pageSecurity({ style: styleSource, formTargets })(request, response, () => undefined);
    this.#options.sendPage(response, 200, programPage({ ...requested, person: nameOf(person), fields: [...query] }));
  }

  /** POST: the person allows it. */
  async allow(request: Request, response: Response): Promise<void> {
    if (!isForm(request)) throw new PlannerError('unsupported_media_type', 'Send the form of this page.');
    const requested = programRequest(await readForm(request, formBytesMax));
    const { desk, signedIn } = this.#options;
    const person = await signedIn(request.headers.cookie);
    if (person === undefined)
      throw new PlannerError('unauthorized', 'You are not signed in any more. Run the command again.');
    const code = await desk.issueCode(requested, person.id);
    if (requested.redirectUri === undefined) return this.#options.sendPage(response, 200, programCodePage(code));
    const query = new URLSearchParams({ code, state: requested.state });
    this.#options.redirect(response, `${requested.redirectUri}?${query.toString()}`);
  }

  /** POST by the program, without a cookie: exchanges the code. Errors are JSON. */
  async exchange(request: Request, response: Response): Promise<void> {
    const { failures, desk, log } = this.#options;
    const address = response.locals['address'] as string | undefined;
    try {
      failures?.check(address);
      if (!isForm(request))
        throw new PlannerError('unsupported_media_type', 'Send a form with code and code_verifier.');
      const {
        code = '',
        code_verifier: verifier = '',
        redirect_uri: redirectUri,
      } = await readForm(request, formBytesMax);
      const made = await desk.redeemCode({ code, verifier, redirectUri });
      if (made === undefined) {
        await failures?.take(address);
        throw new PlannerError('unauthorized', 'The code is unknown, was used, or has expired. Sign in again.');
      }
      const { key, secret } = made;
      sendJson(response, 201, { id: key.id, name: key.name, secret });
    } catch (thrown) {
      sendError(response, asPlannerError(thrown, log, `POST ${programKeyPath}`));
    }
  }
}

/** The name of a signed-in person, as revisions have it. */
function nameOf({ author }: Caller): string {
  return author.replace(/^human:/, '');
}
