import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { environmentWith } from './child-environment.ts';
import { callTool, toolValue } from './mcp-client.ts';
import type { ToolOutcome } from './mcp-client.ts';
import { repository } from './server-process.ts';

export interface BridgeWindowOptions {
  /** Where the client starts the bridge. */
  readonly cwd: string;
  /** Behind `planner mcp`. */
  readonly argv?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Directories that the client says it works in; absent for a client that says none. */
  readonly roots?: readonly string[];
  readonly name?: string;
}

/** One agent's window: the SDK's own client, and `planner mcp` in a process of its own that it has started. */
export class BridgeWindow {
  readonly sdk: Client;
  readonly #transport: StdioClientTransport;
  #said = '';

  private constructor(sdk: Client, transport: StdioClientTransport) {
    this.sdk = sdk;
    this.#transport = transport;
    transport.stderr?.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
  }

  static async open({
    cwd,
    argv = [],
    environment = {},
    roots,
    name = 'window',
  }: BridgeWindowOptions): Promise<BridgeWindow> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(repository, 'src/main.ts'), 'mcp', ...argv],
      cwd,
      env: environmentWith({ HOME: cwd, ...environment }),
      stderr: 'pipe',
    });
    const capabilities = roots === undefined ? {} : { roots: { listChanged: true } };
    const sdk = new Client({ name, version: '1.0.0' }, { capabilities });
    if (roots !== undefined)
      sdk.setRequestHandler(ListRootsRequestSchema, () => ({
        roots: roots.map((path) => ({ uri: pathToFileURL(path).href })),
      }));
    const window = new BridgeWindow(sdk, transport);
    opened.add(window);
    await sdk.connect(transport);
    return window;
  }

  /** The bridge's process. */
  get pid(): number {
    return this.#transport.pid!;
  }

  /** What the bridge wrote beside the protocol. */
  get said(): string {
    return this.#said;
  }

  call(name: string, input: Record<string, unknown> = {}, key?: string): Promise<ToolOutcome> {
    return callTool(this.sdk, name, input, key);
  }

  /** Calls a tool that must succeed. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async get(name: string, input: Record<string, unknown> = {}): Promise<any> {
    return toolValue(name, await this.call(name, input));
  }

  /** kill -9 of the bridge. */
  kill(): void {
    process.kill(this.pid, 'SIGKILL');
  }

  /** Closes the bridge's input, as a client that ends does, and waits for its end. */
  close(): Promise<void> {
    opened.delete(this);
    return this.sdk.close();
  }
}

const opened = new Set<BridgeWindow>();

/** Closes every window that a test left open. */
export async function closeWindows(): Promise<void> {
  await Promise.all([...opened].map((window) => window.close()));
}
