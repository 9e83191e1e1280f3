import { join } from 'node:path';
import { httpRequest, textOf } from '../../client/http-request.ts';
import { loopbackHosts } from '../../http/loopback.ts';
import { DurableJson, isSuspended } from '../../store/index.ts';
import type { Disk, LockHolder } from '../../store/index.ts';
import { holderIn } from './root-holder.ts';
import type { Address } from './service-client.ts';

/** `local/server.json`: the address of a root's service. It remains if the service is killed. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
  /** A random name of this note. */
  readonly written?: string;
}

/** The address of a running service, and its description of itself. */
export interface RunningAddress extends Address {
  readonly version: string | undefined;
  /** True if `planner mcp` runs it; undefined for a version that does not report it. */
  readonly embedded: boolean | undefined;
}

/** Credentials that may be sent to a service that requires one. */
export interface Credentials {
  /** Host names and addresses of this machine. Default: loopback. */
  readonly ownAddresses?: ReadonlySet<string>;
  /** The key that the user saved for a service, if any. */
  readonly savedKey?: (url: string) => Promise<string | undefined>;
  /** PLANNER_AUTH_PASSWORD. */
  readonly password?: string | undefined;
}

const answerMs = 5_000;

export function serverFile(root: string, disk: Disk): DurableJson<ServerFile> {
  return new DurableJson<ServerFile>(disk, join(root, 'local', 'server.json'), { mode: 0o600 });
}

/**
 * The service that has a root open, and a credential that makes the caller its owner; undefined if no service responds.
 * The file is untrusted (a repository can contain a `local/`), and another program may use the port by now. So the
 * service must be on this machine and report the same pid and, if the root's lock names an instance, the same instance.
 * If it requires a credential, these are tried in order: `local/admin`, the user's saved key, the password of the
 * environment.
 */
export async function runningService(
  root: string,
  disk: Disk,
  credentials: Credentials = {},
): Promise<RunningAddress | undefined> {
  const holder = holderIn(disk, root);
  if (holder !== null && isSuspended(disk, holder)) return undefined;
  const tried = new Set<string>();
  for (const note of [readQuietly(serverFile(root, disk)), addressOfHolder(holder)]) {
    try {
      const key = JSON.stringify([note?.url, note?.pid]);
      if (note === null || tried.has(key)) continue;
      tried.add(key);
      const found = await serviceAt(note, holder?.instance, root, disk, credentials);
      if (found !== undefined) return found;
    } catch {
      // No service responds at this address.
    }
  }
  return undefined;
}

/** Returns null if the file cannot be read. */
function readQuietly<T>(file: DurableJson<T>): T | null {
  try {
    return file.readNow();
  } catch {
    return null;
  }
}

async function serviceAt(
  file: ServerFile,
  instance: string | undefined,
  root: string,
  disk: Disk,
  credentials: Credentials,
): Promise<RunningAddress | undefined> {
  if (!(credentials.ownAddresses ?? loopbackHosts).has(new URL(file.url).hostname)) return undefined;
  for await (const authorization of candidates(root, disk, file.url, credentials)) {
    const address = { url: file.url, authorization };
    const answer = await identify(address);
    if (answer === 'unauthorized') continue;
    // Pids are ambiguous, since every container has a process with pid 1: the lock names the instance.
    const isIt = answer.pid === file.pid && (instance === undefined || answer.instance === instance);
    return isIt ? { ...address, version: answer.version, embedded: answer.embedded } : undefined;
  }
  return undefined;
}

/** The address in the root's lock: `server.json` may be missing or left by an earlier service. */
function addressOfHolder(holder: LockHolder | null): ServerFile | null {
  return holder?.address == null ? null : { url: holder.address, pid: holder.pid };
}

interface Identity {
  readonly version?: string;
  readonly embedded?: boolean;
  readonly pid?: number;
  readonly instance?: string;
}

/** Requests the identity of a service. Throws if the response is not from a service. */
async function identify({ url, authorization }: Address): Promise<Identity | 'unauthorized'> {
  const response = await httpRequest(`${url}/api/v1/service`, {
    signal: AbortSignal.timeout(answerMs),
    headers: authorization === undefined ? {} : { Authorization: authorization },
  });
  const identity = JSON.parse(await textOf(response)) as Identity;
  return response.status === 401 ? 'unauthorized' : identity;
}

async function* candidates(
  root: string,
  disk: Disk,
  url: string,
  { savedKey: keptKey, password }: Credentials,
): AsyncGenerator<string | undefined> {
  const admin = disk
    .readIfExists(join(root, 'local', 'admin'))
    ?.toString()
    .trim();
  if (admin !== undefined && admin !== '') yield `Bearer ${admin}`;
  yield undefined;
  const key = await keptKey?.(url);
  if (key !== undefined) yield `Bearer ${key}`;
  if (password !== undefined) yield `Basic ${Buffer.from(`planner:${password}`).toString('base64')}`;
}
