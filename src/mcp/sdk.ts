import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type {
  CallToolResult,
  InitializeResult,
  JSONRPCMessage,
  JSONRPCRequest,
  ListToolsResult,
  RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { RpcError, rpcCodes } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';

/** A tool's result: the object itself, whether it is an error, as text and as structured content. */
export interface ToolOutcome {
  readonly value: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** The handlers of the requests of one POST. */
export interface Exchange {
  /** Returned by `initialize`. */
  readonly instructions: string;
  /** Runs a tool. Throws `RpcError` if there is no such tool. */
  readonly call: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    meta: Readonly<Record<string, unknown>>,
  ) => Promise<ToolOutcome>;
}

/** A validated request: the SDK gets no others. */
export type Request = Message & { readonly id: string | number; readonly method: string };

/**
 * Created once: the SDK creates an Ajv for each server without a validator. It is never called, since the operations' own schemas validate
 * the arguments.
 */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const capabilities = { tools: {} };

function serverInfo(version: string): InitializeResult['serverInfo'] {
  return { name: 'planner', title: 'Planner', version };
}

/** The response of the SDK's server to a well-formed initialize. */
export function initializeResult(
  { protocolVersion: requested }: { readonly protocolVersion?: unknown },
  version: string,
  instructions: string,
): InitializeResult {
  const known = SUPPORTED_PROTOCOL_VERSIONS.find((one) => one === requested);
  return {
    protocolVersion: known ?? LATEST_PROTOCOL_VERSION,
    capabilities,
    serverInfo: serverInfo(version),
    instructions,
  };
}

/** Whether the SDK supports a version of the protocol, given by `MCP-Protocol-Version`. */
export function isSpoken(version: string): boolean {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

/**
 * Handles requests by one server of the SDK, those of concurrent POSTs too. The SDK's own HTTP transport needs a server for each
 * POST and converts every request and response to web-standard objects and back: that costs more than most calls.
 */
export class SdkServer {
  readonly #requests = new Requests();

  constructor(tools: ListToolsResult, version: string) {
    const server = new Server(serverInfo(version), { capabilities, jsonSchemaValidator });
    const exchangeOf = ({ requestId }: { readonly requestId: RequestId }): Exchange =>
      this.#requests.exchangeOf(requestId);
    server.setRequestHandler(InitializeRequestSchema, ({ params }, extra) =>
      initializeResult(params, version, exchangeOf(extra).instructions),
    );
    server.setRequestHandler(ListToolsRequestSchema, () => tools);
    // Not registered like the others: the SDK would copy a call's arguments twice and its result once, for validation that was already
    // done.
    server.fallbackRequestHandler = async ({ method, params = {} }, extra) => {
      if (method !== 'tools/call') throw new RpcError(rpcCodes.methodNotFound, `There is no method ${method}.`);
      const { name, arguments: input = {}, _meta: meta = {} } = params as unknown as ToolCall;
      return toolResult(await exchangeOf(extra).call(name, input, meta));
    };
    server.onerror = ({ message }) => this.#requests.refuse(message);
    // No await is needed: the transport exists, so connecting is synchronous.
    void server.connect(this.#requests);
  }

  /** The response to a request, with its id. */
  answer(request: Request, exchange: Exchange): Promise<Message> {
    return this.#requests.ask(request, exchange);
  }
}

/** The parameters of a tools/call. */
interface ToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

interface PendingRequest {
  readonly id: string | number;
  readonly exchange: Exchange;
  readonly resolve: (answer: Message) => void;
}

/** Passes the requests to the server one by one, each under a unique number, because different callers use the same ids. */
class Requests implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #pending = new Map<RequestId, PendingRequest>();
  #number = 0;
  /** The request that is being passed to the server. */
  #handing: number | undefined;

  ask({ id, method, params }: Request, exchange: Exchange): Promise<Message> {
    const number = ++this.#number;
    return new Promise((resolve) => {
      this.#pending.set(number, { id, exchange, resolve });
      const request = { jsonrpc: '2.0', id: number, method, ...(params === undefined ? {} : { params }) };
      this.#handing = number;
      this.onmessage?.(request as JSONRPCRequest);
      this.#handing = undefined;
    });
  }

  /** The server rejected the request that is being passed to it, which would otherwise never get a response. */
  refuse(message: string): void {
    const id = this.#handing;
    if (id === undefined) return;
    void this.send({ jsonrpc: '2.0', id, error: new RpcError(rpcCodes.invalidRequest, message).toJSON() });
  }

  exchangeOf(number: RequestId): Exchange {
    return this.#pending.get(number)!.exchange;
  }

  /** Receives the server's responses. The server sends nothing else: no requests and no notifications of its own. */
  send(message: JSONRPCMessage): Promise<void> {
    const { id: number } = message as { readonly id: RequestId };
    const request = this.#pending.get(number);
    this.#pending.delete(number);
    request?.resolve({ ...(message as Message), id: request.id });
    return Promise.resolve();
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }
}

function toolResult({ value, isError }: ToolOutcome): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
    ...(isError ? { isError } : {}),
  };
}

/** The client's name in a well-formed initialize; otherwise the path of the first invalid member and what was expected there. */
export function readInitialize(
  message: unknown,
): { readonly client: string } | { readonly field: string; readonly message: string } {
  const parsed = InitializeRequestSchema.safeParse(message);
  if (parsed.success) return { client: parsed.data.params.clientInfo.name };
  const [issue] = parsed.error.issues;
  return { field: issue?.path.join('.') ?? 'params', message: issue?.message ?? 'not an initialize request' };
}
