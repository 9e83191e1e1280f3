import { PlannerError } from '../../errors.ts';
import { loopbackHosts } from '../../http/loopback.ts';
import type { CliEnvironment } from '../cli-environment.ts';
import { serviceByUrl } from '../cli-target.ts';
import { RemotePlanner } from '../remote-planner.ts';
import { ServiceClient } from '../service-client.ts';

/**
 * The service of a working copy, with the user's key for it. Rejects with `unauthorized` if the user has not logged in to
 * it: its URL may come from config.json, which comes with the repository.
 */
export async function remoteService(cli: CliEnvironment, url: string): Promise<RemotePlanner> {
  const address = await serviceByUrl(cli, url);
  if (address.authorization !== undefined || loopbackHosts.has(new URL(address.url).hostname))
    return new RemotePlanner(new ServiceClient(address));
  throw new PlannerError(
    'unauthorized',
    `You have not logged in to ${address.url}: run planner login ${address.url} if you trust it.`,
  );
}
