import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../base/clock.ts';
import { PlannerError } from '../base/errors.ts';
import type { Cookies } from '../http/cookies.ts';
import type { SignInPages } from '../http/express-app.ts';
import { isForm, readForm } from '../http/page-form.ts';
import { pageSecurity } from '../http/security-headers.ts';
import { errorHeaders } from '../http/send.ts';
import { statusOf } from '../http/status.ts';
import type { RequestFacts } from '../http/request-log.ts';
import { randomToken } from '../base/ids.ts';
import { limits } from '../base/limits.ts';
import { AttemptLimiter } from '../operations/access/attempt-limiter.ts';
import type { RateLimiters } from '../base/rate-limiters.ts';
import { cookieOf } from '../operations/access/cookie.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { Seal } from '../operations/pipeline/seal.ts';
import type { SignInDesk } from '../operations/access/sign-in-desk.ts';
import type { Caller } from '../operations/declaration/operation.ts';
import type { Expected, OpenId } from './openid.ts';
import { signInPage, signOutPage, styleSource } from './pages.ts';
import { ProgramRoutes, programKeyPath, programPath } from './program-routes.ts';

export interface SignInOptions {
  /** The public URL of the service: scheme and host. */
  readonly baseUrl: string;
  readonly desk: SignInDesk;
  readonly cookies: Cookies;
  /** Absent: people sign in with an owner key. */
  readonly openId?:
    | {
        readonly provider: OpenId;
        readonly host: string;
        /** Seals the state of sign-ins in progress. Absent: only this process can open it. */
        readonly stateSecret?: string | undefined;
      }
    | undefined;
  /** Counts invalid owner keys and failed callbacks. */
  readonly failures: AttemptLimiter | undefined;
  /** Where attempts to sign in are counted. Default: in this process. */
  readonly limiters?: RateLimiters | undefined;
  /** Redirect browsers without a credential to the sign-in page. */
  readonly redirectBrowsers: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** The person who is signed in with a Cookie header; undefined without a valid one. */
  readonly signedIn: (cookie: string | undefined) => Promise<Caller | undefined>;
}

/** The state of a sign-in at the identity provider. It is sealed in a cookie, so that abandoned sign-ins need no memory here. */
interface Pending extends Expected {
  readonly to: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const formBytesMax = 8 * 1024;
const pathCharactersMax = 2000;

/** The routes for signing in and out: `/sign-in`, `/sign-in/start`, `/sign-in/callback`, `/sign-in/program`, `/sign-out`. */
export function signInPages(options: SignInOptions): SignInPages {
  const routes = new SignInRoutes(options);
  const pages: RequestHandler = (request, response, next) => {
    if (/^\/sign-(in|out)(\/|$)/.test(request.path)) void routes.serve(request, response);
    else next();
  };
  const redirectToSignIn = (request: Request, response: Response): void => routes.redirectToSignIn(request, response);
  return { pages, redirectToSignIn: options.redirectBrowsers ? redirectToSignIn : undefined };
}

type Serve = (request: Request, response: Response) => void | Promise<void>;

class SignInRoutes {
  readonly #options: SignInOptions;
  readonly #harden = pageSecurity({ style: styleSource });
  readonly #attempts: AttemptLimiter;
  /**
   * The key of the service's secret, or else of this process: sign-ins in progress when it exits must be started again.
   */
  readonly #seal: Seal;
  readonly #routes: Readonly<Record<string, Readonly<Record<string, Serve>>>>;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#attempts = new AttemptLimiter('sign-ins', limits.signInsPerMinuteMax, options.limiters);
    this.#seal = new Seal(options.openId?.stateSecret ?? randomToken(32));
    const ask: Serve = (request, response) =>
      this.#sendPage(response, 200, this.#page(this.#target(queryOf(request).get('to'))));
    this.#routes = {
      '/sign-in':
        options.openId === undefined ? { GET: ask, POST: (...both) => this.#signInWithKey(...both) } : { GET: ask },
      ...(options.openId === undefined
        ? {}
        : {
            '/sign-in/start': { GET: (...both) => this.#start(...both) },
            '/sign-in/callback': { GET: (...both) => this.#callback(...both) },
            ...this.#programRoutes(options),
          }),
      '/sign-out': {
        GET: (_request, response) => this.#sendPage(response, 200, signOutPage()),
        POST: (...both) => this.#signOut(...both),
      },
    };
  }

  /** Programs sign in where people sign in at an identity provider; elsewhere a person has the key that a program needs. */
  #programRoutes({ desk, signedIn, failures, log }: SignInOptions): Record<string, Record<string, Serve>> {
    const routes = new ProgramRoutes({
      ...{ desk, signedIn, failures, log },
      sendPage: (...page) => this.#sendPage(...page),
      redirect: (...target) => this.#redirect(...target),
    });
    return {
      [programPath]: { GET: (...both) => routes.ask(...both), POST: (...both) => routes.allow(...both) },
      [programKeyPath]: { POST: (...both) => routes.exchange(...both) },
    };
  }

