import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { localSigner } from '../../src/cli/machine/local-ownership.ts';
import { readEnvironment } from '../../src/base/config.ts';
import { startService } from '../../src/main/service.ts';
import { startHostedService } from '../../src/main/hosted-service.ts';
import { SimulatedLog, SimulatedLogServer } from '../store/log/simulated-log.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { MemorySnapshots } from './memory-snapshots.ts';
import type { Service, ServiceOptions } from '../../src/main/service.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { McpClient } from './mcp-client.ts';
import type { McpClientOptions } from './mcp-client.ts';
import { aboutFiles, isHosted } from './hosted-mode.ts';
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

/**
 * Files are written and watched as the program does, but in this thread: the start of the two threads takes twelve
 * times the processor time of the rest. For tests about files, but not about events while a thread writes or watches.
 */
export const watched = { writer: 'inline', watch: true } as const;

/** Starts in 30 ms instead of 170 ms. Files are written in this thread; `store.rescan()` finds external edits. */
const quickly = { writer: 'inline', watch: false } as const;

/** The real service in this process, over real files, on a port of the system's choice. */
export class TestService {
  /** The service's log entries. */
  readonly log: object[] = [];
  readonly #options: TestServiceOptions;
  readonly #temporary: boolean;
  readonly #directory: string;
  #service: Service | undefined;
  #rest: RestClient | undefined;
  #clients: McpClient[] = [];
  readonly #server = new SimulatedLogServer();
  readonly #blobs = new MemoryBlobs((sha) => this.#server.blobs.add(sha));
  readonly #snapshots = new MemorySnapshots();

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const service = new TestService(options);
    await service.#open();
    return service;
  }

  private constructor(options: TestServiceOptions) {
    this.#options = options;
    this.#temporary = options.directory === undefined;
    const place = options.writer === 'thread' ? tmpdir() : memoryDirectory();
    this.#directory = options.directory ?? mkdtempSync(join(place, 'planner-service-'));
  }

  /** The directory that holds `.planner`. */
  get directory(): string {
    return isHosted ? aboutFiles() : this.#directory;
  }

  get url(): string {
    return this.#opened.url;
  }

  get rest(): RestClient {
    return this.#rest ?? aboutFiles();
  }

  get store(): Service['store'] {
    return isHosted ? hostedStore(this.#opened.store) : this.#opened.store;
  }

  /** The `.planner` directory. */
  get root(): string {
    return isHosted ? aboutFiles() : join(this.#directory, '.planner');
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
    if (this.#temporary) rmSync(this.#directory, { recursive: true, force: true });
  }

  async #open(options: TestServiceOptions = {}): Promise<void> {
    if (isHosted) return this.#openHosted({ ...this.#options, ...options });
    this.#service = await startService({
      owner: 'Ada',
      defaultProject: undefined,
      log: (entry) => this.log.push(entry),
      port: 0,
      signLocal: localSigner(
        { disk: nodeDisk, homeDirectory: homedir(), environment: readEnvironment },
        join(this.#directory, '.planner'),
      ),
      ...quickly,
      ...this.#options,
      ...options,
      root: join(this.#directory, '.planner'),
      host: '127.0.0.1',
    });
    this.#rest = new RestClient(this.url);
  }

  get #opened(): Service {
    return this.#service ?? aboutFiles();
  }

  async #openHosted(options: TestServiceOptions): Promise<void> {
    const { clock = systemClock } = options;
    if (isOfFiles(options)) return;
    const now = (): number => clock.now();
    const log = new SimulatedLog(this.#server, { now });
    const service = await startHostedService({
      ...{ owner: 'Ada', defaultProject: undefined, port: 0, ...options },
      ...{ host: '127.0.0.1', log: (entry) => this.log.push(entry) },
      storage: {
        ...{ log, answers: log.answers, revisions: log.revisions, texts: log.texts },
        ...{ blobs: this.#blobs, snapshots: this.#snapshots },
        close: () => log.close(),
      },
      // A test that moves the wall clock means time that has passed.
      clock: { ...clock, now, monotonic: now },
    });
    this.#service = service as unknown as Service;
    this.#rest = new RestClient(this.url);
  }

  async #close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.#clients = [];
    await this.#service?.close();
  }
}

/** Returns whether a service is for a test about files: any use of it skips the test. */
function isOfFiles({ directory, disk, writer, claims, remoteKeys, migrations }: TestServiceOptions): boolean {
  return [directory, disk, writer, claims, remoteKeys, migrations].some((option) => option !== undefined);
}

/** A store without files: there is nothing to flush; whatever else only a store over files has is about files. */
function hostedStore(store: Service['store']): Service['store'] {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'flush') return () => Promise.resolve();
      const member: unknown = Reflect.get(target, name, target);
      if (member === undefined) return aboutFiles();
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
