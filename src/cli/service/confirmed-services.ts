import { dirname } from 'node:path';
import { PlannerError } from '../../base/errors.ts';
import { loopbackHosts } from '../../http/loopback.ts';
import { errorCode } from '../../store/index.ts';
import type { openJson } from '../../store/index.ts';
import type { CliEnvironment } from './cli-environment.ts';
import { unwritableCodes } from '../machine/machine-secret.ts';
import { configFile } from './root.ts';
import { originOf, plainUrl, serviceUrl } from '../machine/saved-keys.ts';
import { openUserJson } from '../machine/user-json.ts';

/**
 * config.json comes with the repository, and on this machine a service takes every caller for its owner: a service that it names gets a
 * request only if this user confirmed it for this root. `services.json` in the user's configuration directory has `{root: [origin, …]}`.
 */
type OriginsByRoot = Record<string, readonly string[]>;

/** The dependencies of a user's confirmations. */
export type Confirmations = Pick<CliEnvironment, 'disk' | 'homeDirectory' | 'environment'>;

/**
 * Returns whether the user confirmed a service for a root: by `planner login` in it, by naming the service to `planner
 * connect`, `push` or `pull`, or by PLANNER_URL. `root`: the `.planner` directory, absolute.
 */
export async function isConfirmed(user: Confirmations, root: string, url: string): Promise<boolean> {
  const { url: named } = user.environment();
  if (named !== undefined && originOf(named) === originOf(url)) return true;
  const { data } = await open(user);
  return originsOf(data, root).includes(originOf(url));
}

/** Throws `unauthorized` unless a service that config.json names is confirmed. */
export async function requireConfirmed(user: Confirmations, root: string, url: string): Promise<void> {
  if (await isConfirmed(user, root, url)) return;
  const shown = plainUrl(url);
  throw new PlannerError(
    'unauthorized',
    `${configFile(root)} names the service ${shown}, and you have not confirmed it for this directory: run planner login ${shown} in ${dirname(root)} if it is the one you mean.`,
  );
}

/** Remembers that the user confirmed a service for a root. If nothing can be stored, a command that needs it says so. */
export async function confirmService(user: Confirmations, root: string, url: string): Promise<void> {
  const file = await open(user);
  const origins = new Set([...originsOf(file.data, root), originOf(url)]);
  const others = Object.entries(file.data).filter(([path]) => path !== root && user.disk.stat(path) !== undefined);
  file.data = Object.fromEntries([...others, [root, [...origins]]]);
  try {
    await file.write();
  } catch (error) {
    if (!unwritableCodes.includes(errorCode(error) ?? '')) throw error;
  }
}

/** Returns whether two URLs mean one service: `localhost` and 127.0.0.1 are the same machine. */
export function isSameService(one: string, other: string): boolean {
  const [a, b] = [serviceUrl(one), serviceUrl(other)];
  const isLocal = loopbackHosts.has(a.hostname) && loopbackHosts.has(b.hostname);
  return a.origin === b.origin || (isLocal && a.protocol === b.protocol && a.port === b.port);
}

function originsOf(data: OriginsByRoot, root: string): readonly string[] {
  return Object.hasOwn(data, root) ? data[root]! : [];
}

function open({ disk, homeDirectory, environment }: Confirmations): ReturnType<typeof openJson<OriginsByRoot>> {
  return openUserJson({
    ...{ disk, place: { homeDirectory, configHome: environment().configHome }, name: 'services.json' },
    isMember: (value): value is readonly string[] =>
      Array.isArray(value) && value.every((origin) => typeof origin === 'string'),
    contents: 'with a list of origins by directory',
  });
}
