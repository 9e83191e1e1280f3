import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { InitializeResult, JSONRPCMessage, ListToolsResult, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { canAsk } from './confirmation.ts';
import { capabilities, serverInfo } from './discover.ts';
import { answerOf, PendingRequests } from './exchange.ts';
import type { Exchange, Request } from './exchange.ts';
import { refusalOfParams } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';

/**
 * Created once: the SDK creates an Ajv for each server without a validator. It is never called, since the operations' own schemas validate
 * the arguments.
 */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

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

/** Returns whether the SDK supports a version of the protocol, given by `MCP-Protocol-Version`. */
export function isSpoken(version: string): boolean {
  return SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

/**
 * Handles requests by one server of the SDK, including concurrent POSTs. The SDK's own HTTP transport needs a server
 * for each POST and converts every request and response to web-standard objects and back: that costs more than most
 * calls.
 */
export class SdkServer {
  readonly #transport = new SharedTransport();

  constructor(tools: ListToolsResult, version: string) {
    const server = new Server(serverInfo(version), { capabilities, jsonSchemaValidator });
    const exchangeOf = ({ requestId }: { readonly requestId: RequestId }): Exchange =>
      this.#transport.requests.exchangeOf(requestId);
    server.setRequestHandler(InitializeRequestSchema, ({ params }, extra) =>
      initializeResult(params, version, exchangeOf(extra).instructions),
    );
    server.setRequestHandler(ListToolsRequestSchema, () => tools);
    // Not registered like the others: the SDK would copy a call's arguments twice and its result once, for validation that was already
    // done.
    server.fallbackRequestHandler = (request, extra) => answerOf(request, exchangeOf(extra));
    server.onerror = ({ message }) => this.#transport.requests.refuse(message);
    // No await is needed: the transport exists, so connecting is synchronous.
    void server.connect(this.#transport);
  }

  /** The response to a request, with its id. */
  answer(request: Request, exchange: Exchange): Promise<Message> {
    return this.#transport.ask(request, exchange);
  }
}

/** Passes requests to the server and receives its responses. */
class SharedTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  readonly requests = new PendingRequests();

  ask(request: Request, exchange: Exchange): Promise<Message> {
    return this.requests.ask(request, exchange, (numbered) => this.onmessage?.(numbered));
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.requests.settle(message);
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

/**
 * The description of the client in a well-formed initialize; otherwise the path of the first invalid member and the
 * expected value.
 */
export function readInitialize(
  message: unknown,
): { readonly client: string; readonly canAsk: boolean } | { readonly field: string; readonly message: string } {
  const parsed = InitializeRequestSchema.safeParse(message);
  if (parsed.success) {
    const refused = refusalOfParams(message as Message);
    if (refused !== undefined) return { field: refused.data.field ?? 'params', message: refused.message };
    const { clientInfo, capabilities: ofClient } = parsed.data.params;
    return { client: clientInfo.name, canAsk: canAsk(ofClient) };
  }
  const [issue] = parsed.error.issues;
  return { field: issue?.path.join('.') ?? 'params', message: issue?.message ?? 'not an initialize request' };
}
