import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { notFound, PlannerError } from '../base/errors.ts';
import { accepts, wantsEventStream } from '../http/event-stream.ts';
import { sendEmpty, sendJson } from '../http/send.ts';
import { underName } from '../operations/access/authenticate.ts';
import { Sessions } from '../operations/access/sessions.ts';
import type { Caller } from '../operations/declaration/operation.ts';
import type { Collections } from '../store/index.ts';
import { outcomeOf } from './confirmation.ts';
import type { FeatureRequests } from './feature-requests.ts';
import type { Exchange, Request } from './exchange.ts';
import { idOf, refusalOfCall, refusalOfParams, RpcError, rpcCodes, rpcFailure } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';
import type { SdkServer } from './legacy-sdk.ts';
import type { McpTransportOptions } from './mcp-transport-options.ts';
import { PostReply } from './post-reply.ts';
import { Questions } from './questions.ts';
import type { SessionContext, SessionStreams } from './session-streams.ts';
import type { CallContext, Person, ToolCalls } from './tool-calls.ts';

const sessionHeader = 'mcp-session-id';
const versionHeader = 'mcp-protocol-version';
const notAcceptable = 406;

type Params = Readonly<Record<string, unknown>>;

/** The context of calls in a session, or without. */
interface LegacyContext extends CallContext {
  /** Its client can ask a person. */
  readonly canAsk: boolean;
}

/** The SDK, which is loaded with the first message: most services never get one. */
type Sdk = Pick<typeof import('./legacy-sdk.ts'), 'isSpoken' | 'readInitialize'> & { readonly server: SdkServer };

