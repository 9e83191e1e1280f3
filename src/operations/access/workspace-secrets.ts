import { isoTime } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import { randomToken } from '../../base/ids.ts';
import type { ServiceCollectionSpec, StoredRecord } from '../../store/index.ts';
import type { Transactions } from '../declaration/transactions.ts';

interface Secret extends StoredRecord {
  readonly secret: string;
}

/** The service collection of secrets that all nodes of a service use. */
export const workspaceSecretCollection = {
  name: 'workspace_secrets',
  placement: 'service',
} as const satisfies ServiceCollectionSpec;

const { name: collection } = workspaceSecretCollection;
const secretBytes = 32;

/** The secret with this name, which the first node that asks for it makes: base64url. */
export async function workspaceSecret(
  // The store does not depend on the collections of projects.
  // oxlint-disable-next-line typescript/no-explicit-any
  store: Pick<Transactions<any>, 'readService' | 'updateService'>,
  clock: Clock,
  name: string,
): Promise<string> {
  // A change waits for all projects, on which its refusal may depend.
  const present = await store.readService((records) => records.get<Secret>(collection, name)?.secret);
  if (present !== undefined) return present;
  return store.updateService({ author: 'system', source: 'system' }, (tx) => {
    const known = tx.get<Secret>(collection, name);
    if (known !== undefined) return known.secret;
    const at = isoTime(clock.now());
    const secret = randomToken(secretBytes);
    tx.put<Secret>(collection, { id: name, created_at: at, updated_at: at, secret });
    return secret;
  });
}
