import type { RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { restPrefix } from '../addresses.ts';
import { invalid, PlannerError } from '../errors.ts';
import { countBodyFor } from '../http/body-budget.ts';
import { isTopLevelDocument, sendFramingPage } from '../http/framing-page.ts';
import { requireOwnOrigin } from '../http/csrf.ts';
import { goneSignal, keepAliveMs, prefersEventStream } from '../http/event-stream.ts';
import { readBase64 } from '../http/read-base64.ts';
import { isUpload, readUpload } from '../http/read-upload.ts';
import type { UploadFields } from '../http/read-upload.ts';
import { hasBody, hasSmallJson, readJson, readSmallJson, refuseForm } from '../http/read-json.ts';
import { sendChunks, sendEmpty, sendError, sendJson, sendRaw, sendText } from '../http/send.ts';
import { limits } from '../limits.ts';
import { noteCaller, noteRoute, routeOf } from '../http/request-log.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';
import { jsonTexts } from '../operations/pipeline/deferred.ts';
import type { Call, Dispatcher, Input, Outcome } from '../operations/pipeline/dispatch.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { CarriedOut } from '../operations/pipeline/repeat.ts';
import type { AnyOperation, Caller, RawResponse, Upload, UploadOptions } from '../operations/declaration/operation.ts';
import { routesOf } from '../operations/declaration/route-binding.ts';
import type { RouteBinding } from '../operations/declaration/route-binding.ts';
import type { PresenceChange } from '../schema/types.ts';
import { piecesOf } from '../slices.ts';
import type { Collections } from '../store/index.ts';
import { EventStream, streamInput } from './event-stream.ts';
import { ResourceTexts } from './resource-texts.ts';
import { RestRoute } from './rest-route.ts';
import type { InputSchema, ResourceRead } from './rest-route.ts';
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
/** An operation whose answers may be followed. */
type FollowedOperation = Extract<AnyOperation, { readonly waits?: unknown }>;

interface Locals {
  readonly baseUrl: string;
  readonly address?: string;
}

/** The REST interface as an Express handler, to be mounted at `/api/v1`. `response.locals.baseUrl` is the service's URL for the caller. */
export function restTransport<C extends Collections>(options: RestTransportOptions<C>): RequestHandler {
  const transport = new RestTransport(options);
  return (request, response) => {
    if (transport.serveResource(request, response) || transport.serveChange(request, response)) return;
    void transport.serve(request, response);
  };
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

  /**
   * Serves a read of one resource without waiting for anything. Returns false, and has done nothing, if the request is another one, has
   * a credential, or fails: then `serve` serves it.
   */
  serveResource(request: IncomingMessage, response: Response): boolean {
    const { headers, method, url = '' } = request;
    const found = this.#resourceAt(request, url);
    if (found === undefined) return false;
    const { route, operation, parameters } = found;
    const { baseUrl, address } = response.locals as Locals;
    const caller = this.#options.authenticator.anonymousOf(headers, { transport: 'rest', method, baseUrl, address });
    if (caller === undefined) return false;
    const given = headers['if-none-match'];
    const known = given === undefined ? this.#texts.of(url, baseUrl) : undefined;
    const ifNoneMatch = given ?? known?.etag;
    const call: Call = { caller, transport: 'rest', streams: true, baseUrl, address, ifNoneMatch };
    const outcome = this.#options.dispatcher.readAtOnce(operation, parameters, call);
    if (outcome?.etag === undefined) return false;
    const { etag, notModified, value, cursor } = outcome;
    const text = notModified ? known?.text : asText(route.body(value));
    if (text === undefined && !notModified) return false;
    noteRoute(response, patternOf(route));
    noteCaller(response, caller.kind);
    const tag = { ETag: etag, ...(cursor !== undefined && { 'X-Planner-Cursor': cursor }) };
    if (text === undefined) sendEmpty(response, 304, tag);
    else sendText(response, 200, text, tag);
    if (text !== undefined && !notModified) this.#texts.add(url, { etag, baseUrl, text });
    return true;
  }

  /** The read that a request is for if it is one of a single resource. */
  #resourceAt(
    request: IncomingMessage,
    url: string,
  ): { route: RestRoute; operation: ResourceRead; parameters: Match<Target>['parameters'] } | undefined {
    const { headers, method } = request;
    if (method !== 'GET' || url.includes('?') || hasBody(request)) return undefined;
    if (headers['editing-session'] !== undefined) return undefined;
    const found = this.#find(method, url);
    if (!('target' in found) || !(found.target instanceof RestRoute)) return undefined;
    const { target: route, parameters } = found;
    const { resourceRead: operation } = route;
    return operation === undefined ? undefined : { route, operation, parameters };
  }

  /**
   * Serves a change with a small body: runs it in the turn in which the body is complete. Returns false, and has done nothing, if the
   * request is another one or has a credential: then `serve` serves it.
   */
  serveChange(request: IncomingMessage, response: Response): boolean {
    const { headers, method, url = '' } = request;
    if (method === 'GET' || url.includes('?') || !hasSmallJson(request)) return false;
    const { baseUrl, address } = response.locals as Locals;
    const caller = this.#options.authenticator.anonymousOf(headers, { transport: 'rest', method, baseUrl, address });
    if (caller === undefined) return false;
    const found = this.#find(method!, url);
    if (!('target' in found) || !(found.target instanceof RestRoute)) return false;
    const { target: route, parameters } = found;
    const { change: operation } = route;
    if (operation === undefined) return false;
    noteRoute(response, patternOf(route));
    noteCaller(response, caller.kind);
    countBodyFor(request, caller.id);
    const fail = (thrown: unknown): void => this.#fail(thrown, request, response);
    const run = (body: unknown): void => {
      const input = route.input(parameters, '', body);
      const call = callOf(caller, request, response);
      const applied = this.#options.dispatcher.changeAtOnce(operation, input, call);
      if (applied === undefined) void this.#answer(route, input, caller, { request, response }).catch(fail);
      else applied.durable.then(() => this.#respond(route, applied.result, response)).catch(fail);
    };
    readSmallJson(request, (body) => attempt(() => run(body), fail), fail);
    return true;
  }

  async serve(request: IncomingMessage, response: Response): Promise<void> {
    try {
      const { headers } = request;
      const url = request.url!;
      const mark = url.indexOf('?');
      const path = mark === -1 ? url : url.slice(0, mark);
      const found = this.#find(request.method!, path);
      if ('target' in found) {
        noteRoute(response, patternOf(found.target));
        // Caches must not give the JSON to a client that asks for the stream.
        if (found.target instanceof RestRoute && canWait(found.target.binding.operation))
          response.setHeader('Vary', 'Accept');
      }
      const caller = await this.#callerOf(found, request, response);
      noteCaller(response, caller.kind);
      countBodyFor(request, caller.kind === 'guest' ? addressOf(response) : caller.id);
      if (found instanceof PlannerError) throw found;
      const { target, parameters } = found;
      if (!(target instanceof RestRoute)) {
        refuseForm(request);
        const baseUrl = response.locals['baseUrl'] as string;
        const idempotencyKey = headers['idempotency-key'] as string | undefined;
        const hasCredential = headers.authorization !== undefined;
        const body = (): Promise<unknown> => readJson(request);
        const serviceRequest = { caller, hasCredential, parameters, baseUrl, idempotencyKey, body };
        return await sendServiceResponse(response, target, serviceRequest, headers['if-none-match']);
      }
      await this.#run(target, parameters, mark === -1 ? '' : url.slice(mark + 1), caller, request, response);
    } catch (thrown) {
      this.#fail(thrown, request, response);
    }
  }

  #fail(thrown: unknown, request: IncomingMessage, response: Response): void {
    const error = asPlannerError(thrown, this.#options.log, `${request.method} ${routeOf(response)}`);
    // If a response has begun, the function that failed to send it has destroyed it.
    if (!response.headersSent) sendError(response, error);
  }

  async #run(
    route: RestRoute,
    parameters: Readonly<Record<string, string>>,
    query: string,
    caller: Caller,
    request: IncomingMessage,
    response: Response,
  ): Promise<void> {
    const { headers } = request;
    const { operation, options, takesBody } = route.binding;
    const { link } = operation;
    if (link !== undefined && takesBody) requireOwnOrigin(headers, response.locals['baseUrl'] as string);
    if (options.framed === true && isTopLevelDocument(request)) {
      const parts = new URLSearchParams(query);
      parts.set('embed', 'true');
      return sendFramingPage(response, `${restPrefix}${request.url!.split('?', 1)[0]}?${parts.toString()}`);
    }
    const input = (body: unknown): Input => route.input(parameters, query, body);
    const { upload } = options;
    if (upload !== undefined && isUpload(request)) {
      return readUpload(request, response, upload, async (fields, file) =>
        this.#answer(route, route.formInput(parameters, query, formMembers(upload, fields, file)), caller, {
          request,
          response,
          upload: file,
        }),
      );
    }
    if (upload?.members !== undefined) {
      const { dispatcher } = this.#options;
      return readBase64(
        request,
        { ...upload, members: upload.members },
        (pieces) => dispatcher.stage(pieces),
        async (fields, file) => this.#answer(route, input(fields), caller, { request, response, upload: file }),
      );
    }
    const bytesMax = link === undefined ? limits.requestBytesMax : limits.guestRequestBytesMax;
    const body = takesBody ? await readJson(request, bytesMax) : noBody(request);
    await this.#answer(route, input(body), caller, { request, response });
  }

  async #answer(
    route: RestRoute,
    input: Input,
    caller: Caller,
    { request, response, upload }: { request: IncomingMessage; response: Response; upload?: Upload | undefined },
  ): Promise<void> {
    const { operation } = route.binding;
    let call = callOf(caller, request, response, upload);
    const waits = canWait(operation);
    if (waits || ('prepare' in operation && operation.prepare !== undefined))
      call = { ...call, signal: goneSignal(response, this.#options.endOf?.(caller.id)) };
    const { signal } = call;
    if (waits && signal !== undefined) {
      if (prefersEventStream(request.headers.accept))
        return this.#stream(operation, input, { ...call, signal }, request, response);
      for (const name of ['presence', 'service'])
        if (input[name] !== undefined) throw invalid(name, `${name} is for streams: send "Accept: text/event-stream".`);
    }
    const outcome = await this.#options.dispatcher.dispatch(operation, input, call).catch((thrown: unknown) => {
      throw thrown instanceof PlannerError ? route.onTheWire(thrown) : thrown;
    });
    await this.#respond(route, outcome, response);
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

  /** Sends the outcome of a call. Returns a promise only if it is sent in pieces. */
  #respond(route: RestRoute, outcome: Outcome, response: Response): Promise<void> | void {
    const { binding } = route;
    const { operation, options } = binding;
    const tag = {
      ...route.headers(outcome.value),
      ...(outcome.etag === undefined ? undefined : { ETag: outcome.etag }),
      ...(outcome.cursor === undefined ? undefined : { 'X-Planner-Cursor': outcome.cursor }),
    };
    if (outcome.notModified) return sendEmpty(response, 304, tag);
    if (outcome.carriedOut !== undefined) return sendCarriedOut(response, outcome.carriedOut);
    const status = binding.status(outcome.value);
    if (status === 204) return sendEmpty(response, 204, tag);
    if (options.raw === true) return sendRaw(response, status, outcome.value as RawResponse, tag);
    const body = route.body(outcome.value);
    const texts = jsonTexts(body);
    if (texts === undefined) return sendJson(response, status, body, tag);
    return sendChunks(response, status, piecesOf(operation.name, texts), tag);
  }

  /** The caller. Operations for guests require no credential, but a credential that is sent is checked. */
  async #callerOf(found: Match<Target> | PlannerError, request: IncomingMessage, response: Response): Promise<Caller> {
    const { headers, method } = request;
    const target = 'target' in found ? found.target : undefined;
    if (target !== undefined && isOpen(target) && (headers.authorization === undefined || isBlind(target)))
      return anonymousGuest;
    const { baseUrl, address } = response.locals as Locals;
    return this.#options.authenticator.authenticate(headers, { transport: 'rest', method, baseUrl, address });
  }

  /** The routes that end as a path does: revisions of a task are among those of its project. */
  #like(method: string, path: string): string {
    const end = path.replace(/\/$/, '').split('/').at(-1);
    const alike = this.#paths.filter((route) => route.method === method && route.path.split('/').at(-1) === end);
    const listed = alike.slice(0, alikeMax).map((route) => `${method} ${route.template}`);
    return listed.length === 0 ? '' : ` There is ${listed.join(', ')}.`;
  }

  /** The route that serves a path, or the error for a path that has none: sent only to an authenticated caller. */
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

