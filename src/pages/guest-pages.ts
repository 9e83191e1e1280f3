import type { RequestHandler } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, PlannerError } from '../base/errors.ts';
import { isTopLevelDocument, sendFramingPage } from '../http/framing-page.ts';
import { requireOwnOrigin } from '../http/csrf.ts';
import { isForm, readForm } from '../http/page-form.ts';
import { readJson } from '../http/read-json.ts';
import { errorHeaders, sendError, sendJson } from '../http/send.ts';
import { statusOf } from '../http/status.ts';
import type { RequestFacts } from '../http/request-log.ts';
import { limits } from '../base/limits.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';
import type { Call, Dispatcher, Input } from '../operations/pipeline/dispatch.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { ShownScreen, ShownShare } from '../operations/guests.ts';
import type { Participation, SubmissionAnswer } from '../schema/types.ts';
import type { Collections } from '../store/index.ts';
import { markup } from '../http/markup.ts';
import { pageHeaders, pageText, type Page } from './layout.ts';
import { type Fields, participantPage, type FormOutcome } from './participant-page.ts';
import { screenHeaders, screenText, sharePage } from './share-page.ts';

export interface GuestPagesOptions<C extends Collections> {
  readonly dispatcher: Dispatcher<C>;
  readonly authenticator: Authenticator;
  readonly log: Log;
}

/** The pages of share and participant links, `/s/<token>` and `/p/<token>`. Calls `next` for other paths. */
export function guestPages<C extends Collections>(options: GuestPagesOptions<C>): RequestHandler {
  const pages = new GuestPages(options);
  return (request, response, next) => {
    const route = routes.find(({ path }) => path.test(request.path));
    if (route === undefined) return next();
    const [, token = '', id = ''] = route.path.exec(request.path)!;
    const locals = response.locals as RequestFacts;
    Object.assign(locals, { route: route.pattern, caller: 'guest' });
    void pages.serve(route, { request, response, locals, token, id, query: queryOf(request.url) });
  };
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly locals: RequestFacts;
  readonly token: string;
  readonly id: string;
  readonly query: URLSearchParams;
}

interface Route {
  readonly path: RegExp;
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly serve: 'share' | 'screen' | 'participants';
}

const routes: readonly Route[] = [
  { path: /^\/s\/([^/]+)\/?$/, pattern: '/s/:token', methods: ['GET', 'HEAD'], serve: 'share' },
  {
    path: /^\/s\/([^/]+)\/screens\/([^/]+)$/,
    pattern: '/s/:token/screens/:artifact_id',
    methods: ['GET', 'HEAD'],
    serve: 'screen',
  },
  { path: /^\/p\/([^/]+)\/?$/, pattern: '/p/:token', methods: ['GET', 'HEAD', 'POST'], serve: 'participants' },
];

/** Tasks on one page of a participant link. */
const tasksShown = 200;
const seeOther = 303;

class GuestPages<C extends Collections> {
  readonly #dispatcher: Dispatcher<C>;
  readonly #authenticator: Authenticator;
  readonly #log: Log;

  constructor({ dispatcher, authenticator, log }: GuestPagesOptions<C>) {
    this.#dispatcher = dispatcher;
    this.#authenticator = authenticator;
    this.#log = log;
  }

  async serve({ methods, pattern, serve }: Route, visit: Visit): Promise<void> {
    const { request, response } = visit;
    try {
      if (!methods.includes(request.method!))
        throw new PlannerError('method_not_allowed', `This page does not support ${request.method}.`, {
          allow: methods,
        });
      await this.#check(visit);
      if (serve === 'share') await this.#share(visit);
      else if (serve === 'screen') await this.#screen(visit);
      else if (request.method === 'POST') await this.#submit(visit);
      else await this.#participants(visit);
    } catch (thrown) {
      const error = asPlannerError(thrown, this.#log, `${request.method} ${pattern}`);
      if (response.headersSent) response.destroy();
      else if (request.method === 'POST' && !isForm(request)) sendError(response, error);
      else sendPage(response, errorPage(error), statusOf[error.code], errorHeaders(error));
    }
  }

  /** Authenticates a credential if one is sent; credentials are optional here. */
  async #check({ request: { headers, method }, locals: { baseUrl, address } }: Visit): Promise<void> {
    if (headers.authorization === undefined) return;
    await this.#authenticator.authenticate(headers, { transport: 'rest', method, baseUrl, address });
  }

  async #share(visit: Visit): Promise<void> {
    const shown = (await this.#call('show_share', visit, {})) as ShownShare;
    sendPage(
      visit.response,
      sharePage(shown, `/s/${visit.token}`, visit.token, visit.query.get('document') ?? undefined),
    );
  }

