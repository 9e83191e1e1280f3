import { PlannerError } from '../../base/errors.ts';
import { loopbackHosts } from '../../http/loopback.ts';
import type { CliEnvironment } from '../service/cli-environment.ts';
import { serviceByUrl } from '../call/cli-target.ts';
import { requireConfirmed } from '../service/confirmed-services.ts';
import { RemotePlanner } from '../service/remote-planner.ts';
import { ServiceClient } from '../service/service-client.ts';

/** The service of a working copy that config.json names. Rejects with `unauthorized` unless the user confirmed it for this root. */
export async function configuredRemote(cli: CliEnvironment, root: string, url: string): Promise<RemotePlanner> {
  await requireConfirmed(cli, root, url);
  return remoteService(cli, url);
}

/** A service that the user named, with their key for it. Rejects with `unauthorized` if they have not logged in to it. */
export async function remoteService(cli: CliEnvironment, url: string): Promise<RemotePlanner> {
  const address = await serviceByUrl(cli, url);
  if (address.authorization !== undefined || loopbackHosts.has(new URL(address.url).hostname))
    return new RemotePlanner(new ServiceClient(address));
  throw new PlannerError(
    'unauthorized',
    `You have not logged in to ${address.url}: run planner login ${address.url} if you trust it.`,
  );
}
