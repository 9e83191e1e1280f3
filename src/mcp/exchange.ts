import type { Id, Message } from './json-rpc.ts';
import { RpcError, rpcCodes } from './json-rpc.ts';

/** A tool's result: the object itself, whether it is an error, as text and as structured content. */
export interface ToolOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** A tool does not run before a person has answered: the client asks, and calls again with the response under this name, and the state. */
export interface InputRequired {
  readonly inputRequests: Readonly<Record<string, object>>;
  /** The sealed state of the question. */
  readonly requestState: string;
}

/** The handlers of the requests of one POST. */
export interface Exchange {
  /** Returned by `initialize` and `server/discover`. */
  readonly instructions: string;
  /** Runs a tool. Throws `RpcError` if there is no such tool. */
  readonly call: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    meta: Readonly<Record<string, unknown>>,
  ) => Promise<ToolOutcome | InputRequired>;
  /** The result of any other request; undefined if there is no such method. Rejects with `RpcError`. */
  readonly handle: (
    method: string,
    params: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>> | undefined;
}

/** A validated request: the SDKs get no others. */
export type Request = Message & { readonly id: Id; readonly method: string };

/** The parameters of a tools/call. */
interface ToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The result of a tools/call. */
interface ToolResult {
  readonly content: { type: 'text'; text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
  // The results of the SDKs have further members.
  [member: string]: unknown;
}

/** The result of a request that has no handler in the SDK. Throws `RpcError` if there is no such method. */
export async function answerOf(
  { method, params = {} }: { readonly method: string; readonly params?: Readonly<Record<string, unknown>> | undefined },
  exchange: Exchange,
): Promise<Record<string, unknown>> {
  if (method === 'tools/call') {
    const { name, arguments: input = {}, _meta: meta = {} } = params as unknown as ToolCall;
    const outcome = await exchange.call(name, input, meta);
    if ('inputRequests' in outcome) return { ...outcome, resultType: 'input_required' };
    return toolResult(outcome);
  }
  const result = exchange.handle(method, params);
  if (result === undefined) throw new RpcError(rpcCodes.methodNotFound, `There is no method ${method}.`);
  return await result;
}

function toolResult({ value, isError }: ToolOutcome): ToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
    ...(isError ? { isError } : {}),
  };
}

interface PendingRequest {
  readonly id: Id;
  readonly exchange: Exchange;
  readonly resolve: (answer: Message) => void;
}

/** The requests that one server of an SDK is handling, each under a unique number, because different callers use the same ids. */
export class PendingRequests {
  readonly #pending = new Map<unknown, PendingRequest>();
  #number = 0;
  /** The request that is being passed to the server. */
  #handing: number | undefined;

  /** Passes a request to the server by `hand`, under a number. Resolves with the response, under its own id. */
  ask({ id, method, params }: Request, exchange: Exchange, hand: (request: Request) => void): Promise<Message> {
    const number = ++this.#number;
    return new Promise((resolve) => {
      this.#pending.set(number, { id, exchange, resolve });
      this.#handing = number;
      hand({ jsonrpc: '2.0', id: number, method, ...(params === undefined ? {} : { params }) });
      this.#handing = undefined;
    });
  }

  exchangeOf(number: Id): Exchange {
    return this.#pending.get(number)!.exchange;
  }

  /** Receives the server's responses. The server sends nothing else: no requests and no notifications of its own. */
  settle(message: unknown): void {
    const { id: number } = message as Message;
    const request = this.#pending.get(number);
    this.#pending.delete(number);
    request?.resolve({ ...(message as Message), id: request.id });
  }

  /** The server rejected the request that is being passed to it, which would otherwise never get a response. */
  refuse(message: string): void {
    const id = this.#handing;
    if (id === undefined) return;
    this.settle({ jsonrpc: '2.0', id, error: new RpcError(rpcCodes.invalidRequest, message).toJSON() });
  }
}