/** Whether an operation can wait for what it answers; then it also has a stream, which the Accept header asks for. */
function canWait(operation: AnyOperation): operation is FollowedOperation {
  return 'waits' in operation && operation.waits !== undefined;
}

/** One call of an operation, as a request states it. */
function callOf(caller: Caller, { headers }: IncomingMessage, { locals }: Response, upload?: Upload): Call {
  const { baseUrl, address } = locals as Locals;
  return {
    upload,
    caller,
    transport: 'rest',
    streams: true,
    baseUrl,
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    idempotencyKey: headers['idempotency-key'] as string | undefined,
    editingSession: editingSessionOf(headers['editing-session'] as string | undefined),
    address,
  };
}

function attempt(run: () => void, fail: (thrown: unknown) => void): void {
  try {
    run();
  } catch (thrown) {
    fail(thrown);
  }
}

/** The JSON text of a body; undefined if it is sent in pieces. */
function asText(body: unknown): string | undefined {
  return jsonTexts(body) === undefined ? JSON.stringify(body) : undefined;
}

/** A retry whose first response is no longer stored: 303 redirects to the current resource; 204 if there is none. */
function sendCarriedOut(response: Response, { path, value }: CarriedOut): void {
  if (path === undefined) return sendEmpty(response, 204);
  sendJson(response, 303, value, { Location: `${restPrefix}${path}` });
}

