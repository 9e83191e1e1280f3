import { dirname, join } from 'node:path';
import type { BridgeLocator } from '../../bridge/bridge.ts';
import type { ServiceAddress } from '../../client/connection.ts';
import { FixedLocator, serviceAddress } from '../../client/fixed-locator.ts';
import type { ServiceLocator } from '../../client/session.ts';
import { abortable } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import type { Disk } from '../../store/index.ts';
import { forPeople } from '../terminal/error-lines.ts';
import { ownServiceAt } from '../call/cli-target.ts';
import { requireOwnLocal } from '../machine/local-ownership.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { readRootConfig, rootIn } from '../service/root.ts';
import { commandRoot, rootAround } from '../worktrees/command-root.ts';
import type { RootOptions } from '../worktrees/command-root.ts';
import { findRoot } from '../worktrees/shared-root.ts';
import { boundProject, connectedService, readToken } from './connected.ts';
import { RootLocator } from './root-locator.ts';

/**
 * Finds the service for `planner mcp`. In this order: the root of --root, the service of PLANNER_URL, the root of PLANNER_ROOT, a root in or
 * above the client's roots, a root in or above the working directory. The first one found is kept; until then each call searches again. It
 * never creates a root.
 */
export class McpLocator implements BridgeLocator {
  readonly #deps: ProgramDeps;
  readonly #options: RootOptions;
  readonly #roots: () => Promise<readonly string[]>;
  #finding: Promise<ServiceLocator> | undefined;
  #found: ServiceLocator | undefined;
  #stopped = false;
  /** The last address that was found. */
  #last: ServiceAddress | undefined;
  /** Where its key is, and how to replace it. */
  #key = '';

  /** `roots`: lists the client's roots. */
  constructor(deps: ProgramDeps, options: RootOptions, roots: () => Promise<readonly string[]>) {
    this.#deps = deps;
    this.#options = options;
    this.#roots = roots;
  }

  get dependsOnRoots(): boolean {
    const { url, root } = this.#deps.environment();
    const { root: named, own } = this.#options;
    return named === undefined && url === undefined && (root === undefined || own === true);
  }

  async needsRoots(): Promise<boolean> {
    if (!this.dependsOnRoots || this.#found !== undefined) return false;
    const { disk, workingDirectory } = this.#deps;
    return (await findRoot(disk, workingDirectory, this.#options)) === undefined;
  }

  async locate(signal: AbortSignal | undefined): Promise<ServiceAddress> {
    if (this.#stopped) throw new PlannerError('unavailable', 'planner mcp is shutting down.');
    try {
      return (this.#last = await (await this.#locator(signal)).locate(signal));
    } catch (thrown) {
      throw asReadableError(thrown, this.#deps.disk);
    }
  }

  invalidate(address: ServiceAddress): void {
    this.#found?.invalidate(address);
  }

  explain(error: PlannerError): PlannerError {
    if (error.code !== 'unauthorized' || this.#last?.authorization === undefined) return error;
    return new PlannerError('unauthorized', `The service does not accept the key in ${this.#key}`, error.details);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#found instanceof RootLocator) this.#found.stop();
  }

  async close(): Promise<void> {
    this.stop();
    const found = await this.#finding?.catch(() => undefined);
    if (found instanceof RootLocator) await found.close();
  }

  async #locator(signal: AbortSignal | undefined): Promise<ServiceLocator> {
    this.#finding ??= this.#find();
    const finding = this.#finding;
    try {
      return (this.#found = await abortable(finding, signal));
    } catch (thrown) {
      // The user may create a root or log in: the next call searches again.
      if (this.#finding === finding && signal?.aborted !== true) this.#finding = undefined;
      throw thrown;
    }
  }

  async #find(): Promise<ServiceLocator> {
    const { url } = this.#deps.environment();
    this.#key = 'PLANNER_MCP_TOKEN: it was revoked, or is of another service. planner keys create --agent makes one.';
    if (this.#options.root === undefined && url !== undefined)
      return new FixedLocator(await this.#serviceOfEnvironment(url));
    const root = await this.#findRoot();
    this.#key = `${join(root, 'token')}: it was revoked, or its project is gone. Run planner connect, which makes a new one.`;
    await requireOwnLocal(this.#deps, root);
    const { server_url: server, ...config } = await readRootConfig(root, this.#deps.disk);
    if (server === undefined || (await ownServiceAt(this.#deps, root, server)) !== undefined)
      return new RootLocator(this.#deps, root, this.#options.own);
    return new FixedLocator(await connectedService(this.#deps, root, { ...config, server_url: server }));
  }

  /** The service of PLANNER_URL. A repository's project is used only if the repository is bound to the same service. */
  async #serviceOfEnvironment(url: string): Promise<ServiceAddress> {
    const { disk, environment, workingDirectory } = this.#deps;
    const address = serviceAddress(url, environment().token, { url: 'PLANNER_URL', token: 'PLANNER_MCP_TOKEN' });
    const root = (await findRoot(disk, workingDirectory, this.#options))?.root;
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
    const { disk, workingDirectory } = this.#deps;
    if (!this.dependsOnRoots) return commandRoot(this.#deps, this.#options);
    const roots = await this.#roots();
    // A client root that contains a .planner takes precedence over one with a .planner in a parent directory.
    const here = roots
      .map((path) => rootIn(path, workingDirectory))
      .find((root) => disk.stat(root)?.kind === 'directory');
    for (const directory of [...(here === undefined ? [] : [dirname(here)]), ...roots, workingDirectory]) {
      const root = await rootAround(this.#deps, directory, this.#options);
      if (root !== undefined) return root;
    }
    const places = [...new Set([...roots, workingDirectory])].join(' or ');
    throw new PlannerError(
      'not_found',
      `There is no .planner in ${places}, nor above. Create one with planner connect, or set --root or PLANNER_ROOT to the directory that contains it, or use a service with PLANNER_URL and PLANNER_MCP_TOKEN.`,
    );
  }
}

/** Converts errors of opening a root into `PlannerError`, so that the client gets their message. */
function asReadableError(thrown: unknown, disk: Disk): unknown {
  const readable = forPeople(thrown, disk);
  if (readable === undefined || readable instanceof PlannerError) return readable ?? thrown;
  return new PlannerError('conflict', readable.message);
}
