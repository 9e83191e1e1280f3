import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import { addCommand } from '../../call/command-line.ts';
import type { CommandOutput, CommonOptions } from '../../call/command-line.ts';
import { confirmService } from '../../service/confirmed-services.ts';
import { SavedKeys, originOf, plainUrl } from '../../machine/saved-keys.ts';
import { requireOwnLocal } from '../../machine/local-ownership.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { RemotePlanner } from '../../service/remote-planner.ts';
import { configFile, readRootConfig } from '../../service/root.ts';
import { checkingResponsesOf, ServiceClient } from '../../service/service-client.ts';
import type { Address } from '../../service/service-client.ts';
import { serviceRunningOver } from '../../call/cli-target.ts';
import { commandRoot, rootAround } from '../../worktrees/command-root.ts';
import type { NewKey } from '../../call/key.ts';

interface LoginOptions extends CommonOptions {
  readonly withKey?: boolean;
  /** --no-browser */
  readonly browser: boolean;
}

/** `login`: creates an owner key for a service and saves it for later commands. */
export function addLoginCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'login [url]',
      isChange: true,
      description:
        "save an owner key for a service in the user's configuration directory, and let this repository use the service if its config.json names it: signs in with the browser where people sign in at an identity provider, else asks for a key",
      examples: ['login', 'login https://plan.example.org', 'login https://plan.example.org --with-key < key.txt'],
      options: (command) =>
        command
          .option('--with-key', 'save the owner key from standard input after checking it')
          .option(
            '--no-browser',
            'print the address to sign in at, for a browser on another machine, and ask for its code',
          ),
    },
    ([url], options: LoginOptions, out) => login(deps, url, options, out),
  );
}

async function login(
  deps: ProgramDeps,
  named: string | undefined,
  options: LoginOptions,
  out: CommandOutput,
): Promise<void> {
  const { configHome, url: fromEnvironment } = deps.environment();
  const kept = new SavedKeys({ ...deps, configHome });
  const { address, root } = await addressToLogIn(
    deps,
    named ?? (options.root === undefined ? fromEnvironment : undefined),
    options,
  );
  const { url } = address;
  const isNamed = root !== undefined && (await namesService(deps, root, url));
  const former = await kept.find(url);
  const isNew = options.withKey === true || former === undefined || !(await isOwnerKey(url, former));
  if (isNew)
    await kept.save(url, options.withKey === true ? await givenKey(deps, url) : await newKey(deps, address, options));
  if (isNamed) await confirmService(deps, root, url);
  out.print({ url: originOf(url), credentials: kept.path, ...(isNamed && { root }) }, [
    isNew
      ? `Logged in to ${originOf(url)}; the key is saved in ${kept.path}.`
      : `You are already logged in to ${originOf(url)}.`,
    ...(isNamed ? [`Commands in ${dirname(root)} use it, as ${configFile(root)} says.`] : []),
  ]);
}

/** Returns whether the config.json of a root names a service, so that logging in to it there confirms it. */
async function namesService({ disk }: ProgramDeps, root: string, url: string): Promise<boolean> {
  const { readRemote } = await import('../../working-copy/remote-setting.ts');
  const { server_url: server } = await readRootConfig(root, disk);
  const named = [server, readRemote(disk, root)?.url];
  return named.some((one) => one !== undefined && URL.parse(one)?.origin === originOf(url));
}

interface ServiceToLogIn {
  readonly address: Address;
  /** The root in which the command is called, if there is one. */
  readonly root: string | undefined;
}

/** The service to log in to, with the owner credential in `local/admin` if it runs over a root of this machine. */
async function addressToLogIn(
  deps: ProgramDeps,
  named: string | undefined,
  options: CommonOptions,
): Promise<ServiceToLogIn> {
  const root =
    named === undefined || options.root !== undefined
      ? await commandRoot(deps, options)
      : await rootAround(deps, deps.workingDirectory, options);
  if (root !== undefined) await requireOwnLocal(deps, root);
  const running = root === undefined ? undefined : await serviceRunningOver(deps, root);
  if (named === undefined) {
    if (running !== undefined) return { address: running, root };
    throw new PlannerError(
      'not_found',
      `No service runs over ${root}: start it with planner serve, or pass the URL of another one. The files themselves need no login.`,
    );
  }
  const url = plainUrl(named);
  const isRunning = running !== undefined && originOf(running.url) === originOf(url);
  return { address: isRunning ? running : { url }, root };
}

/** The key of a service that knows the caller already, else one for which the person signs in. */
async function newKey(deps: ProgramDeps, address: Address, { browser }: LoginOptions): Promise<string> {
  try {
    return await createdKey(address);
  } catch (thrown) {
    if (!(thrown instanceof PlannerError) || thrown.code !== 'unauthorized') throw thrown;
  }
  const { url } = address;
  const { keyByBrowser, signsInByBrowser } = await import('../../login/browser-sign-in.ts');
  const canAsk = deps.askSecret !== undefined;
  if ((browser || canAsk) && (await signsInByBrowser(url)))
    return keyByBrowser(deps, url, { onOtherMachine: !browser });
  if (deps.askSecret !== undefined)
    return checkedKey(
      url,
      await deps.askSecret(`Owner key of ${originOf(url)} (planner keys create makes one there): `),
    );
  throw new PlannerError(
    'unauthorized',
    `${url} requires a credential, and there is no terminal to ask for it. Create a key on its host with planner keys create, and pass it on standard input with --with-key.`,
  );
}

async function createdKey(address: Address): Promise<string> {
  const planner = new RemotePlanner(new ServiceClient(address));
  const input = { kind: 'owner', name: `login from ${hostname()}` };
  return checkingResponsesOf(
    address.url,
    async () => ((await planner.call('create_key', input))['key'] as NewKey).secret,
  );
}

async function givenKey(deps: ProgramDeps, url: string): Promise<string> {
  return checkedKey(url, await deps.input());
}

async function checkedKey(url: string, given: string): Promise<string> {
  const key = given.trim();
  if (await isOwnerKey(url, key)) return key;
  throw new PlannerError(
    'unauthorized',
    `${originOf(url)} does not accept the key as an owner key. Create one on its host with planner keys create.`,
  );
}

/** Returns whether a key is an owner key: only owners may request /service. */
async function isOwnerKey(url: string, key: string): Promise<boolean> {
  if (!/^[\x21-\x7e]{1,500}$/.test(key)) return false;
  try {
    await new ServiceClient({ url, authorization: `Bearer ${key}` }).request('GET', '/service');
    return true;
  } catch (thrown) {
    if (thrown instanceof PlannerError && (thrown.code === 'unauthorized' || thrown.code === 'forbidden')) return false;
    throw thrown;
  }
}