/** The caller of a request without a credential, if the operation requires none; the link that is sent determines the rest. */
const anonymousGuest: Caller = { kind: 'guest', id: 'guest', author: 'guest' };

function isOpen(target: Target): boolean {
  return target instanceof RestRoute ? target.binding.operation.link !== undefined : target.open === true;
}

function isBlind(target: Target): boolean {
  return !(target instanceof RestRoute) && target.isBlind === true;
}

/** The members of a form: those of its file, unless a field has the same name. */
function formMembers({ members }: UploadOptions, fields: UploadFields, { filename, type }: Upload): UploadFields {
  if (members === undefined) return fields;
  if (Object.hasOwn(fields, members.content))
    throw invalid(members.content, `${members.content} is the form's file: omit the field.`);
  return { [members.content]: '', [members.filename]: filename, [members.type]: type, ...fields };
}

/** The address by which guests are rate-limited. */
function addressOf({ locals }: Response): string {
  return `guest ${(locals as { readonly address?: string }).address ?? ''}`;
}

/** The name of a request's route in logs and metrics. */
function patternOf(target: Target): string {
  return target instanceof RestRoute ? target.binding.pattern : `${restPrefix}${target.path}`;
}

/** Rejects a body that the route does not read, instead of ignoring it silently. */
function noBody(request: IncomingMessage): undefined {
  if (hasBody(request))
    throw new PlannerError('invalid_argument', `A ${request.method} accepts no body: send the members in the query.`);
  return undefined;
}

/** The editing session of a request. */
function editingSessionOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(header)) return header;
  throw new PlannerError(
    'invalid_argument',
    'Editing-Session must be a name of 1 to 64 letters, digits, - and _, the same in each request of the session.',
    { field: 'Editing-Session' },
  );
}