/** The revisions of MCP with `initialize` and sessions, served by the first SDK. */
export class LegacyEra<C extends Collections> {
  readonly #options: McpTransportOptions<C>;
  readonly #calls: ToolCalls<C>;
  readonly #features: FeatureRequests<C>;
  readonly #questions = new Questions();
  #loading: Promise<Sdk> | undefined;
  #sdk: Sdk | undefined;
  /** Loaded with the first subscription or stream. */
  #streams: Promise<SessionStreams> | undefined;

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
    if (!acceptsBoth(request)) return refuseAccept(response, batch ? undefined : messages[0]!);
    const requests = messages.filter((message) => isRequest(message));
    const sdk = this.#sdk ?? (await this.#load());
    const context = await this.#callContext(sdk, request, response, caller, messages[0]);
    if (context.session !== undefined) this.#onResponses(context.session, messages);
    if (requests.length === 0) return sendEmpty(response, 202);
    const text = requests[0]!.method === 'initialize' ? await instructions() : '';
    const reply = new PostReply(response, this.#options.endOf?.(caller.id));
    const answers = await Promise.all(
      requests.map(async (one) => {
        const refusal = refusalOf(sdk, one);
        if (refusal === undefined) return sdk.server.answer(one, this.#exchange(one, text, context, reply));
        return { jsonrpc: '2.0' as const, id: one.id, error: refusal.toJSON() };
      }),
    );
    await reply.end(answers, batch);
  }

  /** Opens the stream of a session, for the messages that belong to no request. */
  async get(request: IncomingMessage, response: Response, caller: Caller): Promise<void> {
    const { headers, method } = request;
    const sdk = this.#sdk ?? (await this.#load());
    const context = await this.#callContext(sdk, request, response, caller, undefined);
    const { authenticator, sessions } = this.#options;
    const { baseUrl, address } = response.locals as { readonly baseUrl: string; readonly address?: string };
    const check = async (): Promise<void> => {
      const { id } = await authenticator.authenticate(headers, { transport: 'mcp', method, baseUrl, address });
      if ((await sessions.use(context.session!, id)) === undefined) throw sessionNotFound(context.session!);
    };
    const streams = await this.#loadStreams();
    await streams.open(this.#sessionContext(context), response, headers['last-event-id'] as string | undefined, check);
  }

  /** Ends a session. */
  async delete(request: IncomingMessage, response: Response, caller: Caller): Promise<void> {
    const id = request.headers[sessionHeader];
    if (typeof id !== 'string')
      throw new PlannerError('invalid_argument', 'A DELETE names the session to end in Mcp-Session-Id.');
    if (Sessions.isOfClient(id) || !(await this.#options.sessions.end(id, caller.id))) throw sessionNotFound(id);
    void this.#streams?.then((streams) => streams.end(id));
    sendEmpty(response, 204);
  }

  #exchange({ id }: Request, instructions: string, context: LegacyContext, reply: PostReply): Exchange {
    return {
      instructions,
      call: (name, input, meta) =>
        this.#calls.call(name, input, meta, context, this.#person({ context, reply, call: id })),
      handle: (method, params) =>
        this.#subscription(method, params, context) ?? this.#features.handle(method, params, context),
    };
  }

  /** The person behind a session's client, if the client can ask. */
  #person(of: {
    readonly context: LegacyContext;
    readonly reply: PostReply;
    readonly call: Request['id'];
  }): Person | undefined {
    const { context, reply, call } = of;
    const { session, canAsk } = context;
    if (session === undefined || !canAsk) return undefined;
    const send = (request: Message): void => reply.send(request);
    const ask: Person['ask'] = async ({ text }) =>
      outcomeOf(await this.#questions.ask(text, { session, call, signal: reply.gone, send })) ?? 'accepted';
    return { confirmed: undefined, ask };
  }

  /** Takes the responses of the client to questions, and the calls that it cancels. Nothing else waits for a message. */
  #onResponses(session: string, messages: readonly Message[]): void {
    for (const message of messages)
      if (message.method === undefined) this.#questions.onResponse(session, message);
      else if (message.method === 'notifications/cancelled')
        this.#questions.cancel(session, message.params?.['requestId']);
  }

  /** Subscribes to a resource, or no longer; undefined for other methods. Rejects with `RpcError`. */
  #subscription(method: string, { uri }: Params, context: LegacyContext): Promise<Params> | undefined {
    if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') return undefined;
    return this.#features.attempt(method, uri, async () => {
      if (context.session === undefined)
        throw new PlannerError('invalid_argument', 'Only a session can subscribe: initialize one, and send its id.', {
          field: 'Mcp-Session-Id',
        });
      const [streams, of] = [await this.#loadStreams(), this.#sessionContext(context)];
      if (method === 'resources/subscribe')
        await this.#options.dispatcher.allowance.require({ caller: context.caller, transport: 'mcp' });
      await (method === 'resources/subscribe' ? streams.subscribe(of, uri) : streams.unsubscribe(of, uri));
      return {};
    });
  }

  #loadStreams(): Promise<SessionStreams> {
    const { sessions, clock, endOf } = this.#options;
    return (this.#streams ??= import('./session-streams.ts').then(
      (loaded) => new loaded.SessionStreams({ sessions, clock, endOf }),
    ));
  }

  #sessionContext(context: LegacyContext): SessionContext {
    return {
      id: context.session!,
      credential: context.caller.id,
      read: (name, input) => this.#calls.read(name, input, context),
      follow: (project, since, signal) => this.#calls.events({ project_id: project, since }, context, signal),
    };
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
    first: Message | undefined,
  ): Promise<LegacyContext> {
    const baseUrl = response.locals['baseUrl'] as string;
    const { sessions } = this.#options;
    const keep = (session: string): Promise<void> => this.#keepSession(session, caller);
    const outside = { caller, session: undefined, baseUrl, keep, canAsk: false };
    if (first?.method === 'initialize' && isRequest(first)) {
      const initialize = sdk.readInitialize(first);
      if ('client' in initialize) {
        await this.#options.dispatcher.allowance.requireBytes(caller);
        const session = await sessions.begin(caller.id, initialize.client, initialize.canAsk);
        response.setHeader('Mcp-Session-Id', session);
      }
      return outside;
    }
    requireVersion(sdk, request);
    const id = request.headers[sessionHeader];
    if (typeof id !== 'string') return outside;
    const session = Sessions.isOfClient(id) ? undefined : await sessions.use(id, caller.id);
    if (session === undefined) throw sessionNotFound(id);
    return {
      caller: underName(caller, { client: session.client }),
      session: id,
      baseUrl,
      keep,
      canAsk: session.can_ask === true,
    };
  }

  /** A call may store data of its session: a current goal, a claim. So the session is kept, and its id belongs to this credential. */
  async #keepSession(session: string, caller: Caller): Promise<void> {
    if (!(await this.#options.sessions.keep(session, caller.id))) throw sessionNotFound(session);
  }
}

/** Returns whether a GET is for the stream of a session. */
export function opensStream({ [sessionHeader]: session, accept }: IncomingMessage['headers']): boolean {
  return typeof session === 'string' && wantsEventStream(accept);
}

function isRequest(message: Message): message is Request {
  return message.id !== undefined && message.method !== undefined;
}

/** Validates a request before it is handled: our messages are clearer than the messages of the SDK's validator. */
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
function acceptsBoth({ headers: { accept } }: IncomingMessage): boolean {
  return accepts(accept, 'application/json') && accepts(accept, 'text/event-stream');
}

function refuseAccept(response: Response, message: Message | undefined): void {
  const problem =
    'A POST to /mcp must accept both types: "Accept: application/json, text/event-stream", as the protocol requires.';
  const error = new PlannerError('invalid_argument', problem, { field: 'Accept' });
  sendJson(response, notAcceptable, rpcFailure(error, rpcCodes.refused, idOf(message)));
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
