import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { sendEmpty, sendJson } from '../http/send.ts';
import { underName } from '../operations/access/authenticate.ts';
import { Sessions } from '../operations/access/sessions.ts';
import type { Caller } from '../operations/declaration/operation.ts';
import type { Collections } from '../store/index.ts';
import { envelopeOf, refusalOfEnvelope } from './envelope.ts';
import { featureMethods } from './feature-methods.ts';
import type { FeatureRequests } from './feature-requests.ts';
import { canAsk, outcomeOf, SealedQuestions } from './confirmation.ts';
import type { Exchange, InputRequired, Request, ToolOutcome } from './exchange.ts';
import { refusalOfCall, refusalOfParams, RpcError, rpcCodes } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';
import type { McpTransportOptions } from './mcp-transport-options.ts';
import type { ModernServer } from './modern-sdk.ts';
import type { Read } from './resources.ts';
import type { FollowEvents } from './event-streams.ts';
import type { FollowProject } from './resource-updates.ts';
import type { CallContext, Person, ToolCalls } from './tool-calls.ts';

/** The methods of requests that are served. */
export const modernMethods: ReadonlySet<string> = new Set([
  ...['server/discover', 'tools/list', 'tools/call', 'subscriptions/listen', 'events/stream'],
  ...['events/list', 'events/poll', 'events/subscribe', 'skills/list', 'skills/get'],
  ...featureMethods,
]);

/** The methods whose response is a stream. */
const streamMethods: ReadonlySet<string> = new Set(['subscriptions/listen', 'events/stream']);

/** The other methods of extensions. */
const extensionMethods: ReadonlySet<string> = new Set([
  ...['events/list', 'events/poll', 'events/subscribe'],
  ...['skills/list', 'skills/get'],
]);

type Params = Readonly<Record<string, unknown>>;

const badRequest = 400;
const notFoundStatus = 404;

/**
 * The revision of MCP without sessions, served by the second SDK: each request carries in `_meta` the state of a
 * session.
 */
export class ModernEra<C extends Collections> {
  readonly #options: McpTransportOptions<C>;
  readonly #calls: ToolCalls<C>;
  readonly #features: FeatureRequests<C>;
  readonly #sealed: SealedQuestions;
  #loading: Promise<ModernServer> | undefined;
  #server: ModernServer | undefined;

  constructor(options: McpTransportOptions<C>, calls: ToolCalls<C>, features: FeatureRequests<C>) {
    this.#features = features;
    this.#options = options;
    this.#calls = calls;
    this.#sealed = new SealedQuestions(options);
  }

