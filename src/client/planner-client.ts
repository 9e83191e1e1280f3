import { systemClock } from '../base/clock.ts';
import { readServiceVariables } from '../base/config.ts';
import { PlannerError } from '../base/errors.ts';
import { randomToken } from '../base/ids.ts';
import type { ToolTypes } from '../schema/types.ts';
import { FixedLocator, serviceAddress } from './fixed-locator.ts';
import { alreadyDone, errorOf, isAlreadyDone, isErrorBody, plannerError } from './message.ts';
import type { RpcMessage } from './message.ts';
import { Session } from './session.ts';

export interface PlannerClientOptions {
  /** The service: scheme, host and port. Default: PLANNER_URL. */
  readonly url?: string | undefined;
  /** The key. Default: PLANNER_MCP_TOKEN; without one the caller is the owner of a loopback service. */
  readonly token?: string | undefined;
  /** The default project of calls. The project of a key takes precedence. */
  readonly project?: string | undefined;
  /** The client's name in the service's sessions and revisions. Default: `planner-client`. */
  readonly name?: string | undefined;
  /** How long a call is retried while the service does not respond, in milliseconds. Default 15,000. */
  readonly retryMs?: number | undefined;
}

export interface CallOptions {
  /** The idempotency key, 1 to 255 visible ASCII characters: a retry with the same key gets the original result. Default: a random key. */
  readonly key?: string | undefined;
  /** Aborts the wait for the result. A call that was sent may still be executed. */
  readonly signal?: AbortSignal | undefined;
}

/** A tool in the service's list. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations: Readonly<Record<string, unknown>>;
}

export type ToolName = keyof ToolTypes;

const protocolVersion = '2025-11-25';
const keyBytes = 18;

/**
 * A client of a Planner service over MCP, with its own session. A call whose connection fails is retried with its idempotency key, so that
 * it is executed once. Errors are `PlannerError`s with the codes of the service; `unavailable` if it cannot be reached, with
 * `details.outcome: "unknown"` if the call may have been executed. A retried call whose result the service could neither store nor rebuild
 * rejects with `conflict` and `details.outcome: "done"`: it was executed once, and `details.read` names the call that reads the result.
 */
export class PlannerClient {
  /** The service's instructions for agents: the working loop, the bound project. */
  readonly instructions: string;
  readonly #session: Session;
  #calls = 0;

  /** Starts a session. Rejects with `PlannerError`: `invalid_argument` if there is no URL, `unauthorized`, `unavailable`. */
  static async connect(options: PlannerClientOptions = {}): Promise<PlannerClient> {
    const variables = readServiceVariables();
    const url = options.url ?? variables.url;
    if (url === undefined)
      throw new PlannerError(
        'invalid_argument',
        'No service is configured: set PLANNER_URL, or pass url, to the address that planner open --no-browser prints.',
        {
          field: 'PLANNER_URL',
        },
      );
    const names = {
      url: options.url === undefined ? 'PLANNER_URL' : 'url',
      token: options.token === undefined ? 'PLANNER_MCP_TOKEN' : 'token',
    };
    const { project, retryMs, name = 'planner-client' } = options;
    // PLANNER_MCP_TOKEN is the key for PLANNER_URL only.
    const token = options.token ?? (options.url === undefined ? variables.token : undefined);
    const address = { ...serviceAddress(url, token, names), project };
    const session = new Session({ locator: new FixedLocator(address), clock: systemClock, retryMs });
    session.setInitializeParams({ protocolVersion, capabilities: {}, clientInfo: { name, version: '1' } });
    const { instructions } = resultOf(await session.initialize()) as { readonly instructions?: string };
    return new PlannerClient(session, instructions ?? '');
  }

  private constructor(session: Session, instructions: string) {
    this.#session = session;
    this.instructions = instructions;
  }

  /** Lists the tools in the service's order. */
  async listTools({ signal }: Pick<CallOptions, 'signal'> = {}): Promise<readonly ToolDescription[]> {
    const { tools } = await this.#request('tools/list', {}, signal);
    return tools as readonly ToolDescription[];
  }

  /** Calls a tool and resolves with its result. Rejects with the tool's error as `PlannerError`. */
  async call<N extends ToolName>(
    name: N,
    input: ToolTypes[N]['input'],
    { key = randomToken(keyBytes), signal }: CallOptions = {},
  ): Promise<ToolTypes[N]['answer']> {
    const params = { name, arguments: input, _meta: { 'planner/key': key } };
    const { isError, structuredContent } = await this.#request('tools/call', params, signal);
    if (isError !== true) {
      if (isAlreadyDone(structuredContent)) throw alreadyDone(structuredContent);
      return structuredContent as ToolTypes[N]['answer'];
    }
    if (isErrorBody(structuredContent)) throw plannerError(structuredContent);
    throw new PlannerError('internal', `${name} failed without an error body.`);
  }

  /** Ends the session. */
  close(): Promise<void> {
    return this.#session.end();
  }

  async #request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#calls;
    return resultOf(await this.#session.request({ jsonrpc: '2.0', id, method, params }, { signal }));
  }
}

function resultOf(answer: RpcMessage): Readonly<Record<string, unknown>> {
  const error = errorOf(answer);
  if (error !== undefined) throw error;
  return answer.result as Readonly<Record<string, unknown>>;
}
