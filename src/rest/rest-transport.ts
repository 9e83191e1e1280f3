import type { RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { restPrefix } from '../base/addresses.ts';
import { invalid, PlannerError } from '../base/errors.ts';
import { countBodyFor } from '../http/body-budget.ts';
import { isTopLevelDocument, sendFramingPage } from '../http/framing-page.ts';
import { requireOwnOrigin } from '../http/csrf.ts';
import { goneSignal, keepAliveMs, prefersEventStream } from '../http/event-stream.ts';
import { readBase64 } from '../http/read-base64.ts';
import { isUpload, readUpload } from '../http/read-upload.ts';
import type { UploadFields } from '../http/read-upload.ts';
import { hasBody, readJson, refuseForm } from '../http/read-json.ts';
import { sendChunks, sendEmpty, sendError, sendJson, sendRaw, sendText } from '../http/send.ts';
import { limits } from '../base/limits.ts';
import { type RequestFacts, routeOf } from '../http/request-log.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';
import { jsonTexts } from '../operations/pipeline/deferred.ts';
import type { Call, Dispatcher, Input, Outcome } from '../operations/pipeline/dispatch.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { CarriedOut } from '../operations/pipeline/repeat.ts';
import type { Caller, RawResponse, Upload, UploadOptions } from '../operations/declaration/operation.ts';
import { routesOf } from '../operations/declaration/route-binding.ts';
import type { RouteBinding } from '../operations/declaration/route-binding.ts';
import type { PresenceChange } from '../schema/types.ts';
import { piecesOf } from '../base/slices.ts';
import type { Collections } from '../store/index.ts';
import { EventStream, streamInput } from './event-stream.ts';
import { ResourceTexts } from './resource-texts.ts';
import { RestRoute } from './rest-route.ts';
import type { FollowedOperation, InputSchema } from './rest-route.ts';
import { RouteTable } from './route-table.ts';
import type { Match } from './route-table.ts';
import { sendServiceResponse } from './service-response.ts';
import type { ServiceRoute } from './service-route.ts';

export type { ServiceRequest, ServiceRoute } from './service-route.ts';

export interface RestTransportOptions<C extends Collections> {
  readonly dispatcher: Dispatcher<C>;
  readonly authenticator: Authenticator;
  /** The self-contained schema of an operation's input, by its definition's name. */
  readonly schemaOf: (definition: string) => InputSchema;
  readonly serviceRoutes: readonly ServiceRoute[];
  /** Aborts when a credential ends, or the service is closed: calls that wait for events, and streams, end. */
  readonly endOf?: ((credential: string) => AbortSignal) | undefined;
  readonly log: Log;
}

type Target = RestRoute | ServiceRoute;

/** A request for an operation, and where it is answered. */
interface Exchange {
  readonly route: RestRoute;
  readonly query: string;
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: Response;
  readonly facts: RequestFacts;
}

/** The REST interface as an Express handler, to be mounted at `/api/v1`. `response.locals.baseUrl` is the service's URL for the caller. */
export function restTransport<C extends Collections>(options: RestTransportOptions<C>): RequestHandler {
  const transport = new RestTransport(options);
  return transport.serve;
}

/** Routes that the error for an unknown path names. */
const alikeMax = 3;

class RestTransport<C extends Collections> {
  readonly #options: RestTransportOptions<C>;
  readonly #routes = new RouteTable<Target>();
  readonly #paths: readonly RouteBinding[];
  readonly #texts = new ResourceTexts();

  constructor(options: RestTransportOptions<C>) {
    this.#options = options;
    for (const binding of routesOf(options.dispatcher.operations.values())) {
      const route = new RestRoute(binding, options.schemaOf(binding.operation.input));
      this.#routes.add(binding.method, binding.path, route);
    }
    for (const route of options.serviceRoutes) this.#routes.add(route.method, route.path, route);
    this.#paths = routesOf(options.dispatcher.operations.values());
  }

  readonly serve = async (request: IncomingMessage, response: Response): Promise<void> => {
    try {
      const { url = '' } = request;
      const mark = url.indexOf('?');
      const facts = response.locals as RequestFacts;
      const found = this.#find(request.method!, mark === -1 ? url : url.slice(0, mark));
      if ('target' in found) {
        const { target } = found;
        const isOfOperation = target instanceof RestRoute;
        facts.route = isOfOperation ? target.pattern : `${restPrefix}${target.path}`;
        // Caches must not give the JSON to a client that asks for the stream.
        if (isOfOperation && target.followed !== undefined) response.setHeader('Vary', 'Accept');
      }
      const caller = await this.#callerOf(found, request, facts);
      facts.caller = caller.kind;
      if (hasBody(request)) countBodyFor(request, caller.kind === 'guest' ? `guest ${facts.address ?? ''}` : caller.id);
      if (found instanceof PlannerError) throw found;
      const { target, parameters } = found;
      if (target instanceof RestRoute) {
        const query = mark === -1 ? '' : url.slice(mark + 1);
        await this.#run({ route: target, query, caller, request, response, facts }, parameters);
      } else await answerService(target, parameters, caller, request, response);
    } catch (thrown) {
      this.#fail(thrown, request, response);
    }
  };

  #fail(thrown: unknown, request: IncomingMessage, response: Response): void {
    const error = asPlannerError(thrown, this.#options.log, `${request.method} ${routeOf(response)}`);
    // If a response has begun, the function that failed to send it has destroyed it.
    if (!response.headersSent) sendError(response, error);
  }

  /** Reads the body of a request, and answers the call that it makes. */
  async #run(exchange: Exchange, parameters: Readonly<Record<string, string>>): Promise<void> {
    const { route, query, request, response, facts } = exchange;
    const { operation, options, takesBody } = route.binding;
    const { link } = operation;
    if (link !== undefined && takesBody) requireOwnOrigin(request.headers, facts.baseUrl);
    if (options.framed === true && isTopLevelDocument(request)) {
      const parts = new URLSearchParams(query);
      parts.set('embed', 'true');
      return sendFramingPage(response, `${restPrefix}${request.url!.split('?', 1)[0]}?${parts.toString()}`);
    }
    const { upload } = options;
    if (upload !== undefined && isUpload(request)) {
      return readUpload(request, response, upload, async (fields, file) =>
        this.#answer(exchange, route.formInput(parameters, query, formMembers(upload, fields, file)), file),
      );
    }
    if (upload?.members !== undefined) {
      const { dispatcher } = this.#options;
      return readBase64(
        request,
        { ...upload, members: upload.members },
        (pieces) => dispatcher.stage(pieces),
        async (fields, file) => this.#answer(exchange, route.input(parameters, query, fields), file),
      );
    }
    const bytesMax = link === undefined ? limits.requestBytesMax : limits.guestRequestBytesMax;
    if (!takesBody && hasBody(request))
      throw new PlannerError('invalid_argument', `A ${request.method} accepts no body: send the members in the query.`);
    const body = takesBody ? await readJson(request, bytesMax) : undefined;
    return this.#answer(exchange, route.input(parameters, query, body));
  }

  async #answer(exchange: Exchange, input: Input, upload?: Upload): Promise<void> {
    const { route, caller, request, response } = exchange;
    const { binding, followed } = route;
    const { operation } = binding;
    const textName = route.keepsText ? textNameOf(exchange) : undefined;
    const known = textName === undefined ? undefined : this.#texts.of(textName);
    let call = callOf(exchange, upload, known?.etag);
    if (followed !== undefined || ('prepare' in operation && operation.prepare !== undefined))
      call = { ...call, signal: goneSignal(response, this.#options.endOf?.(caller.id)) };
    const { signal } = call;
    if (followed !== undefined && signal !== undefined) {
      if (prefersEventStream(request.headers.accept))
        return this.#stream(followed, input, { ...call, signal }, request, response);
      for (const name of ['presence', 'service'])
        if (input[name] !== undefined) throw invalid(name, `${name} is for streams: send "Accept: text/event-stream".`);
    }
    let outcome: Outcome;
    try {
      outcome = await this.#options.dispatcher.dispatch(operation, input, call);
    } catch (thrown) {
      throw thrown instanceof PlannerError ? route.onTheWire(thrown) : thrown;
    }
    if (known !== undefined && outcome.notModified) return sendText(response, 200, known.text, tagsOf(outcome));
    const text = await this.#respond(route, outcome, response);
    const { etag } = outcome;
    if (textName !== undefined && text !== undefined && etag !== undefined) this.#texts.add(textName, { etag, text });
  }

  /** Sends the answers of an operation that waits as Server-Sent Events. */
  async #stream(
    operation: FollowedOperation,
    input: Input,
    call: Call & { readonly signal: AbortSignal },
    { headers, method }: IncomingMessage,
    response: Response,
  ): Promise<void> {
    const { dispatcher, authenticator } = this.#options;
    const { baseUrl, address } = call;
    const check = (): Promise<Caller> =>
      authenticator.authenticate(headers, { transport: 'rest', method, baseUrl, address });
    const session = input['presence'] as string | undefined;
    const watchService = input['service'] === true ? dispatcher.serviceWatch(call) : undefined;
    const ends: (() => void)[] = [];
    let isOver = false;
    const stream = new EventStream(response, check, () => void watch());
    const watch = async (): Promise<void> => {
      if (watchService !== undefined) ends.push(watchService((change) => stream.sendBeside('service', change)));
      if (session === undefined) return;
      const send = (change: PresenceChange): void => stream.sendBeside('presence', change, presence.whole);
      const presence = await dispatcher.watchPresence(operation, input, call, { session, send });
      if (isOver) return presence.end();
      ends.push(() => presence.end());
      stream.sendBeside('presence', presence.whole(), presence.whole);
    };
    const following = { ...call, ifNoneMatch: undefined, tagless: true };
    const since = streamInput(input, headers['last-event-id']);
    try {
      await dispatcher.stream(operation, since, following, { sink: stream, pauseMs: keepAliveMs });
    } catch (thrown) {
      // Once the headers are sent, a client that connects again gets the error.
      if (!response.headersSent) throw thrown;
    } finally {
      isOver = true;
      for (const end of ends) end();
      stream.end();
    }
  }

  /** Sends the outcome of a call. Returns the text if it is sent whole, a promise only if it is sent in pieces. */
  #respond(route: RestRoute, outcome: Outcome, response: Response): Promise<void> | string | undefined {
    const { binding } = route;
    const { operation, options } = binding;
    const tag = tagsOf(outcome, options.headers && route.headers(outcome.value));
    if (outcome.notModified) return void sendEmpty(response, 304, tag);
    if (outcome.carriedOut !== undefined) return void sendCarriedOut(response, outcome.carriedOut);
    const status = binding.status(outcome.value);
    if (status === 204) return void sendEmpty(response, 204, tag);
    if (options.raw === true) return sendRaw(response, status, outcome.value as RawResponse, tag);
    const body = route.body(outcome.value);
    const texts = route.streams ? jsonTexts(body) : undefined;
    if (texts !== undefined) return sendChunks(response, status, piecesOf(operation.name, texts), tag);
    const text = JSON.stringify(body);
    sendText(response, status, text, tag);
    return text;
  }

  /** The caller. Operations for guests require no credential, but a credential that is sent is checked. */
  async #callerOf(
    found: Match<Target> | PlannerError,
    request: IncomingMessage,
    { baseUrl, address }: RequestFacts,
  ): Promise<Caller> {
    const { headers, method } = request;
    if ('target' in found) {
      const { target } = found;
      const [isOpen, isBlind] =
        target instanceof RestRoute ? [target.isOpen, false] : [target.open === true, target.isBlind === true];
      if (isOpen && (isBlind || headers.authorization === undefined)) return anonymousGuest;
    }
    return this.#options.authenticator.authenticate(headers, { transport: 'rest', method, baseUrl, address });
  }

  /** The routes that end as a path does: revisions of a task are among the revisions of its project. */
  #like(method: string, path: string): string {
    const end = path.replace(/\/$/, '').split('/').at(-1);
    const alike = this.#paths.filter((route) => route.method === method && route.path.split('/').at(-1) === end);
    const listed = alike.slice(0, alikeMax).map((route) => `${method} ${route.template}`);
    return listed.length === 0 ? '' : ` There is ${listed.join(', ')}.`;
  }

  /** The route that serves a path, or the error for an unknown path: sent only to an authenticated caller. */
  #find(method: string, path: string): Match<Target> | PlannerError {
    let found;
    try {
      found = this.#routes.find(method, path);
    } catch {
      return invalid('path', `The path ${JSON.stringify(path)} is not percent-encoded text.`);
    }
    if (found === undefined) {
      return new PlannerError(
        'not_found',
        `There is no ${method} ${path} here.${this.#like(method, path)} GET ${restPrefix}/openapi.json lists the paths.`,
        {
          resource: 'route',
          id: path,
        },
      );
    }
    if ('target' in found) return found;
    return new PlannerError('method_not_allowed', `${path} does not take ${method}, but ${found.allow.join(', ')}.`, {
      allow: found.allow,
    });
  }
}

