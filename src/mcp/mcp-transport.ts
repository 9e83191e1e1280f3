import type { RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { notFound, PlannerError } from '../errors.ts';
import { countBodyFor } from '../http/body-budget.ts';
import { readJson } from '../http/read-json.ts';
import { errorHeaders, sendEmpty, sendJson } from '../http/send.ts';
import { statusOf } from '../http/status.ts';
import { noteCaller, noteRoute } from '../http/request-log.ts';
import { underName } from '../operations/access/authenticate.ts';
import type { Authenticator } from '../operations/access/authenticate.ts';
import type { Dispatcher } from '../operations/pipeline/dispatch.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Log } from '../operations/pipeline/failure.ts';
import type { AnyOperation, Caller } from '../operations/declaration/operation.ts';
import type { Sessions } from '../operations/access/sessions.ts';
import type { Collections } from '../store/index.ts';
import { instructions } from './instructions.ts';
import { readMessages, refusalOfCall, refusalOfParams, RpcError, rpcCodes, rpcFailure } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';
import type { Exchange, Request, SdkServer, ToolOutcome } from './sdk.ts';
import type { Tool } from './tool-list.ts';

export interface McpTransportOptions<C extends Collections> {
  readonly dispatcher: Dispatcher<C>;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  /** Called with the first message. */
  readonly tools: () => readonly Tool[];
  /** The service's version, returned by `initialize`. */
  readonly version: string;
  /** A project's id and name for the instructions; undefined if there is no such project. */
  readonly describeProject: (id: string) => Promise<{ readonly id: string; readonly name: string } | undefined>;
  readonly log: Log;
}

const sessionHeader = 'mcp-session-id';
/** The header with the default project of calls: the stdio bridge sends it in a connected repository. */
const projectHeader = 'planner-project';
const versionHeader = 'mcp-protocol-version';
const notAcceptable = 406;
const listed = new Set(['initialize', 'notifications/initialized', 'ping', 'tools/list']);

/** The MCP endpoint as an Express handler, to be mounted at `/mcp`. `response.locals.baseUrl` is the service's URL for the caller. */
export function mcpTransport<C extends Collections>(options: McpTransportOptions<C>): RequestHandler {
  const transport = new McpTransport(options);
  return (request, response, next) =>
    /^\/(?:\?|$)/.test(request.url) ? void transport.serve(request, response) : next();
}

/** The SDK, which is loaded with the first message: most services never get one. */
type Sdk = Pick<typeof import('./sdk.ts'), 'isSpoken' | 'readInitialize'> & { readonly server: SdkServer };

/** The caller and its session. */
interface CallContext {
  readonly caller: Caller;
  readonly session: string | undefined;
  readonly baseUrl: string;
}

class McpTransport<C extends Collections> {
  readonly #options: McpTransportOptions<C>;
  readonly #tools: ReadonlyMap<string, AnyOperation<C>>;
  #loading: Promise<Sdk> | undefined;
  #sdk: Sdk | undefined;

  constructor(options: McpTransportOptions<C>) {
    this.#options = options;
    const operations = [...options.dispatcher.operations.values()].filter(({ mcp }) => mcp !== undefined);
    this.#tools = new Map(operations.map((operation) => [operation.name, operation]));
  }

  #load(): Promise<Sdk> {
    return (this.#loading ??= import('./sdk.ts').then(({ SdkServer, isSpoken, readInitialize }) => {
      const { tools, version } = this.#options;
      return (this.#sdk = { isSpoken, readInitialize, server: new SdkServer({ tools: [...tools()] }, version) });
    }));
  }

  async serve(request: IncomingMessage, response: Response): Promise<void> {
    noteRoute(response, '/mcp');
    try {
      const { headers, method } = request;
      const { baseUrl, address } = response.locals as { readonly baseUrl: string; readonly address?: string };
      const origin = { transport: 'mcp', method, baseUrl, address } as const;
      const caller = meaning(headers[projectHeader], await this.#options.authenticator.authenticate(headers, origin));
      noteCaller(response, caller.kind);
      countBodyFor(request, caller.id);
      if (request.method === 'POST') await this.#post(request, response, caller);
      else if (request.method === 'DELETE') await this.#delete(request, response, caller);
      else throw methodNotAllowed(request.method!);
    } catch (thrown) {
      const error = asPlannerError(thrown, this.#options.log, `${request.method} /mcp`);
      if (response.headersSent) return;
      const code = error.details['position'] === undefined ? undefined : rpcCodes.parseError;
      sendJson(response, statusOf[error.code], rpcFailure(error, code), errorHeaders(error));
    }
  }

  async #post(request: IncomingMessage, response: Response, caller: Caller): Promise<void> {
    const body = await readJson(request);
    if (body === undefined)
      throw new PlannerError('invalid_argument', 'A POST to /mcp must contain a JSON-RPC message.');
    const messages = readMessages(body);
    if (messages.length === 1) noteRoute(response, this.#routeOf(messages[0]!));
    if (!acceptsBoth(request)) return refuseAccept(response);
    // A call is finished when its response is sent: there is nothing to cancel, and no other notification or response needs handling.
    const requests = messages.filter((message) => isRequest(message));
    const sdk = this.#sdk ?? (await this.#load());
    const context = await this.#callContext(sdk, request, response, caller, messages[0]!);
    if (requests.length === 0) return sendEmpty(response, 202);
    const exchange: Exchange = {
      instructions: requests[0]!.method === 'initialize' ? await this.#instructions(caller) : '',
      call: (name, input, meta) => this.#call(name, input, meta, context),
    };
    const answers = await Promise.all(
      requests.map(async (one) => {
        const refusal = refusalOf(sdk, one);
        if (refusal === undefined) return sdk.server.answer(one, exchange);
        return { jsonrpc: '2.0', id: one.id, error: refusal.toJSON() };
      }),
    );
    sendJson(response, 200, Array.isArray(body) ? answers : answers[0]);
  }

  /** The name of a message's method or tool in logs and metrics: only known names. */
  #routeOf({ method = '', params = {} }: Message): string {
    if (method !== 'tools/call') return listed.has(method) ? `/mcp ${method}` : '/mcp';
    const { name } = params;
    return typeof name === 'string' && this.#tools.has(name) ? `/mcp ${name}` : '/mcp';
  }

  /**
   * Finds or starts the session. The response gets a new one's id. Throws `not_found` if the session was ended or belongs to another
   * credential.
   */
  async #callContext(
    sdk: Sdk,
    request: IncomingMessage,
    response: Response,
    caller: Caller,
    first: Message,
  ): Promise<CallContext> {
    const baseUrl = response.locals['baseUrl'] as string;
    const { sessions } = this.#options;
    if (first.method === 'initialize' && isRequest(first)) {
      const initialize = sdk.readInitialize(first);
      if ('client' in initialize)
        response.setHeader('Mcp-Session-Id', await sessions.begin(caller.id, initialize.client));
      return { caller, session: undefined, baseUrl };
    }
    requireVersion(sdk, request);
    const id = request.headers[sessionHeader];
    if (typeof id !== 'string') return { caller, session: undefined, baseUrl };
    const session = await sessions.use(id, caller.id);
    if (session === undefined) throw sessionNotFound(id);
    return {
      caller: underName(caller, { transport: 'mcp', client: session.client }),
      session: id,
      baseUrl,
    };
  }

  /** A call may store data of its session: a current goal, a claim. So the session is kept, and its id belongs to this credential. */
  async #keepSession(session: string, caller: Caller): Promise<void> {
    if (!(await this.#options.sessions.keep(session, caller.id))) throw sessionNotFound(session);
  }

  async #delete(request: IncomingMessage, response: Response, caller: Caller): Promise<void> {
    const id = request.headers[sessionHeader];
    if (typeof id !== 'string')
      throw new PlannerError('invalid_argument', 'A DELETE names the session to end in Mcp-Session-Id.');
    if (!(await this.#options.sessions.end(id, caller.id))) throw sessionNotFound(id);
    sendEmpty(response, 204);
  }

  async #instructions({ boundTo, defaultProject }: Caller): Promise<string> {
    const id = boundTo ?? defaultProject;
    return instructions(id === undefined ? undefined : await this.#options.describeProject(id));
  }

  /** Runs a tool; a caller's error is returned as the tool's result, in the shape of all errors. */
  async #call(...[name, input, meta, context]: [...Parameters<Exchange['call']>, CallContext]): Promise<ToolOutcome> {
    const operation = this.#tools.get(name);
    if (operation === undefined) {
      throw new RpcError(rpcCodes.invalidParams, `There is no tool ${JSON.stringify(name)}: tools/list names all.`, {
        field: 'params.name',
      });
    }
    const { caller, session, baseUrl } = context;
    try {
      if (session !== undefined && operation.effect !== 'read') await this.#keepSession(session, caller);
      const { value } = await this.#options.dispatcher.dispatch(operation, input, {
        caller,
        transport: 'mcp',
        tagless: true,
        baseUrl,
        session,
        idempotencyKey: meta['planner/key'] as string | undefined,
      });
      return { value: (value ?? {}) as ToolOutcome['value'], isError: false };
    } catch (thrown) {
      const error = asPlannerError(thrown, this.#options.log, `tool ${name}`);
      return { value: error.toJSON(), isError: true };
    }
  }
}

