import type { RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { PlannerError } from '../base/errors.ts';
import { countBodyFor } from '../http/body-budget.ts';
import { readJson } from '../http/read-json.ts';
import { errorHeaders, sendJson } from '../http/send.ts';
import { statusOf } from '../http/status.ts';
import type { RequestFacts } from '../http/request-log.ts';
import { asPlannerError } from '../operations/pipeline/failure.ts';
import type { Caller } from '../operations/declaration/operation.ts';
import type { Collections } from '../store/index.ts';
import { FeatureRequests } from './feature-requests.ts';
import { isModern } from './envelope.ts';
import { instructions } from './instructions.ts';
import { idOf, readMessages, rpcCodes, rpcFailure } from './json-rpc.ts';
import type { Id, Message } from './json-rpc.ts';
import { LegacyEra, opensStream } from './legacy-era.ts';
import type { McpTransportOptions } from './mcp-transport-options.ts';
import { ModernEra, modernMethods } from './modern-era.ts';
import { ToolCalls } from './tool-calls.ts';

/** The header with the default project of calls: the stdio bridge sends it in a connected repository. */
const projectHeader = 'planner-project';
const listed = new Set([
  ...['initialize', 'notifications/initialized', 'ping', 'resources/subscribe', 'resources/unsubscribe'],
  ...modernMethods,
]);

/** The MCP endpoint as an Express handler, to be mounted at `/mcp`. `response.locals.baseUrl` is the service's URL for the caller. */
export function mcpTransport<C extends Collections>(options: McpTransportOptions<C>): RequestHandler {
  const transport = new McpTransport(options);
  return (request, response, next) =>
    /^\/(?:\?|$)/.test(request.url) ? void transport.serve(request, response) : next();
}

/**
 * Serves both eras of MCP: the revisions with sessions, and the revisions whose requests carry everything. Each request
 * identifies its revision.
 */
class McpTransport<C extends Collections> {
  readonly #options: McpTransportOptions<C>;
  readonly #calls: ToolCalls<C>;
  readonly #legacy: LegacyEra<C>;
  readonly #modern: ModernEra<C>;

  constructor(options: McpTransportOptions<C>) {
    this.#options = options;
    this.#calls = new ToolCalls(options.dispatcher, options.schemaOf, options.log);
    const features = new FeatureRequests(this.#calls, options.log);
    this.#legacy = new LegacyEra(options, this.#calls, features);
    this.#modern = new ModernEra(options, this.#calls, features);
  }

  async serve(request: IncomingMessage, response: Response): Promise<void> {
    const facts = response.locals as RequestFacts;
    facts.route = '/mcp';
    let id: Id | null = null;
    try {
      const { headers, method } = request;
      const { baseUrl, address } = facts;
      const origin = { transport: 'mcp', method, baseUrl, address } as const;
      const caller = meaning(headers[projectHeader], await this.#options.authenticator.authenticate(headers, origin));
      facts.caller = caller.kind;
      countBodyFor(request, caller.id);
      if (method === 'DELETE') return await this.#legacy.delete(request, response, caller);
      if (method === 'GET' && opensStream(headers)) return await this.#legacy.get(request, response, caller);
      if (method !== 'POST') throw methodNotAllowed(method!);
      const body = await readJson(request);
      id = idOf(body);
      await this.#post(request, response, caller, body);
    } catch (thrown) {
      const error = asPlannerError(thrown, this.#options.log, `${request.method} /mcp`);
      if (response.headersSent) return;
      const code = error.details['position'] === undefined ? undefined : rpcCodes.parseError;
      sendJson(response, statusOf[error.code], rpcFailure(error, code, id), errorHeaders(error));
    }
  }

  async #post(request: IncomingMessage, response: Response, caller: Caller, body: unknown): Promise<void> {
    if (body === undefined)
      throw new PlannerError('invalid_argument', 'A POST to /mcp must contain a JSON-RPC message.');
    const messages = readMessages(body);
    if (messages.length === 1) (response.locals as RequestFacts).route = this.#routeOf(messages[0]!);
    const describe = (): Promise<string> => this.#instructions(caller);
    const modern = messages.findIndex((message) => isModern(message, request.headers));
    if (Array.isArray(body) && modern !== -1) throw modernInBatch(modern);
    if (modern !== -1) return this.#modern.post(request, response, caller, messages[0]!, describe);
    return this.#legacy.post(request, response, caller, { messages, batch: Array.isArray(body) }, describe);
  }

  /** The name of a message's method or tool in logs and metrics: only known names. */
  #routeOf({ method = '', params = {} }: Message): string {
    if (method !== 'tools/call') return listed.has(method) ? `/mcp ${method}` : '/mcp';
    const { name } = params;
    return this.#calls.has(name) ? `/mcp ${name as string}` : '/mcp';
  }

  async #instructions({ boundTo, defaultProject }: Caller): Promise<string> {
    const id = boundTo ?? defaultProject;
    return instructions(id === undefined ? undefined : await this.#options.describeProject(id));
  }
}

/**
 * The caller, with the request's default project for calls that name no project. The project of a key takes precedence.
 */
function meaning(project: string | string[] | undefined, caller: Caller): Caller {
  return typeof project === 'string' ? { ...caller, defaultProject: project } : caller;
}

function modernInBatch(at: number): PlannerError {
  return new PlannerError('invalid_argument', 'Messages of this revision of MCP are sent alone, not in a batch.', {
    field: `[${at}]`,
  });
}

function methodNotAllowed(method: string): PlannerError {
  return new PlannerError(
    'method_not_allowed',
    `/mcp is for MCP clients, and people open the page at /. It does not take ${method} like this: POST messages; DELETE ends a session; GET opens the stream of one, with Mcp-Session-Id and "Accept: text/event-stream".`,
    {
      allow: ['POST', 'DELETE'],
    },
  );
}
