import type { BridgePlace } from '../../bridge/bridge.ts';
import type { ServiceAddress } from '../../client/connection.ts';
import { FixedPlace, serviceAddress } from '../../client/fixed-place.ts';
import { abortable } from '../../client/session.ts';
import type { ServicePlace } from '../../client/session.ts';
import { PlannerError } from '../../errors.ts';
import { JournalCorruptError, UnreadableFileError } from '../../store/index.ts';
import { requireOwnLocal } from '../own-local.ts';
import type { ProgramParts } from '../parts.ts';
import { nearestRoot, readRootConfig, rootIn } from '../root.ts';
import { rootThere } from '../workplace.ts';
import { boundProject, connectedService, readToken } from './connected.ts';
import { RootPlace } from './root-place.ts';

/**
 * What `planner mcp` works on: the root that --root names, the service of PLANNER_URL, the root of PLANNER_ROOT, of the client's roots, of the
 * working directory upwards. What was found first stays; while nothing is found each call looks again. No root is ever made.
 */
export class McpPlace implements BridgePlace {
  readonly #parts: ProgramParts;
  readonly #named: string | undefined;
  readonly #roots: () => Promise<readonly string[]>;
  #finding: Promise<ServicePlace> | undefined;
  #found: ServicePlace | undefined;
  #stopped = false;

  /** `named`: the directory of --root. `roots`: those of the client. */
  constructor(parts: ProgramParts, named: string | undefined, roots: () => Promise<readonly string[]>) {
    this.#parts = parts;
    this.#named = named;
    this.#roots = roots;
  }

  get dependsOnRoots(): boolean {
    const { url, root } = this.#parts.environment();
    return this.#named === undefined && url === undefined && root === undefined;
  }

  async reach(signal: AbortSignal | undefined): Promise<ServiceAddress> {
    if (this.#stopped) throw new PlannerError('unavailable', 'planner mcp is ending.');
    try {
      return await (await this.#place(signal)).reach(signal);
    } catch (thrown) {
      throw asTold(thrown);
    }
  }

  lost(address: ServiceAddress): void {
    this.#found?.lost(address);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#found instanceof RootPlace) this.#found.stop();
  }

  async close(): Promise<void> {
    this.stop();
    const found = await this.#finding?.catch(() => undefined);
    if (found instanceof RootPlace) await found.close();
  }

  async #place(signal: AbortSignal | undefined): Promise<ServicePlace> {
    this.#finding ??= this.#find();
    const finding = this.#finding;
    try {
      return (this.#found = await abortable(finding, signal));
    } catch (thrown) {
      // A root may be made, a login may be done: the next call looks again.
      if (this.#finding === finding && signal?.aborted !== true) this.#finding = undefined;
      throw thrown;
    }
  }

  async #find(): Promise<ServicePlace> {
    const { url } = this.#parts.environment();
    if (this.#named === undefined && url !== undefined) return new FixedPlace(await this.#meantService(url));
    const root = await this.#findRoot();
    await requireOwnLocal(this.#parts, root);
    const { server_url: server, ...config } = await readRootConfig(root, this.#parts.disk);
    if (server === undefined) return new RootPlace(this.#parts, root);
    return new FixedPlace(await connectedService(this.#parts, root, { ...config, server_url: server }));
  }

  /** The service of PLANNER_URL. What a repository binds is a project of its own service, which need not be this one. */
  async #meantService(url: string): Promise<ServiceAddress> {
    const { disk, environment, workingDirectory } = this.#parts;
    const address = serviceAddress(url, environment().token, { url: 'PLANNER_URL', token: 'PLANNER_MCP_TOKEN' });
    const root = nearestRoot(workingDirectory, disk);
    const config = root === undefined ? {} : await readRootConfig(root, disk);
    if (root === undefined || config.server_url === undefined) return address;
    const names = { url: 'server_url', token: 'token' };
    if (serviceAddress(config.server_url, undefined, names).url !== address.url) return address;
    const project = boundProject(config);
    if (address.authorization !== undefined) return { ...address, project };
    const token = readToken(root, disk);
    return { ...address, project, authorization: token && `Bearer ${token}` };
  }

  async #findRoot(): Promise<string> {
    const { disk } = this.#parts;
    if (!this.dependsOnRoots) return rootThere(this.#parts, this.#named);
    const roots = await this.#roots();
    // One that holds a plan itself goes before one that lies somewhere below another.
    const here = roots.map(rootIn).find((root) => disk.stat(root)?.kind === 'directory');
    return (
      here ??
      roots.map((path) => nearestRoot(path, disk)).find((root) => root !== undefined) ??
      this.#byDirectory(roots)
    );
  }

  #byDirectory(roots: readonly string[]): string {
    const { workingDirectory, disk } = this.#parts;
    const found = nearestRoot(workingDirectory, disk);
    if (found !== undefined) return found;
    const places = [...new Set([...roots, workingDirectory])].join(' or ');
    throw new PlannerError(
      'not_found',
      `There is no .planner in ${places}, nor above. Make one with planner init, or name the directory that holds it with --root or PLANNER_ROOT, or a service with PLANNER_URL and PLANNER_MCP_TOKEN.`,
    );
  }
}

/** A root that cannot be opened is told of like any other error. */
function asTold(thrown: unknown): unknown {
  const forPeople = thrown instanceof UnreadableFileError || thrown instanceof JournalCorruptError;
  return forPeople ? new PlannerError('conflict', thrown.message) : thrown;
}