/** The caller, with the request's default project for calls that name none. The project of a key takes precedence. */
function meaning(project: string | string[] | undefined, caller: Caller): Caller {
  return typeof project === 'string' ? { ...caller, defaultProject: project } : caller;
}

function isRequest(message: Message): message is Request {
  return message.id !== undefined && message.method !== undefined;
}

/** Validates a request before it is handled: our messages are clearer than those of the SDK's validator. */
function refusalOf(sdk: Sdk, request: Request): RpcError | undefined {
  if (request.method === 'initialize') return refusalOfInitialize(sdk, request);
  return request.method === 'tools/call' ? refusalOfCall(request) : refusalOfParams(request);
}

function refusalOfInitialize({ readInitialize }: Sdk, message: Message): RpcError | undefined {
  const read = readInitialize(message);
  return 'client' in read
    ? undefined
    : new RpcError(rpcCodes.invalidParams, `${read.field}: ${read.message}`, { field: read.field });
}

/** The protocol requires that a client accepts both types. */
function acceptsBoth({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('application/json') && accept.includes('text/event-stream');
}

function refuseAccept(response: Response): void {
  const message =
    'A POST to /mcp must have the header "Accept: application/json, text/event-stream", as the protocol requires.';
  const error = new PlannerError('invalid_argument', message, { field: 'Accept' });
  sendJson(response, notAcceptable, rpcFailure(error, rpcCodes.refused));
}

function requireVersion({ isSpoken }: Sdk, { headers: { [versionHeader]: version } }: IncomingMessage): void {
  if (version === undefined || isSpoken(version as string)) return;
  throw new PlannerError(
    'invalid_argument',
    `The version ${JSON.stringify(version)} of the protocol is not supported.`,
    {
      field: 'MCP-Protocol-Version',
    },
  );
}

function sessionNotFound(id: string): PlannerError {
  return notFound('session', id);
}

function methodNotAllowed(method: string): PlannerError {
  return new PlannerError(
    'method_not_allowed',
    `/mcp does not take ${method}: the service sends no messages of its own. POST messages; DELETE ends a session.`,
    {
      allow: ['POST', 'DELETE'],
    },
  );
}
