import { join } from 'node:path';
import { loopbackHosts } from '../http/loopback.ts';
import { DurableJson, holderOf, isSuspended } from '../store/index.ts';
import type { Disk, LockHolder } from '../store/index.ts';
import type { Address } from './service-client.ts';

/** `local/server.json`: where the service of a root listens. May outlive a service that was killed. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
}

/** What may be shown to a service that asks for a credential. */
export interface Credentials {
  /** Hosts that are this machine itself. Default: loopback. */
  readonly ownAddresses?: ReadonlySet<string>;
  /** The key that this user has kept for a service, if any. */
  readonly savedKey?: (url: string) => Promise<string | undefined>;
  /** PLANNER_AUTH_PASSWORD. */
  readonly password?: string | undefined;
}

const answerMs = 5_000;

export function serverFile(root: string, disk: Disk): DurableJson<ServerFile> {
  return new DurableJson<ServerFile>(disk, join(root, 'local', 'server.json'), { mode: 0o600 });
}

/**
 * The service that has a root open, and what makes the caller its owner; undefined where none answers. The file may be anybody's (a
 * repository can bring a `local/`), and the port may be another program's by now: only a service on this machine that says the same pid is
 * the one, and, where the root's lock has a note, bears the name of that holding. A service that wants a credential gets, in this order,
 * `local/admin`, this user's key for it, the password of the environment.
 */
export async function runningService(
  root: string,
  disk: Disk,
  credentials: Credentials = {},
): Promise<Address | undefined> {
  const holder = holderOf(readQuietly(new DurableJson<unknown>(disk, join(root, 'local', 'lock.json'))));
  if (holder !== null && isSuspended(disk, holder)) return undefined;
  const asked = new Set<string>();
  for (const note of [readQuietly(serverFile(root, disk)), addressOfHolder(holder)]) {
    try {
      const key = JSON.stringify([note?.url, note?.pid]);
      if (note === null || asked.has(key)) continue;
      asked.add(key);
      const found = await serviceAt(note, holder?.instance, root, disk, credentials);
      if (found !== undefined) return found;
    } catch {
      // Nobody answers there.
    }
  }
  return undefined;
}

/** What cannot be read says nothing. */
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
): Promise<Address | undefined> {
  if (!(credentials.ownAddresses ?? loopbackHosts).has(new URL(file.url).hostname)) return undefined;
  for await (const authorization of candidates(root, disk, file.url, credentials)) {
    const address = { url: file.url, authorization };
    const answer = await identify(address);
    if (answer === 'unauthorized') continue;
    // Every container has a process of pid 1: whoever holds the lock says by what name it can be told.
    const isIt = answer.pid === file.pid && (instance === undefined || answer.instance === instance);
    return isIt ? address : undefined;
  }
  return undefined;
}

/** What the holder of the root's lock says of itself: `server.json` may be that of a former one, or be gone. */
function addressOfHolder(holder: LockHolder | null): ServerFile | null {
  return holder?.address == null ? null : { url: holder.address, pid: holder.pid };
}

interface Identity {
  readonly pid?: number;
  readonly instance?: string;
}

/** Who answers there, or that it wants another credential. Throws where nothing like a service does. */
async function identify({ url, authorization }: Address): Promise<Identity | 'unauthorized'> {
  const response = await fetch(`${url}/api/v1/service`, {
    signal: AbortSignal.timeout(answerMs),
    redirect: 'error',
    headers: authorization === undefined ? {} : { Authorization: authorization },
  });
  const identity = (await response.json()) as Identity;
  return response.status === 401 ? 'unauthorized' : identity;
}

async function* candidates(
  root: string,
  disk: Disk,
  url: string,
  { savedKey: keptKey, password }: Credentials,
): AsyncGenerator<string | undefined> {
  const admin = disk
    .readIfThere(join(root, 'local', 'admin'))
    ?.toString()
    .trim();
  if (admin !== undefined && admin !== '') yield `Bearer ${admin}`;
  yield undefined;
  const key = await keptKey?.(url);
  if (key !== undefined) yield `Bearer ${key}`;
  if (password !== undefined) yield `Basic ${Buffer.from(`planner:${password}`).toString('base64')}`;
}