  async serve(request: Request, response: Response): Promise<void> {
    const byMethod = this.#routes[request.path];
    if (byMethod !== undefined) (response.locals as RequestFacts).route = request.path;
    this.#harden(request, response, () => undefined);
    try {
      if (byMethod === undefined) throw new PlannerError('not_found', `There is no ${request.path} here.`);
      const serve = byMethod[request.method === 'HEAD' ? 'GET' : request.method];
      if (serve === undefined) {
        const allow = Object.keys(byMethod);
        throw new PlannerError('method_not_allowed', `${request.path} takes ${allow.join(', ')}.`, { allow });
      }
      // A program sends no cookie, and has the verifier instead.
      if (request.method === 'POST' && request.path !== programKeyPath) this.#requireOwnOrigin(request);
      await serve(request, response);
    } catch (thrown) {
      this.#sendError(asPlannerError(thrown, this.#options.log, `${request.method} /sign-in`), response);
    }
  }

  redirectToSignIn({ originalUrl }: Request, response: Response): void {
    this.#redirect(response, `/sign-in?${new URLSearchParams({ to: originalUrl }).toString()}`);
  }

  #sendError(error: PlannerError, response: Response): void {
    if (response.headersSent) return void response.destroy();
    for (const [name, value] of Object.entries(errorHeaders(error))) response.setHeader(name, value);
    // The user corrects the input on the same page: keep the redirect target.
    const to = (response.locals['to'] as string | undefined) ?? '/';
    this.#sendPage(response, statusOf[error.code], this.#page(to, error.message));
  }

