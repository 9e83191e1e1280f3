import { systemClock } from '../../src/base/clock.ts';
import { openTransports } from '../../src/main/transports.ts';
import type { Transports } from '../../src/main/transports.ts';
import { catalogue, ItemWorld, schemas, validator } from './items.ts';
import { McpClient } from './mcp-client.ts';
import { RestClient } from './rest-client.ts';

/** The transports over the small catalogue of `items.ts`, listening on a port of the system's choice. */
export class ItemService {
  readonly world = new ItemWorld();
  /** The service's log entries. */
  readonly log: Readonly<Record<string, unknown>>[] = [];
  defaultProject: string | undefined;
  rest!: RestClient;
  url!: string;
  #transports!: Transports;
  #clients: McpClient[] = [];

  async start(): Promise<this> {
    await this.world.open();
    this.#transports = await openTransports({
      store: this.world.store,
      catalogue,
      schemas: {
        validator,
        schema: (definition) => schemas[definition]!,
        toolSchema: (definition) => schemas[definition]!,
      },
      clock: systemClock,
      log: (entry) => this.log.push(entry),
      version: '1.2.3',
      owner: 'Ada',
      defaultProject: this.defaultProject,
      host: '127.0.0.1',
      port: 0,
      storeMetrics: () => Promise.resolve({ projects: 0, problems: 0, writable: true }),
      serviceRoutes: [{ method: 'GET', path: '/health', answer: () => ({ ok: true }) }],
    });
    this.url = this.#transports.url;
    this.rest = new RestClient(this.url);
    return this;
  }

  /** Ends the service and opens it again over the same files. */
  async restart(): Promise<void> {
    await this.#end();
    await this.start();
  }

  async mcp(options?: { name?: string; session?: string }): Promise<McpClient> {
    const client = await McpClient.connect(this.url, options);
    this.#clients.push(client);
    return client;
  }

  /** Makes a project with one item in it. */
  async plan(name = 'Plan'): Promise<{ project: string; item: string }> {
    const project = (await this.rest.post('/projects', { name })).body.id as string;
    const item = (await this.rest.post(`/projects/${project}/items`, { label: 'First' })).body.id as string;
    return { project, item };
  }

  async stop(): Promise<void> {
    await this.#end();
    this.world.remove();
  }

  async #end(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.#clients = [];
    await this.#transports.close();
    await this.world.close();
  }
}
