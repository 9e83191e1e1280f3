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
export interface ToolAnswer {
  readonly value: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** What handles the requests of one POST. */
export interface Exchange {
  /** Returned by `initialize`. */
  readonly instructions: string;
  /** Runs a tool. Throws `RpcError` where there is no such tool. */
  readonly call: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    meta: Readonly<Record<string, unknown>>,
  ) => Promise<ToolAnswer>;
}

/** A request that was checked before: the SDK meets nothing else. */
export type Request = Message & { readonly id: string | number; readonly method: string };

/**
 * Made once: the SDK builds an Ajv for each server that is not given a validator. Arguments are validated by the operations' own schemas,
 * so it is never asked anything.
 */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const capabilities = { tools: {} };

function serverInfo(version: string): InitializeResult['serverInfo'] {
  return { name: 'planner', title: 'Planner', version };
}

/** What the SDK's server answers to a well-formed initialize. */
export function initializeResult(
  { protocolVersion: asked }: { readonly protocolVersion?: unknown },
  version: string,
  instructions: string,
): InitializeResult {
  const known = SUPPORTED_PROTOCOL_VERSIONS.find((one) => one === asked);
  return {
    protocolVersion: known ?? LATEST_PROTOCOL_VERSION,
    capabilities,
    serverInfo: serverInfo(version),
    instructions,
  };
}

/** Whether the SDK speaks a version of the protocol, as `MCP-Protocol-Version` names it. */
export function isSpoken(version: string): boolean {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

/**
 * Answers requests through one server of the SDK's, those of many POSTs at a time. The SDK's own HTTP transport wants a server for each
 * POST and turns every request and answer into the browser's objects and back: that costs more than most calls.
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
    // Not registered as the others: the SDK would copy a call's arguments twice and its answer once, to check what was checked.
    server.fallbackRequestHandler = async ({ method, params = {} }, extra) => {
      if (method !== 'tools/call') throw new RpcError(rpcCodes.methodNotFound, `There is no method ${method}.`);
      const { name, arguments: input = {}, _meta: meta = {} } = params as unknown as ToolCall;
      return toolResult(await exchangeOf(extra).call(name, input, meta));
    };
    server.onerror = ({ message }) => this.#requests.refuse(message);
    // Nothing in it waits: the transport is there.
    void server.connect(this.#requests);
  }

  /** The answer to a request, under its id. */
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

interface Asked {
  readonly id: string | number;
  readonly exchange: Exchange;
  readonly resolve: (answer: Message) => void;
}

/** Gives the server one request after the other, each under a number of its own: callers choose the same ids. */
class Requests implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly #asked = new Map<RequestId, Asked>();
  #number = 0;
  /** The request that is being handed over. */
  #handing: number | undefined;

  ask({ id, method, params }: Request, exchange: Exchange): Promise<Message> {
    const number = ++this.#number;
    return new Promise((resolve) => {
      this.#asked.set(number, { id, exchange, resolve });
      const request = { jsonrpc: '2.0', id: number, method, ...(params === undefined ? {} : { params }) };
      this.#handing = number;
      this.onmessage?.(request as JSONRPCRequest);
      this.#handing = undefined;
    });
  }

  /** The server does not take what is being handed over: it would never be answered. */
  refuse(message: string): void {
    const id = this.#handing;
    if (id === undefined) return;
    void this.send({ jsonrpc: '2.0', id, error: new RpcError(rpcCodes.invalidRequest, message).toJSON() });
  }

  exchangeOf(number: RequestId): Exchange {
    return this.#asked.get(number)!.exchange;
  }

  /** Receives the server's responses. The server sends nothing else: no requests and no notifications of its own. */
  send(message: JSONRPCMessage): Promise<void> {
    const { id: number } = message as { readonly id: RequestId };
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    asked?.resolve({ ...(message as Message), id: asked.id });
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

function toolResult({ value, isError }: ToolAnswer): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
    ...(isError ? { isError } : {}),
  };
}

/** The client's name in a well-formed initialize; the first thing wrong with it as the path and what was expected otherwise. */
export function readInitialize(
  message: unknown,
): { readonly client: string } | { readonly field: string; readonly message: string } {
  const parsed = InitializeRequestSchema.safeParse(message);
  if (parsed.success) return { client: parsed.data.params.clientInfo.name };
  const [issue] = parsed.error.issues;
  return { field: issue?.path.join('.') ?? 'params', message: issue?.message ?? 'not an initialize request' };
}