  async #screen(visit: Visit): Promise<void> {
    // The frame needs another URL than its page, since browsers do not frame a page in itself.
    if (isTopLevelDocument(visit.request))
      return sendFramingPage(visit.response, `${visit.request.url!.split('?', 1)[0]}?framed`);
    const shown = (await this.#call('show_share_screen', visit, { artifact_id: decoded(visit.id) })) as ShownScreen;
    send(visit.response, 200, screenText(shown), screenHeaders(visit.locals.baseUrl));
  }

  async #participants(visit: Visit): Promise<void> {
    const cursor = visit.query.get('cursor');
    const sent: FormOutcome = visit.query.has('sent') ? { taken: true } : undefined;
    const shown = await this.#participation(visit, cursor === null ? {} : { cursor });
    sendPage(visit.response, participantPage(shown, `/p/${visit.token}`, sent));
  }

  async #submit(visit: Visit): Promise<void> {
    const { request, response, token } = visit;
    requireOwnOrigin(request.headers, visit.locals.baseUrl);
    if (!isForm(request)) {
      const body = await readJson(request, limits.guestRequestBytesMax);
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new PlannerError('invalid_argument', 'The body is not a JSON object: send the members in {}.');
      const { submission } = (await this.#call('participate', visit, body as Input)) as SubmissionAnswer;
      return sendJson(response, 201, submission);
    }
    const fields = await readForm(request, limits.guestRequestBytesMax);
    try {
      // An empty form field counts as absent.
      const filled = Object.entries(fields).filter(([name, value]) => required.has(name) || value.trim() !== '');
      await this.#call('participate', visit, Object.fromEntries(filled));
    } catch (thrown) {
      return await this.#showFormAgain(visit, thrown, fields);
    }
    const headers = { ...pageHeaders({ takesForm: true }), Location: `/p/${token}?sent=1` };
    send(response, seeOther, '', headers);
  }

  /** Renders the page with the error and the fields that were sent. */
  async #showFormAgain(visit: Visit, thrown: unknown, fields: Fields): Promise<void> {
    if (!(thrown instanceof PlannerError) || !correctable.has(thrown.code)) throw thrown;
    const page = participantPage(
      await this.#participation(visit, {}),
      `/p/${visit.token}`,
      { refused: thrown.message },
      fields,
    );
    sendPage(visit.response, page, statusOf[thrown.code], errorHeaders(thrown));
  }

  async #participation(visit: Visit, more: Input): Promise<Participation> {
    return (await this.#call('get_participation', visit, { limit: tasksShown, ...more })) as Participation;
  }

  async #call(operation: string, { token, locals }: Visit, input: Input): Promise<unknown> {
    const call: Call = {
      caller: { kind: 'guest', id: 'guest', author: 'guest' },
      transport: 'rest',
      baseUrl: locals.baseUrl,
      address: locals.address,
    };
    if (Object.hasOwn(input, 'token')) throw invalid('token', 'The token is in the URL: omit it from the body.');
    const { value } = await this.#dispatcher.dispatch(
      this.#dispatcher.operations.get(operation)!,
      { token: decoded(token), ...input },
      call,
    );
    return value;
  }
}

const required: ReadonlySet<string> = new Set(['participant_name', 'title']);
/** Errors that a guest can correct or retry; the form is shown again with its content. */
const correctable: ReadonlySet<string> = new Set(['invalid_argument', 'rate_limited']);

function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
}

/** Decodes a path segment; an invalid percent-encoding is returned unchanged and matches nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const errorTitles: Partial<Record<PlannerError['code'], string>> = {
  not_found: 'There is no such page',
  gone: 'This link has ended',
  rate_limited: 'Too many requests',
  unauthorized: 'This credential is not valid',
  internal: 'Something went wrong',
};

function errorPage({ code, message }: PlannerError): Page {
  const title = errorTitles[code] ?? 'This request was rejected';
  // Not the message of `not_found`, which contains the token.
  const text = code === 'not_found' ? 'This link does not exist here. Ask the sender for a new one.' : message;
  const body = markup`<header><p class="kind">Planner</p><h1>${title}</h1></header><section>${text}</section>`;
  return { title, body };
}

function sendPage(
  response: ServerResponse,
  page: Page,
  status = 200,
  more: Readonly<Record<string, string>> = {},
): void {
  send(response, status, pageText(page), { ...pageHeaders(page), ...more });
}

function send(response: ServerResponse, status: number, text: string, headers: Readonly<Record<string, string>>): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
