import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The MCP client of an agent: the SDK's, over Streamable HTTP, in one session. */
export class Agent {
  readonly name: string;
  readonly #client: Client;

  private constructor(name: string, client: Client) {
    this.name = name;
    this.#client = client;
  }

  static async connect(url: string, name: string): Promise<Agent> {
    const client = new Client({ name, version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL('/mcp/', url));
    await client.connect(transport);
    return new Agent(name, client);
  }

  /** The service's instructions for clients. */
  get instructions(): string {
    return this.#client.getInstructions() ?? '';
  }

  async tools(): Promise<string[]> {
    const { tools } = await this.#client.listTools();
    return tools.map(({ name }) => name);
  }

  /** Calls a tool and returns its structured content. Throws with the service's message on a tool error. */
  async call<T>(tool: string, input: Record<string, unknown> = {}): Promise<T> {
    const { isError, structuredContent, content } = await this.#client.callTool({ name: tool, arguments: input });
    if (isError === true) throw new Error(`${tool}: ${JSON.stringify(structuredContent ?? content)}`);
    return structuredContent as T;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
