import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, InitializeResult, ListToolsResult } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { RpcError, rpcCodes } from './json-rpc.ts';
import type { Message } from './json-rpc.ts';

/** A tool's answer: the object itself, whether it tells of an error, as text and structured. */
export interface ToolAnswer {
  readonly value: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
}

/** One POST: what it asks and how it is answered. */
export interface Exchange {
  /** The body: one message or a batch, checked before. */
  readonly body: Message | readonly Message[];
  /** Told at initialize. */
  readonly instructions: string | undefined;
  /** Errors to answer requests with, by the id of the request. */
  readonly refused: ReadonlyMap<string | number, RpcError>;
  /** Runs a tool. Throws `RpcError` where there is no such tool. */
  readonly call: (
    name: string,
    input: Readonly<Record<string, unknown>>,
    meta: Readonly<Record<string, unknown>>,
  ) => Promise<ToolAnswer>;
}

/** The method that stands in for that of a refused request, so that the SDK answers it in its place, in a batch too. */
export const refusedMethod = 'planner/refused';

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

/**
 * Answers one POST through the SDK: a server and a stateless transport of its own, so that two calls in flight never share state. Resolves
 * when the answer is sent.
 */
export async function answerPost(
  request: IncomingMessage,
  response: ServerResponse,
  tools: ListToolsResult,
  version: string,
  exchange: Exchange,
): Promise<void> {
  const { instructions, refused, call } = exchange;
  const server = new Server(serverInfo(version), {
    capabilities,
    jsonSchemaValidator,
    ...(instructions === undefined ? {} : { instructions }),
  });
  server.setRequestHandler(ListToolsRequestSchema, () => tools);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    return toolResult(await call(params.name, params.arguments ?? {}, params._meta ?? {}));
  });
  server.fallbackRequestHandler = ({ method }, { requestId }) => {
    throw refused.get(requestId) ?? new RpcError(rpcCodes.methodNotFound, `There is no method ${method}.`);
  };
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await server.connect(transport);
  try {
    await transport.handleRequest(request, response, exchange.body);
  } finally {
    await server.close();
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