  #load(): Promise<ModernServer> {
    return (this.#loading ??= import('./modern-sdk.ts').then(
      ({ ModernServer: Server }) => (this.#server = new Server(this.#options.modernTools(), this.#options.version)),
    ));
  }

  /** Answers a message. `instructions`: of `server/discover`, for the caller. */
  async post(
    incoming: IncomingMessage,
    response: Response,
    caller: Caller,
    message: Message,
    instructions: () => Promise<string>,
  ): Promise<void> {
    const { id, method } = message;
    const refusal = refusalOfEnvelope(message, incoming.headers);
    if (id === undefined) return refusal === undefined ? sendEmpty(response, 202) : sendError(response, null, refusal);
    const request = message as Request;
    if (refusal !== undefined) return sendError(response, id, refusal);
    if (!modernMethods.has(request.method)) return sendError(response, id, unknownMethod(request), notFoundStatus);
    const invalid = method === 'tools/call' ? refusalOfCall(message) : refusalOfParams(message);
    if (invalid !== undefined) return sendError(response, id, invalid, 200);
    const context = await this.#callContext(response, caller, message);
    if (streamMethods.has(request.method)) return this.#stream(request, incoming, response, context);
    const server = this.#server ?? (await this.#load());
    const exchange: Exchange = {
      instructions: method === 'server/discover' ? await instructions() : '',
      call: (...call) => this.#call(call, message, context),
      handle: (name, params) => this.#extension(name, params, context) ?? this.#features.handle(name, params, context),
    };
    const answer = await server.answer(request, exchange);
    sendJson(response, 200, answer);
  }

  /** Answers a request with a stream, or with an error. */
  async #stream(
    request: Request,
    { headers }: IncomingMessage,
    response: Response,
    context: CallContext,
  ): Promise<void> {
    const { authenticator, clock, endOf, sessions, version } = this.#options;
    const { baseUrl, address } = response.locals as { readonly baseUrl: string; readonly address?: string };
    const check = (): Promise<unknown> =>
      authenticator.authenticate(headers, { transport: 'mcp', method: 'POST', baseUrl, address });
    try {
      await this.#features.attempt(request.method, undefined, async () => {
        const { listen } = await import('./modern-streams.ts');
        const { streamEvents } = await import('./event-streams.ts');
        const read = this.#read(context);
        const followEvents: FollowEvents = (input, signal) => this.#calls.events(input, context, signal);
        const follow: FollowProject = (project, since, signal) => followEvents({ project_id: project, since }, signal);
        const closing = endOf?.(context.caller.id);
        const watch = (count: number): Promise<() => void> => sessions.listen(context.caller.id, count);
        const streamed = { message: request, response, read, follow, watch, clock, check, closing, version };
        if (request.method === 'subscriptions/listen') return listen(streamed);
        return streamEvents({ ...streamed, followEvents, now: () => clock.now() });
      });
    } catch (thrown) {
      if (!response.headersSent) sendError(response, request.id, thrown as RpcError, 200);
    }
  }

  /** The result of a request of an extension; undefined for other methods. */
  #extension(method: string, params: Params, context: CallContext): Promise<Params> | undefined {
    if (!extensionMethods.has(method)) return undefined;
    return this.#features.attempt(method, undefined, async () => {
      if (method.startsWith('skills/')) {
        const { getSkill, listSkills } = await import('./skills.ts');
        return method === 'skills/list' ? listSkills() : getSkill(params);
      }
      const { listEventTypes, pollEvents, refuseWebhook } = await import('./plan-events.ts');
      if (method === 'events/poll') return pollEvents(this.#read(context), params, this.#options.clock.now());
      return method === 'events/list' ? listEventTypes() : refuseWebhook(params);
    });
  }

  #read(context: CallContext): Read {
    return (name, input) => this.#calls.read(name, input, context);
  }

  /** Runs a tool, unless the person was asked for this call and declined. */
  async #call(
    [name, input, meta]: Parameters<Exchange['call']>,
    message: Message,
    context: CallContext,
  ): Promise<InputRequired | ToolOutcome> {
    if (!canAsk(envelopeOf(message).capabilities)) return this.#calls.call(name, input, meta, context);
    const call = [context.caller.id, name, input];
    const answer = this.#sealed.answerTo(call, message.params ?? {});
    const declined = answer && outcomeOf(answer.action);
    const ask: Person['ask'] = async (question) => this.#sealed.request(call, question);
    return declined ?? this.#calls.call(name, input, meta, context, { confirmed: answer?.tag, ask });
  }

  /** The state of a client between its requests belongs to its credential and its name. */
  async #callContext({ locals }: Response, caller: Caller, message: Message): Promise<CallContext> {
    const { sessions } = this.#options;
    const { client = '' } = envelopeOf(message);
    const session = Sessions.idOfClient(caller.id, client);
    await sessions.use(session, caller.id);
    return {
      caller: underName(caller, { client }),
      session,
      baseUrl: locals['baseUrl'] as string,
      keep: async () => void (await sessions.keep(session, caller.id, client)),
    };
  }
}

function unknownMethod({ method }: Request): RpcError {
  return new RpcError(rpcCodes.methodNotFound, `There is no method ${method}.`, { field: 'method' });
}

function sendError(response: Response, id: Message['id'] | null, error: RpcError, status = badRequest): void {
  sendJson(response, status, { jsonrpc: '2.0', id, error: error.toJSON() });
}
