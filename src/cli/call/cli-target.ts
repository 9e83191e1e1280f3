import { networkInterfaces } from 'node:os';
import { loopbackHosts } from '../../http/loopback.ts';
import { errorCode } from '../../store/index.ts';
import { isConfirmed, isSameService, requireConfirmed } from '../service/confirmed-services.ts';
import { databaseOf } from './database.ts';
import { whenFree } from '../terminal/held-briefly.ts';
import { SavedKeys, plainUrl, serviceUrl } from '../machine/saved-keys.ts';
import { requireOwnLocal } from '../machine/local-ownership.ts';
import { noRoot } from '../service/no-root.ts';
import type { CliEnvironment } from '../service/cli-environment.ts';
import type { PlannerPort } from '../service/planner-port.ts';
import { RemotePlanner } from '../service/remote-planner.ts';
import { nearestRoot, readRootConfig, rootIn } from '../service/root.ts';
import type { RootConfig } from '../service/root.ts';
import { runningService } from '../service/running-service.ts';
import type { RunningAddress } from '../service/running-service.ts';
import { checkingResponsesOf, ServiceClient } from '../service/service-client.ts';
import type { Address } from '../service/service-client.ts';
import { commandRoot } from '../worktrees/command-root.ts';
import type { RootOptions } from '../worktrees/command-root.ts';
import { findRoot } from '../worktrees/shared-root.ts';

/** The target of a command: a service by URL, the service that runs over a root, or the root's files. */
export interface CliTarget {
  readonly planner: PlannerPort;
  /** The `.planner` directory, if there is one. */
  readonly root: string | undefined;
  readonly config: RootConfig;
  /** The service's URL; undefined if the files are open in this process. */
  readonly url: string | undefined;
}

export interface TargetOptions {
  /** The command also works on a read-only file system. */
  readonly readOnly?: boolean;
}

/** Opens the target of a command, runs the command and closes the target. */
export async function withTarget<T>(
  cli: CliEnvironment,
  chosen: RootOptions,
  use: (target: CliTarget) => Promise<T>,
  { readOnly = false }: TargetOptions = {},
): Promise<T> {
  const target = await openTarget(cli, chosen, readOnly);
  try {
    const { url } = target;
    return await (url === undefined ? use(target) : checkingResponsesOf(url, () => use(target)));
  } finally {
    await target.planner.close();
  }
}

async function openTarget(cli: CliEnvironment, chosen: RootOptions, readOnly: boolean): Promise<CliTarget> {
  const { environment, disk } = cli;
  const database = databaseOf(cli, chosen);
  if (database !== undefined)
    return { planner: await cli.openDatabase(database), root: undefined, config: {}, url: undefined };
  const { url } = environment();
  if (chosen.root === undefined && url !== undefined) {
    const root = (await findRoot(disk, cli.workingDirectory, chosen))?.root;
    const config = root === undefined ? {} : await readRootConfig(root, disk);
    const address = await serviceByUrl(cli, url);
    // A repository binds a project of its own service, which may differ from PLANNER_URL.
    const same = config.server_url !== undefined && serviceUrl(config.server_url).href === serviceUrl(url).href;
    return { planner: remote(address), root, config: same ? config : {}, url: address.url };
  }
  const root = await commandRoot(cli, chosen);
  await requireOwnLocal(cli, root);
  const config = withOwn(await readRootConfig(root, disk), chosen);
  return whenFree(async () => {
    const address = await serviceOf(cli, root, config);
    if (address !== undefined) return { planner: remote(address), root, config, url: address.url };
    try {
      return { planner: await cli.openStore(root, config), root, config, url: undefined };
    } catch (thrown) {
      if (!readOnly || !['EROFS', 'EACCES', 'EPERM'].includes(errorCode(thrown) ?? '')) throw thrown;
      return { planner: await cli.openStoreReadOnly(root, config), root, config, url: undefined };
    }
  });
}

/** The settings of a root as --own changes them. */
function withOwn(config: RootConfig, { own }: RootOptions): RootConfig {
  return own === true ? { ...config, worktrees: 'own' } : config;
}

/** The service of a root: the one in its config.json, or the one that runs over it. */
export async function serviceOf(cli: CliEnvironment, root: string, config: RootConfig): Promise<Address | undefined> {
  const { server_url: named } = config;
  if (named === undefined) return serviceRunningOver(cli, root);
  const own = await ownServiceAt(cli, root, named);
  if (own !== undefined) return own;
  await requireConfirmed(cli, root, named);
  return serviceByUrl(cli, named);
}

/**
 * The service that runs over a root if config.json names it without a confirmation, which a service on this machine
 * does not need; else undefined.
 */
export async function ownServiceAt(cli: CliEnvironment, root: string, named: string): Promise<Address | undefined> {
  if (await isConfirmed(cli, root, named)) return undefined;
  const running = await serviceRunningOver(cli, root);
  return running !== undefined && isSameService(running.url, named) ? running : undefined;
}

function remote(address: Address): PlannerPort {
  return new RemotePlanner(new ServiceClient(address));
}

/** A service by URL, with the user's key for it: PLANNER_MCP_TOKEN for PLANNER_URL, else the key that `planner login` saved. */
export async function serviceByUrl(cli: CliEnvironment, text: string): Promise<Address> {
  const { environment, disk, homeDirectory } = cli;
  const { url: meant, token, configHome } = environment();
  const url = plainUrl(text);
  const given = meant !== undefined && token !== undefined && serviceUrl(meant).origin === serviceUrl(text).origin;
  const key = given ? token : await new SavedKeys({ disk, homeDirectory, configHome }).find(url);
  return { url, authorization: key === undefined ? undefined : `Bearer ${key}` };
}

/**
 * The service that runs over a root, with a credential of its owner on this machine; undefined if no service responds.
 */
export async function serviceRunningOver(cli: CliEnvironment, root: string): Promise<RunningAddress | undefined> {
  const { disk, homeDirectory, environment } = cli;
  const { configHome, access } = environment();
  const kept = new SavedKeys({ disk, homeDirectory, configHome });
  const keptKey = (url: string): Promise<string | undefined> => kept.find(url);
  return runningService(root, disk, { ownAddresses: ownAddresses(), savedKey: keptKey, password: access.password });
}

/** Host names and addresses of this machine. */
export function ownAddresses(): ReadonlySet<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  return new Set([...loopbackHosts, ...addresses, ...addresses.map((address) => `[${address}]`)]);
}

/** The root of a command that works on the files of its own worktree. Throws `not_found` if there is no root. */
export function existingRoot(
  { environment, workingDirectory, disk }: CliEnvironment,
  named: string | undefined,
): string {
  const directory = named ?? environment().root;
  const path = directory === undefined ? nearestRoot(workingDirectory, disk) : rootIn(directory, workingDirectory);
  if (path !== undefined && disk.stat(path)?.kind === 'directory') return path;
  const where = path === undefined ? `in ${workingDirectory} or above it` : `at ${path}`;
  throw noRoot(where);
}
