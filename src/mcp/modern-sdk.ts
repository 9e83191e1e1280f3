import { PerRequestHTTPServerTransport, Server } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, MessageClassification } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { discovery, listTtlMs, modernCapabilities, serverInfo } from './discover.ts';
import { modernVersion, modernVersions } from './envelope.ts';
import { answerOf, PendingRequests } from './exchange.ts';
import type { Exchange, Request } from './exchange.ts';
import type { Id, Message } from './json-rpc.ts';
import type { Tool } from './tool-list.ts';

const classification: MessageClassification = { era: 'modern', revision: modernVersion };

/**
 * Handles requests of the revision without sessions by one server of the SDK, including concurrent POSTs. The SDK's own
 * handler creates a server for each POST and converts every request and response to web-standard objects and back.
 */
export class ModernServer {
  readonly #transport = new SharedTransport();

  constructor(tools: readonly Tool[], version: string) {
    const server = new Server(serverInfo(version), {
      capabilities: modernCapabilities,
      supportedProtocolVersions: [...modernVersions],
      // Never called: the operations' own schemas validate the arguments.
      jsonSchemaValidator: new AjvJsonSchemaValidator(),
    });
    const exchangeOf = ({ mcpReq }: { readonly mcpReq: { readonly id: Id } }): Exchange =>
      this.#transport.requests.exchangeOf(mcpReq.id);
    const list = { tools: [...tools], ttlMs: listTtlMs, cacheScope: 'public' as const };
    server.setRequestHandler('server/discover', (_, context) => discovery(exchangeOf(context).instructions));
    server.setRequestHandler('tools/list', () => list);
    // Not registered like the others: the SDK would copy a call's arguments and its result, for validation that was already done.
    server.fallbackRequestHandler = (request, context) => answerOf(request, exchangeOf(context));
    server.onerror = ({ message }) => this.#transport.requests.refuse(message);
    // No await is needed: the transport exists, so connecting is synchronous.
    void server.connect(this.#transport);
  }

  /** The response to a request, with its id. */
  answer(request: Request, exchange: Exchange): Promise<Message> {
    return this.#transport.ask(request, exchange);
  }
}

/**
 * The SDK binds a server to a revision by this class of transport. The SDK's class serves one request, and this
 * subclass serves all.
 */
class SharedTransport extends PerRequestHTTPServerTransport {
  readonly requests = new PendingRequests();

  constructor() {
    super({ classification });
  }

  ask(request: Request, exchange: Exchange): Promise<Message> {
    return this.requests.ask(request, exchange, (numbered) => this.onmessage?.(numbered, { classification }));
  }

  override send(message: JSONRPCMessage): Promise<void> {
    this.requests.settle(message);
    return Promise.resolve();
  }
}