/** The name of the text that a request for a resource is answered with, unless the caller has a tag itself. */
function textNameOf({ query, caller, request, facts }: Exchange): string | undefined {
  if (query !== '' || request.headers['if-none-match'] !== undefined) return undefined;
  return `${caller.id} ${facts.baseUrl}${request.url}`;
}

/** One call of an operation, as a request states it. `etag`: the one that the caller is known to have. */
function callOf(
  { route, caller, request, facts }: Exchange,
  upload: Upload | undefined,
  etag: string | undefined,
): Call {
  const { baseUrl, address } = facts;
  const { headers } = request;
  const session = headers['editing-session'] as string | undefined;
  return {
    upload,
    caller,
    transport: 'rest',
    streams: route.streams,
    baseUrl,
    ifMatch: headers['if-match'],
    ifNoneMatch: etag ?? headers['if-none-match'],
    idempotencyKey: headers['idempotency-key'] as string | undefined,
    editingSession: session === undefined ? undefined : editingSessionOf(session),
    address,
  };
}

/** Answers a request for a route of the service itself. */
function answerService(
  target: ServiceRoute,
  parameters: Readonly<Record<string, string>>,
  caller: Caller,
  request: IncomingMessage,
  response: Response,
): Promise<void> {
  const { headers } = request;
  refuseForm(request);
  const serviceRequest = {
    ...{ caller, parameters, baseUrl: (response.locals as RequestFacts).baseUrl },
    hasCredential: headers.authorization !== undefined,
    idempotencyKey: headers['idempotency-key'] as string | undefined,
    body: (): Promise<unknown> => readJson(request),
  };
  return sendServiceResponse(response, target, serviceRequest, headers['if-none-match']);
}

