import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { notFound, PlannerError } from '../errors.ts';
import { sendEmpty, sendJson } from '../http/send.ts';
import { underName } from '../operations/access/authenticate.ts';
import { Sessions } from '../operations/access/sessions.ts';
import type { Caller } from '../operations/declaration/operation.ts';
import type { Collections } from '../store/index.ts';
import type { FeatureRequests } from './feature-requests.ts';
import type { Exchange, Request } from './exchange.ts';
import { refusalOfCall, refusalOfParams, RpcError, rpcCodes, rpcFailure } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';
import type { SdkServer } from './legacy-sdk.ts';
import type { McpTransportOptions } from './mcp-transport-options.ts';
import type { CallContext, ToolCalls } from './tool-calls.ts';

const sessionHeader = 'mcp-session-id';
const versionHeader = 'mcp-protocol-version';
const notAcceptable = 406;

/** The SDK, which is loaded with the first message: most services never get one. */
type Sdk = Pick<typeof import('./legacy-sdk.ts'), 'isSpoken' | 'readInitialize'> & { readonly server: SdkServer };

/** The revisions of MCP with `initialize` and sessions, served by the first SDK. */
export class LegacyEra<C extends Collections> {
  readonly #options: McpTransportOptions<C>;
  readonly #calls: ToolCalls<C>;
  readonly #features: FeatureRequests<C>;
  #loading: Promise<Sdk> | undefined;
  #sdk: Sdk | undefined;

  constructor(options: McpTransportOptions<C>, calls: ToolCalls<C>, features: FeatureRequests<C>) {
    this.#features = features;
    this.#options = options;
    this.#calls = calls;
  }

  #load(): Promise<Sdk> {
    return (this.#loading ??= import('./legacy-sdk.ts').then(({ SdkServer, isSpoken, readInitialize }) => {
      const { tools, version } = this.#options;
      return (this.#sdk = { isSpoken, readInitialize, server: new SdkServer({ tools: [...tools()] }, version) });
    }));
  }

  /** Answers the messages of a POST; a batch with a list. `instructions`: of `initialize`, for the caller. */
  async post(
    request: IncomingMessage,
    response: Response,
    caller: Caller,
    { messages, batch }: { readonly messages: readonly Message[]; readonly batch: boolean },
    instructions: () => Promise<string>,
  ): Promise<void> {
    if (!acceptsBoth(request)) return refuseAccept(response);
    // A call is finished when its response is sent: there is nothing to cancel, and no other notification or response needs handling.
    const requests = messages.filter((message) => isRequest(message));
    const sdk = this.#sdk ?? (await this.#load());
    const context = await this.#callContext(sdk, request, response, caller, messages[0]!);
    if (requests.length === 0) return sendEmpty(response, 202);
    const exchange: Exchange = {
      instructions: requests[0]!.method === 'initialize' ? await instructions() : '',
      call: (name, input, meta) => this.#calls.call(name, input, meta, context),
      handle: (method, params) => this.#features.handle(method, params, context),
    };
    const answers = await Promise.all(
      requests.map(async (one) => {
        const refusal = refusalOf(sdk, one);
        if (refusal === undefined) return sdk.server.answer(one, exchange);
        return { jsonrpc: '2.0', id: one.id, error: refusal.toJSON() };
      }),
    );
    sendJson(response, 200, batch ? answers : answers[0]);
  }

  /** Ends a session. */
  async delete(request: IncomingMessage, response: Response, caller: Caller): Promise<void> {
    const id = request.headers[sessionHeader];
    if (typeof id !== 'string')
      throw new PlannerError('invalid_argument', 'A DELETE names the session to end in Mcp-Session-Id.');
    if (Sessions.isOfClient(id) || !(await this.#options.sessions.end(id, caller.id))) throw sessionNotFound(id);
    sendEmpty(response, 204);
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
    const keep = (session: string): Promise<void> => this.#keepSession(session, caller);
    if (first.method === 'initialize' && isRequest(first)) {
      const initialize = sdk.readInitialize(first);
      if ('client' in initialize)
        response.setHeader('Mcp-Session-Id', await sessions.begin(caller.id, initialize.client));
      return { caller, session: undefined, baseUrl, keep };
    }
    requireVersion(sdk, request);
    const id = request.headers[sessionHeader];
    if (typeof id !== 'string') return { caller, session: undefined, baseUrl, keep };
    const session = Sessions.isOfClient(id) ? undefined : await sessions.use(id, caller.id);
    if (session === undefined) throw sessionNotFound(id);
    return {
      caller: underName(caller, { transport: 'mcp', client: session.client }),
      session: id,
      baseUrl,
      keep,
    };
  }

  /** A call may store data of its session: a current goal, a claim. So the session is kept, and its id belongs to this credential. */
  async #keepSession(session: string, caller: Caller): Promise<void> {
    if (!(await this.#options.sessions.keep(session, caller.id))) throw sessionNotFound(session);
  }
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
