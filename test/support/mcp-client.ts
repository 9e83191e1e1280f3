import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** A tool's result as tests read it. */
export interface ToolOutcome {
  readonly isError: boolean;
  // Tests read results of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly value: any;
}

export interface McpClientOptions {
  readonly name?: string;
  /** Takes up a session by its id, as a client does that outlived the service. */
  readonly session?: string;
  /** Headers of every request: a credential. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A real client of the MCP SDK in a session of its own. */
export class McpClient {
  readonly sdk: Client;
  readonly transport: StreamableHTTPClientTransport;

  private constructor(sdk: Client, transport: StreamableHTTPClientTransport) {
    this.sdk = sdk;
    this.transport = transport;
  }

  static async connect(url: string, options: McpClientOptions = {}): Promise<McpClient> {
    const { name = 'tester', session, headers } = options;
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      ...(session === undefined ? {} : { sessionId: session }),
      ...(headers === undefined ? {} : { requestInit: { headers } }),
    });
    const sdk = new Client({ name, version: '1.0.0' });
    await sdk.connect(transport);
    return new McpClient(sdk, transport);
  }

  get session(): string | undefined {
    return this.transport.sessionId;
  }

  /** Calls a tool. `key` is its idempotency key. Throws for a response that is no tool result. */
  call(name: string, input: Record<string, unknown> = {}, key?: string): Promise<ToolOutcome> {
    return callTool(this.sdk, name, input, key);
  }

  /** Calls a tool that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async get(name: string, input: Record<string, unknown> = {}): Promise<any> {
    return toolValue(name, await this.call(name, input));
  }

  close(): Promise<void> {
    return this.sdk.close();
  }
}

/** The headers that every POST to /mcp has. */
export const mcpHeaders = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
} as const;

/** A POST to /mcp without any client: for what no client would send. */
export async function rawMcp(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...mcpHeaders, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Calls a tool by the SDK's client, over whatever it is connected by. */
export async function callTool(
  sdk: Client,
  name: string,
  input: Record<string, unknown>,
  key: string | undefined,
): Promise<ToolOutcome> {
  const result = await sdk.callTool({
    name,
    arguments: input,
    ...(key === undefined ? {} : { _meta: { 'planner/key': key } }),
  });
  return { isError: result.isError === true, value: result.structuredContent };
}

/** The answer of a tool that must succeed. */
// oxlint-disable-next-line typescript/no-explicit-any
export function toolValue(name: string, { isError, value }: ToolOutcome): any {
  if (isError) throw new Error(`${name} answered ${JSON.stringify(value)}`);
  return value;
}