/** The headers by which a client knows the state that an outcome shows, with others. */
function tagsOf({ etag, cursor }: Outcome, others?: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = { ...others };
  if (etag !== undefined) headers['ETag'] = etag;
  if (cursor !== undefined) headers['X-Planner-Cursor'] = cursor;
  return headers;
}

/** A retry whose first response is no longer stored: 303 redirects to the current resource; 204 without one. */
function sendCarriedOut(response: Response, { path, value }: CarriedOut): void {
  if (path === undefined) return sendEmpty(response, 204);
  sendJson(response, 303, value, { Location: `${restPrefix}${path}` });
}

/**
 * The caller of a request without a credential, if the operation is open; the link that is sent determines the rest.
 */
const anonymousGuest: Caller = { kind: 'guest', id: 'guest', author: 'guest' };

/** The members of a form: those of its file, unless a field has the same name. */
function formMembers({ members }: UploadOptions, fields: UploadFields, { filename, type }: Upload): UploadFields {
  if (members === undefined) return fields;
  if (Object.hasOwn(fields, members.content))
    throw invalid(members.content, `${members.content} is the form's file: omit the field.`);
  return { [members.content]: '', [members.filename]: filename, [members.type]: type, ...fields };
}

/** The editing session of a request. */
function editingSessionOf(header: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(header)) return header;
  throw new PlannerError(
    'invalid_argument',
    'Editing-Session must be a name of 1 to 64 letters, digits, - and _, the same in each request of the session.',
    { field: 'Editing-Session' },
  );
}
