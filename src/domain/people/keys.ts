import { invalid, notFound } from '../../base/errors.ts';
import { projectCodeOf, randomId, randomToken } from '../../base/ids.ts';
import type { ServiceTx, ServiceReadTransaction } from '../../store/index.ts';
import type { CreateKeyInput, Key } from '../records/collections.ts';
import { recordWithSecret, digestOf, secretBytes, secretIndex } from './secrets.ts';
import type { SecretRecord } from './secrets.ts';
import { endSignInsOf } from './sign-ins.ts';

/** A credential of a program or of an agent. The service does not store its secret. */
export interface KeyRecord extends SecretRecord {
  /** `owner`: everything. `agent`: one project, without deleting content. */
  readonly kind: 'owner' | 'agent';
  /** The author in revisions. */
  readonly name: string;
  /** The project of an agent key. */
  readonly project: string | null;
}

/** The service collection of keys, as declared to the store. */
export const keyCollection = {
  name: 'keys',
  placement: 'service',
  indexes: { ...secretIndex, project: ({ project }: KeyRecord) => project ?? undefined },
} as const;

const secretPattern = /^pln_(?:owner|agent)_[A-Za-z0-9_-]{43}$/;

/** A new key with its secret, which is returned only once. */
export interface MadeKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

/**
 * Creates a key at `now` (ISO). Throws `invalid_argument` for an agent key without an existing project, and for an owner key with one.
 */
export function createKey(
  tx: ServiceTx,
  { kind, name = kind, project_id: project }: CreateKeyInput,
  { now, hasProject }: { readonly now: string; readonly hasProject: (id: string) => boolean },
): MadeKey {
  if (kind === 'owner' && project !== undefined)
    throw invalid('project_id', 'An owner key gives access to all projects: omit project_id, or create an agent key.');
  if (kind === 'agent' && project === undefined)
    throw invalid('project_id', 'An agent key gives access to one project: project_id is required.');
  if (project !== undefined && !hasProject(project))
    throw invalid('project_id', `There is no project with the id ${JSON.stringify(project)}.`);
  const secret = `pln_${kind}_${newSecret(project)}`;
  const key = tx.put<KeyRecord>(keyCollection.name, {
    id: randomId('key'),
    created_at: now,
    updated_at: now,
    kind,
    name: name.trim(),
    project: project ?? null,
    secret_sha256: digestOf(secret),
  });
  return { key, secret };
}

/**
 * The secret of an agent's key begins with the code of its project, so that a balancer in front of several nodes knows the
 * node that the project is at. Its other 37 characters have 222 bits.
 */
function newSecret(project = ''): string {
  const code = projectCodeOf(project) ?? '';
  return `${code}${randomToken(secretBytes).slice(code.length)}`;
}

/** Every key by created_at, id. */
export function listKeys(service: ServiceReadTransaction): KeyRecord[] {
  return [...service.list<KeyRecord>(keyCollection.name)];
}

/** Revokes a key, and the sign-ins that it started. Throws `not_found`. */
export function revokeKey(tx: ServiceTx, id: string): void {
  if (keyById(tx, id) === undefined) throw notFound('key', id);
  tx.remove(keyCollection.name, id);
  endSignInsOf(tx, id);
}

/** Revokes the keys of a deleted project. */
export function revokeKeysOf(tx: ServiceTx, project: string): void {
  for (const { id } of tx.by<KeyRecord>(keyCollection.name, 'project', project)) revokeKey(tx, id);
}

/** The key with this secret; undefined for one that is unknown or revoked. */
export function keyWith(service: ServiceReadTransaction, secret: string): KeyRecord | undefined {
  return secretPattern.test(secret) ? recordWithSecret<KeyRecord>(service, keyCollection.name, secret) : undefined;
}

export function keyById(service: ServiceReadTransaction, id: string): KeyRecord | undefined {
  return service.get<KeyRecord>(keyCollection.name, id);
}

/** A key in the form for its owner. */
export function showKey({ id, kind, name, project, created_at, updated_at }: KeyRecord): Key {
  return { id, kind, name, project_id: project, created_at, updated_at };
}
