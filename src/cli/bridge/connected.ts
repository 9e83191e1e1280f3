import { join } from 'node:path';
import { serviceAddress } from '../../client/fixed-locator.ts';
import type { ServiceAddress } from '../../client/connection.ts';
import { PlannerError } from '../../base/errors.ts';
import { loopbackHosts } from '../../http/loopback.ts';
import { idPattern } from '../../base/ids.ts';
import { errorCode } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import { meaningOf } from '../terminal/system-errors.ts';
import { requireConfirmed } from '../service/confirmed-services.ts';
import type { RootConfig } from '../service/root.ts';
import type { CliEnvironment } from '../service/cli-environment.ts';

/** Reads `.planner/token`, the key that `planner connect` created, or undefined. Symbolic links are not followed. */
export function readToken(root: string, disk: Disk): string | undefined {
  const path = join(root, 'token');
  const unfit = (what: string): PlannerError =>
    new PlannerError('conflict', `${path} ${what}: run planner connect, which creates a new key.`, { path });
  let bytes: Buffer | undefined;
  try {
    bytes = disk.readIfExists(path);
  } catch (error) {
    throw unfit(`cannot be read (${meaningOf(errorCode(error) ?? '')})`);
  }
  const token = bytes?.toString().trim() ?? '';
  if (token === '') return undefined;
  if (/^pln_[\x21-\x7e]+$/.test(token)) return token;
  throw unfit('contains no key');
}

/** The project that config.json binds; undefined if it is not a valid id, since the file is untrusted. */
export function boundProject({ project_id: id }: RootConfig): string | undefined {
  return id !== undefined && idPattern.test(id) ? id : undefined;
}

/**
 * The address of the service in a connected repository's config.json. The file is committed and untrusted, so requests and the key are sent
 * only to a service that the user confirmed for this root. Rejects with `unauthorized` otherwise, and if a required key is missing.
 */
export async function connectedService(
  cli: CliEnvironment,
  root: string,
  config: RootConfig & { readonly server_url: string },
): Promise<ServiceAddress> {
  const file = join(root, 'config.json');
  const names = { url: `server_url in ${file}`, token: join(root, 'token') };
  const address = serviceAddress(config.server_url, readToken(root, cli.disk), names);
  await requireConfirmed(cli, root, address.url);
  const here = loopbackHosts.has(new URL(address.url).hostname);
  if (!here && address.authorization === undefined) {
    throw new PlannerError(
      'unauthorized',
      `There is no key for ${address.url} in ${names.token}: run planner connect, which creates one.`,
    );
  }
  return { ...address, project: boundProject(config) };
}
