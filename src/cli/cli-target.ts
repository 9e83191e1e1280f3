import { join } from 'node:path';
import { networkInterfaces } from 'node:os';
import type { Environment } from '../config.ts';
import { PlannerError } from '../errors.ts';
import { loopbackHosts } from '../http/loopback.ts';
import { errorCode } from '../store/index.ts';
import type { Disk } from '../store/index.ts';
import { SavedKeys, serviceUrl } from './saved-keys.ts';
import { requireOwnLocal } from './local-ownership.ts';
import type { PlannerPort } from './planner-port.ts';
import { RemotePlanner } from './remote-planner.ts';
import { nearestRoot, readRootConfig, rootIn } from './root.ts';
import type { RootConfig } from './root.ts';
import { runningService } from './running-service.ts';
import { checkingResponsesOf, ServiceClient } from './service-client.ts';
import type { Address } from './service-client.ts';

/** What finding the place of a command takes. */
export interface CliEnvironment {
  /** Read when a command needs it, so that what is wrong with it is said like every other error. */
  readonly environment: () => Environment;
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  readonly disk: Disk;
  /** Opens the files of a root where no service runs. */
  readonly openStore: (root: string, config: RootConfig) => Promise<PlannerPort>;
  /** The same on a file system that cannot be written; nothing is changed. */
  readonly openStoreReadOnly: (root: string, config: RootConfig) => Promise<PlannerPort>;
}

/** Where a command works: a service elsewhere, the one that runs over a root, or the root's files. */
export interface CliTarget {
  readonly planner: PlannerPort;
  /** The `.planner` directory, where there is one. */
  readonly root: string | undefined;
  readonly config: RootConfig;
  /** The service's URL; undefined where the files are open in this process. */
  readonly url: string | undefined;
}

export interface TargetOptions {
  /** The command works on a root that cannot be written, too. */
  readonly readOnly?: boolean;
}

/** Opens the place of a command, runs it, and closes the place. `root`: the directory that --root names. */
export async function withTarget<T>(
  cli: CliEnvironment,
  root: string | undefined,
  use: (target: CliTarget) => Promise<T>,
  { readOnly = false }: TargetOptions = {},
): Promise<T> {
  const target = await openTarget(cli, root, readOnly);
  try {
    const { url } = target;
    return await (url === undefined ? use(target) : checkingResponsesOf(url, () => use(target)));
  } finally {
    await target.planner.close();
  }
}

async function openTarget(cli: CliEnvironment, named: string | undefined, readOnly: boolean): Promise<CliTarget> {
  const { environment, disk } = cli;
  const { url } = environment();
  if (named === undefined && url !== undefined) {
    const root = nearestRoot(cli.workingDirectory, disk);
    const config = root === undefined ? {} : await readRootConfig(root, disk);
    const address = await serviceByUrl(cli, url);
    // What a repository binds is a project of its own service, which need not be this one.
    const same = config.server_url !== undefined && serviceUrl(config.server_url).href === serviceUrl(url).href;
    return { planner: remote(address), root, config: same ? config : {}, url: address.url };
  }
  const root = existingRoot(cli, named);
  await requireOwnLocal(cli, root);
  const config = await readRootConfig(root, disk);
  for (let waitedMs = 0; ; waitedMs += retryDelayMs) {
    const address = await configuredService(cli, root, config);
    if (address !== undefined) return { planner: remote(address), root, config, url: address.url };
    try {
      return { planner: await cli.openStore(root, config), root, config, url: undefined };
    } catch (thrown) {
      if (readOnly && errorCode(thrown) === 'EROFS')
        return { planner: await cli.openStoreReadOnly(root, config), root, config, url: undefined };
      if (!isHeldBriefly(thrown) || waitedMs >= waitMsMax) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
  }
}

/** Another command has the files open, or a service is just starting: it ends, or answers, in a moment. */
const waitMsMax = 10_000;
const retryDelayMs = 50;

/** A holder without an address serves nobody. */
function isHeldBriefly(thrown: unknown): boolean {
  if (!(thrown instanceof PlannerError) || thrown.code !== 'conflict') return false;
  const { address, pid } = thrown.details;
  return pid === undefined || address === null;
}

/** The service of a root: the one that its config.json names, or the one that runs over it. */
async function configuredService(cli: CliEnvironment, root: string, config: RootConfig): Promise<Address | undefined> {
  if (config.server_url === undefined) return serviceRunningOver(cli, root);
  const address = await serviceByUrl(cli, config.server_url);
  if (address.authorization !== undefined || loopbackHosts.has(new URL(address.url).hostname)) return address;
  // config.json is committed: whose service it names is this user's to say.
  throw new PlannerError(
    'unauthorized',
    `${join(root, 'config.json')} names the service ${address.url}, and you have not logged in to it: planner login ${address.url}`,
  );
}

function remote(address: Address): PlannerPort {
  return new RemotePlanner(new ServiceClient(address));
}

/** A service by its URL, with the key that this user has for it: PLANNER_MCP_TOKEN for PLANNER_URL, else what `planner login` kept. */
export async function serviceByUrl(cli: CliEnvironment, text: string): Promise<Address> {
  const { environment, disk, homeDirectory } = cli;
  const { url: meant, token, configHome } = environment();
  const url = serviceUrl(text).href.replace(/(?<!\/)\/+$/, '');
  const given = meant !== undefined && token !== undefined && serviceUrl(meant).origin === serviceUrl(text).origin;
  const key = given ? token : await new SavedKeys({ disk, homeDirectory, configHome }).find(url);
  return { url, authorization: key === undefined ? undefined : `Bearer ${key}` };
}

/** The service that runs over a root, with what it takes to be its owner on this machine; undefined where none answers. */
export async function serviceRunningOver(cli: CliEnvironment, root: string): Promise<Address | undefined> {
  const { disk, homeDirectory, environment } = cli;
  const { configHome, access } = environment();
  const kept = new SavedKeys({ disk, homeDirectory, configHome });
  const keptKey = (url: string): Promise<string | undefined> => kept.find(url);
  return runningService(root, disk, { ownAddresses: ownAddresses(), savedKey: keptKey, password: access.password });
}

/** Addresses that reach this machine and no other. */
export function ownAddresses(): ReadonlySet<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
  return new Set([...loopbackHosts, ...addresses, ...addresses.map((address) => `[${address}]`)]);
}

/** The root of a command that never makes one. */
export function existingRoot(
  { environment, workingDirectory, disk }: CliEnvironment,
  named: string | undefined,
): string {
  const directory = named ?? environment().root;
  const path = directory === undefined ? nearestRoot(workingDirectory, disk) : rootIn(directory);
  if (path !== undefined && disk.stat(path)?.kind === 'directory') return path;
  const where = path === undefined ? `in ${workingDirectory} or above it` : `at ${path}`;
  throw new PlannerError(
    'not_found',
    `There is no .planner ${where}. Make one with planner init, or name the directory that holds it with --root.`,
  );
}
