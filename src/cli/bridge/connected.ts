import { join } from 'node:path';
import { serviceAddress } from '../../client/fixed-locator.ts';
import type { ServiceAddress } from '../../client/connection.ts';
import { PlannerError } from '../../errors.ts';
import { loopbackHosts } from '../../http/loopback.ts';
import { idPattern } from '../../ids.ts';
import { errorCode } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import { SavedKeys } from '../saved-keys.ts';
import type { RootConfig } from '../root.ts';
import type { CliEnvironment } from '../cli-target.ts';

/** `.planner/token`: the key that `planner connect` made, undefined where there is none. No link is followed. */
export function readToken(root: string, disk: Disk): string | undefined {
  const path = join(root, 'token');
  const unfit = (what: string): PlannerError =>
    new PlannerError('conflict', `${path} ${what}: run planner connect, which makes the key anew.`, { path });
  let bytes: Buffer | undefined;
  try {
    bytes = disk.readIfThere(path);
  } catch (error) {
    throw unfit(`cannot be read (${errorCode(error) ?? (error as Error).message})`);
  }
  const token = bytes?.toString().trim() ?? '';
  if (token === '') return undefined;
  if (/^pln_[\x21-\x7e]+$/.test(token)) return token;
  throw unfit('holds no key');
}

/** The project that config.json binds. It is somebody else's text: what no id can be is none. */
export function boundProject({ project_id: id }: RootConfig): string | undefined {
  return id !== undefined && idPattern.test(id) ? id : undefined;
}

/**
 * The service elsewhere that a connected repository names. config.json is committed: the key goes only to this machine, or to a service that
 * this user has logged in to. Throws `unauthorized` otherwise, and where a key is needed and none is there.
 */
export async function connectedService(
  { environment, disk, homeDirectory }: CliEnvironment,
  root: string,
  config: RootConfig & { readonly server_url: string },
): Promise<ServiceAddress> {
  const file = join(root, 'config.json');
  const names = { url: `server_url in ${file}`, token: join(root, 'token') };
  const address = serviceAddress(config.server_url, readToken(root, disk), names);
  const here = loopbackHosts.has(new URL(address.url).hostname);
  const kept = new SavedKeys({ disk, homeDirectory, configHome: environment().configHome });
  if (!here && (await kept.find(address.url)) === undefined) {
    throw new PlannerError(
      'unauthorized',
      `${file} names the service ${address.url}, and you have not logged in to it: planner login ${address.url}. Without a login, set PLANNER_URL and PLANNER_MCP_TOKEN.`,
    );
  }
  if (!here && address.authorization === undefined) {
    throw new PlannerError(
      'unauthorized',
      `There is no key for ${address.url} in ${names.token}: run planner connect, which makes one.`,
    );
  }
  return { ...address, project: boundProject(config) };
}