  async #signInWithKey(request: Request, response: Response): Promise<void> {
    if (!isForm(request)) throw new PlannerError('unsupported_media_type', 'Send the form of this page.');
    const { key = '', to } = await readForm(request, formBytesMax);
    response.locals['to'] = this.#target(to);
    const secret = await this.#options.desk.withKey(key.trim(), this.#cookie(request));
    if (secret === undefined) {
      await this.#options.failures?.take(response.locals['address'] as string | undefined);
      throw new PlannerError('unauthorized', 'This is not a valid owner key.');
    }
    this.#signedIn(response, secret, this.#target(to));
  }

  async #start(request: Request, response: Response): Promise<void> {
    await this.#attempts.take(response.locals['address'] as string | undefined);
    const { cookies, clock, openId } = this.#options;
    const { url, expected } = await openId!.provider.begin();
    const seconds = limits.signInMinutesMax * 60;
    const pending: Pending = {
      ...expected,
      to: this.#target(queryOf(request).get('to')),
      until: clock.now() + seconds * 1000,
    };
    response.setHeader('Set-Cookie', cookies.set(cookies.pending, this.#seal.close(JSON.stringify(pending)), seconds));
    this.#redirect(response, url.href);
  }

  async #callback(request: Request, response: Response): Promise<void> {
    const { cookies, failures } = this.#options;
    const address = response.locals['address'] as string | undefined;
    failures?.check(address);
    response.setHeader('Set-Cookie', cookies.clear(cookies.pending));
    try {
      const { secret, to } = await this.#finish(request);
      this.#signedIn(response, secret, to);
    } catch (thrown) {
      await failures?.take(address);
      throw thrown;
    }
  }

  /** Completes a sign-in after the callback of the identity provider. */
  async #finish(request: Request): Promise<{ readonly secret: string; readonly to: string }> {
    const { desk, openId } = this.#options;
    const pending = this.#pending(request);
    if (pending === undefined) {
      throw new PlannerError(
        'unauthorized',
        'This sign-in was started in another browser or has expired. Start again.',
      );
    }
    const claims = await openId!.provider.finish(queryOf(request).toString(), pending).catch((thrown: unknown) => {
      throw thrown instanceof PlannerError ? thrown : this.#providerError(thrown);
    });
    return { secret: await desk.withClaims(claims, this.#cookie(request)), to: pending.to };
  }

  /** The library's message is only logged: it may quote data of the provider. */
  #providerError(thrown: unknown): PlannerError {
    const { message, code } = thrown as { readonly message?: unknown; readonly code?: unknown };
    this.#options.log({ level: 'warn', message: 'sign-in failed', reason: String(message), code: String(code) });
    return new PlannerError('unauthorized', 'The identity provider did not sign you in. Start again.');
  }

  async #signOut(request: Request, response: Response): Promise<void> {
    const { cookies, desk } = this.#options;
    const secret = this.#cookie(request);
    if (secret !== undefined) await desk.end(secret);
    response.setHeader('Set-Cookie', cookies.clear(cookies.session));
    // The browser's cache contains API responses.
    response.setHeader('Clear-Site-Data', '"cache"');
    this.#redirect(response, '/sign-in');
  }

  #signedIn(response: Response, secret: string, to: string): void {
    const { cookies } = this.#options;
    response.appendHeader('Set-Cookie', cookies.set(cookies.session, secret));
    this.#redirect(response, to);
  }

  #cookie({ headers }: Request): string | undefined {
    return cookieOf(headers.cookie, this.#options.cookies.session);
  }

  #pending({ headers }: Request): Pending | undefined {
    const sealed = cookieOf(headers.cookie, this.#options.cookies.pending) ?? '';
    try {
      const pending = JSON.parse(this.#seal.open(sealed)) as Pending;
      return pending.until > this.#options.clock.now() ? pending : undefined;
    } catch {
      // The cookie is missing, forged, or sealed with another secret.
      return undefined;
    }
  }

  /** Rejects forms of other origins, also against login CSRF. */
  #requireOwnOrigin({ headers: { origin } }: Request): void {
    if (origin === this.#options.baseUrl) return;
    throw new PlannerError('forbidden', `Only the page ${this.#options.baseUrl}/sign-in may send this form.`);
  }

  /** The path to redirect to afterwards: always a path of this service, whatever the link contains. */
  #target(to: string | null | undefined): string {
    const url = to == null || to.length > pathCharactersMax ? null : URL.parse(to, this.#options.baseUrl);
    const isOurs = url?.origin === this.#options.baseUrl;
    const here = isOurs && (url.pathname === programPath || !/^\/sign-(in|out)(\/|$)/.test(url.pathname));
    return here ? `${url.pathname}${url.search}` : '/';
  }

  #page(to: string, problem?: string): string {
    return signInPage({ to, provider: this.#options.openId?.host, problem });
  }

  #sendPage(response: Response, status: number, html: string): void {
    response.writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(html),
      'Cache-Control': 'no-store',
    });
    response.end(html);
  }

  /** 303: the browser follows with GET, whatever the method of this request. */
  #redirect(response: Response, to: string): void {
    const location = to.startsWith('/') ? `${this.#options.baseUrl}${to}` : to;
    response.writeHead(303, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 });
    response.end();
  }
}

function queryOf({ url }: Request): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
}
