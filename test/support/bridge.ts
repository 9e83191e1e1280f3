import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { pathToFileURL } from 'node:url';
import { builtProgram } from './build.ts';
import { environmentWith } from './child-environment.ts';
import { InProcessCommand } from './in-process.ts';
import { callTool, toolValue } from './mcp-client.ts';
import type { ToolOutcome } from './mcp-client.ts';

export interface BridgeWindowOptions {
  /** The working directory of the bridge. */
  readonly cwd: string;
  /** The arguments after `planner mcp`. */
  readonly argv?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Directories that the client says it works in; absent for a client without roots. */
  readonly roots?: readonly string[];
  readonly name?: string;
}

/** One agent's window: the SDK's own client, and `planner mcp` in this process. */
export class BridgeWindow {
  readonly sdk: Client;

  protected constructor(sdk: Client) {
    this.sdk = sdk;
  }

  static async open(options: BridgeWindowOptions): Promise<BridgeWindow> {
    const { cwd, argv = [], environment } = options;
    const command = new InProcessCommand(['mcp', ...argv], {
      cwd,
      environment: { HOME: cwd, ...environment },
      openInput: true,
    });
    return connect(new BridgeWindow(clientOf(options)), new InProcessTransport(command));
  }

  call(name: string, input: Record<string, unknown> = {}, key?: string): Promise<ToolOutcome> {
    return callTool(this.sdk, name, input, key);
  }

  /** Calls a tool that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any
  async get(name: string, input: Record<string, unknown> = {}): Promise<any> {
    return toolValue(name, await this.call(name, input));
  }

  /** Closes the bridge's input, as a client that ends does, and waits for its end. */
  close(): Promise<void> {
    opened.delete(this);
    return this.sdk.close();
  }
}

/** A window with `planner mcp` in a separate process, which the SDK starts and a test may kill. */
export class BridgeProcess extends BridgeWindow {
  readonly #transport: StdioClientTransport;
  #errors = '';

  private constructor(sdk: Client, transport: StdioClientTransport) {
    super(sdk);
    this.#transport = transport;
    transport.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
  }

  static override async open(options: BridgeWindowOptions): Promise<BridgeProcess> {
    const { cwd, argv = [], environment } = options;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [builtProgram(), 'mcp', ...argv],
      cwd,
      env: environmentWith({ HOME: cwd, ...environment }),
      stderr: 'pipe',
    });
    return connect(new BridgeProcess(clientOf(options), transport), transport);
  }

  get pid(): number {
    return this.#transport.pid!;
  }

  /** The error output of the bridge. */
  get errors(): string {
    return this.#errors;
  }

  /** kill -9 of the bridge. */
  kill(): void {
    process.kill(this.pid, 'SIGKILL');
  }
}

/** The streams of a command in this process, as a client that has started it sees them. */
export class InProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: InProcessCommand;
  readonly #buffer = new ReadBuffer();

  constructor(command: InProcessCommand) {
    this.#command = command;
  }

  start(): Promise<void> {
    this.#command.output.on('data', (chunk: Buffer) => {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage())
        this.onmessage?.(message);
    });
    void this.#command.finished.then(() => this.onclose?.());
    return Promise.resolve();
  }

  send(message: JSONRPCMessage): Promise<void> {
    this.#command.input.write(serializeMessage(message));
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#command.input.end();
    await this.#command.finished;
  }
}

function clientOf({ roots, name = 'window' }: BridgeWindowOptions): Client {
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } };
  const sdk = new Client({ name, version: '1.0.0' }, { capabilities });
  if (roots !== undefined)
    sdk.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href })),
    }));
  return sdk;
}

async function connect<W extends BridgeWindow>(window: W, transport: Transport): Promise<W> {
  opened.add(window);
  await window.sdk.connect(transport);
  return window;
}

const opened = new Set<BridgeWindow>();

/** Closes every window that a test left open. */
export async function closeWindows(): Promise<void> {
  await Promise.all([...opened].map((window) => window.close()));
}
