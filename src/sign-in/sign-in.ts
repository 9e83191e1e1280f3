import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../clock.ts';
import { PlannerError } from '../errors.ts';
import type { Cookies } from '../http/cookies.ts';
import type { SignInPages } from '../http/http-app.ts';
import { isForm, readForm } from '../http/page-form.ts';
import { pageSecurity } from '../http/security-headers.ts';
import { errorHeaders } from '../http/send.ts';
import { statusOf } from '../http/status.ts';
import { noteRoute } from '../http/request-log.ts';
import { randomToken } from '../ids.ts';
import { limits } from '../limits.ts';
import { AttemptLimiter } from '../operations/access/attempt-limiter.ts';
import { cookieOf } from '../operations/access/cookie.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import { Seal } from '../operations/pipeline/seal.ts';
import type { SignInDesk } from '../operations/access/sign-in-desk.ts';
import type { Expected, OpenId } from './openid.ts';
import { signInPage, signOutPage, styleSource } from './pages.ts';

export interface SignInOptions {
  /** Scheme and host under which everybody finds the service. */
  readonly baseUrl: string;
  readonly desk: SignInDesk;
  readonly cookies: Cookies;
  /** Absent: a person signs in with an owner key. */
  readonly openId?: { readonly provider: OpenId; readonly host: string } | undefined;
  /** Counts owner keys that were none, and ways back from the identity provider that led nowhere. */
  readonly failures: AttemptLimiter | undefined;
  /** A browser without a credential is sent to sign in. */
  readonly redirectBrowsers: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a browser has to bring back from the identity provider, sealed in a cookie: nothing is kept here for who never comes back. */
interface Pending extends Expected {
  readonly to: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const formBytesMax = 8 * 1024;
const pathCharactersMax = 2000;

/** Where a person signs in and out: `/sign-in`, `/sign-in/start`, `/sign-in/callback`, `/sign-out`. */
export function signInPages(options: SignInOptions): SignInPages {
  const door = new SignInRoutes(options);
  const pages: RequestHandler = (request, response, next) => {
    if (/^\/sign-(in|out)(\/|$)/.test(request.path)) void door.serve(request, response);
    else next();
  };
  const redirectToSignIn = (request: Request, response: Response): void => door.invite(request, response);
  return { pages, redirectToSignIn: options.redirectBrowsers ? redirectToSignIn : undefined };
}

type Serve = (request: Request, response: Response) => void | Promise<void>;

class SignInRoutes {
  readonly #options: SignInOptions;
  readonly #harden = pageSecurity({ style: styleSource });
  readonly #attempts = new AttemptLimiter(limits.signInsPerMinuteMax);
  /** Known to this process alone: who is on the way when it ends begins anew. */
  readonly #seal = new Seal(randomToken(32));
  readonly #routes: Readonly<Record<string, Readonly<Record<string, Serve>>>>;

  constructor(options: SignInOptions) {
    this.#options = options;
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
          }),
      '/sign-out': {
        GET: (_request, response) => this.#sendPage(response, 200, signOutPage()),
        POST: (...both) => this.#signOut(...both),
      },
    };
  }

  async serve(request: Request, response: Response): Promise<void> {
    const byMethod = this.#routes[request.path];
    if (byMethod !== undefined) noteRoute(response, request.path);
    this.#harden(request, response, () => undefined);
    try {
      if (byMethod === undefined) throw new PlannerError('not_found', `There is no ${request.path} here.`);
      const serve = byMethod[request.method === 'HEAD' ? 'GET' : request.method];
      if (serve === undefined) {
        const allow = Object.keys(byMethod);
        throw new PlannerError('method_not_allowed', `${request.path} takes ${allow.join(', ')}.`, { allow });
      }
      if (request.method === 'POST') this.#requireOwnOrigin(request);
      await serve(request, response);
    } catch (thrown) {
      this.#sendError(asPlannerError(thrown, this.#options.log, `${request.method} /sign-in`), response);
    }
  }

  invite({ originalUrl }: Request, response: Response): void {
    this.#redirect(response, `/sign-in?${new URLSearchParams({ to: originalUrl }).toString()}`);
  }

  #sendError(error: PlannerError, response: Response): void {
    if (response.headersSent) return void response.destroy();
    for (const [name, value] of Object.entries(errorHeaders(error))) response.setHeader(name, value);
    // What was wrong is put right on the same page: the way back stays.
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
      throw new PlannerError('unauthorized', 'That is no valid owner key.');
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
    await failures?.check(address);
    response.setHeader('Set-Cookie', cookies.clear(cookies.pending));
    try {
      const { secret, to } = await this.#finish(request);
      this.#signedIn(response, secret, to);
    } catch (thrown) {
      await failures?.take(address);
      throw thrown;
    }
  }

  /** The sign-in of who comes back from the identity provider. */
  async #finish(request: Request): Promise<{ readonly secret: string; readonly to: string }> {
    const { desk, openId } = this.#options;
    const pending = this.#pending(request);
    if (pending === undefined) {
      throw new PlannerError(
        'unauthorized',
        'This sign-in was not begun in this browser, or too long ago. Begin anew.',
      );
    }
    const claims = await openId!.provider.finish(queryOf(request).toString(), pending).catch((thrown: unknown) => {
      throw thrown instanceof PlannerError ? thrown : this.#providerError(thrown);
    });
    return { secret: await desk.withClaims(claims, this.#cookie(request)), to: pending.to };
  }

  /** The library's reasons are for the log: they may quote what the provider sent. */
  #providerError(thrown: unknown): PlannerError {
    const { message, code } = thrown as { readonly message?: unknown; readonly code?: unknown };
    this.#options.log({ level: 'warn', message: 'sign-in failed', reason: String(message), code: String(code) });
    return new PlannerError('unauthorized', 'The identity provider did not sign you in. Begin anew.');
  }

  async #signOut(request: Request, response: Response): Promise<void> {
    const { cookies, desk } = this.#options;
    const secret = this.#cookie(request);
    if (secret !== undefined) await desk.end(secret);
    response.setHeader('Set-Cookie', cookies.clear(cookies.session));
    // What the API answered this browser is kept there until it is told otherwise.
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
      // Sealed by a former process, not at all, or not there.
      return undefined;
    }
  }

  /** A page that signs somebody in by another's will is as foreign as any: what sends a form here is this service's own page. */
  #requireOwnOrigin({ headers: { origin } }: Request): void {
    if (origin === this.#options.baseUrl) return;
    throw new PlannerError('forbidden', `This form comes from the page ${this.#options.baseUrl}/sign-in alone.`);
  }

  /** Where to go afterwards: a path of this service, whatever a link asks for. */
  #target(to: string | null | undefined): string {
    const url = to == null || to.length > pathCharactersMax ? null : URL.parse(to, this.#options.baseUrl);
    const here = url?.origin === this.#options.baseUrl && !/^\/sign-(in|out)(\/|$)/.test(url.pathname);
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

  /** 303: what comes next is a GET, whatever this was. */
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
