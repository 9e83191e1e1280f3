import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { localSigner } from '../../src/cli/local-ownership.ts';
import { readEnvironment } from '../../src/config.ts';
import { startService } from '../../src/service.ts';
import type { Service, ServiceOptions } from '../../src/service.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { McpClient } from './mcp-client.ts';
import type { McpClientOptions } from './mcp-client.ts';
import { memoryDirectory } from './memory.ts';
import { RestClient } from './rest-client.ts';

export type TestServiceOptions = Partial<Omit<ServiceOptions, 'root' | 'host'>> & {
  /**
   * A directory that is there already; it is kept. Default: a temporary one that goes with the service, in memory for tests that are not
   * about files.
   */
  readonly directory?: string;
};

/** The store as the program opens it: files are written in a thread and watched. For tests that are about files. */
export const asServed = { writer: 'thread', watch: true } as const;

/** Starts in 30 ms instead of 170 ms. Files are written in this thread; `store.rescan()` finds external edits. */
const quickly = { writer: 'inline', watch: false } as const;

/** The real service in this process, over real files, on a port of the system's choice. */
export class TestService {
  /** The directory that holds `.planner`. */
  readonly directory: string;
  /** What the service wrote to its log. */
  readonly log: object[] = [];
  rest!: RestClient;
  readonly #options: TestServiceOptions;
  readonly #temporary: boolean;
  #service!: Service;
  #clients: McpClient[] = [];

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const service = new TestService(options);
    await service.#open();
    return service;
  }

  private constructor(options: TestServiceOptions) {
    this.#options = options;
    this.#temporary = options.directory === undefined;
    const place = options.writer === 'thread' ? tmpdir() : memoryDirectory();
    this.directory = options.directory ?? mkdtempSync(join(place, 'planner-service-'));
  }

  get url(): string {
    return this.#service.url;
  }

  get store(): Service['store'] {
    return this.#service.store;
  }

  /** The `.planner` directory. */
  get root(): string {
    return join(this.directory, '.planner');
  }

  /** A new session of the MCP SDK's client; ended with the service. */
  async mcp(options?: McpClientOptions): Promise<McpClient> {
    const client = await McpClient.connect(this.url, options);
    this.#clients.push(client);
    return client;
  }

  /** Creates a project over REST; returns its id. */
  async project(name = 'Plan'): Promise<string> {
    const { status, body } = await this.rest.post('/projects', { name });
    if (status !== 201) throw new Error(`The project was not made: ${JSON.stringify(body)}`);
    return body.id as string;
  }

  /** Ends the service and starts it again over the same files, on another port, with other options if given. `between` is called while it is down. */
  async restart(options: TestServiceOptions = {}, between: () => void = () => undefined): Promise<void> {
    await this.#close();
    between();
    await this.#open(options);
  }

  /** Ends the service and removes its files. */
  async stop(): Promise<void> {
    await this.#close();
    if (this.#temporary) rmSync(this.directory, { recursive: true, force: true });
  }

  async #open(options: TestServiceOptions = {}): Promise<void> {
    this.#service = await startService({
      owner: 'Ada',
      defaultProject: undefined,
      log: (entry) => this.log.push(entry),
      port: 0,
      signLocal: localSigner({ disk: nodeDisk, homeDirectory: homedir(), environment: readEnvironment }, this.root),
      ...quickly,
      ...this.#options,
      ...options,
      root: this.root,
      host: '127.0.0.1',
    });
    this.rest = new RestClient(this.url);
  }

  async #close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.#clients = [];
    await this.#service.close();
  }
}
