import { join } from 'node:path';
import { loopbackHosts } from '../http/loopback.ts';
import type { Disk } from '../store/disk.ts';
import { DurableJson } from '../store/durable-json.ts';
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
  readonly keptKey?: (url: string) => Promise<string | undefined>;
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
 * the one. A service that wants a credential gets, in this order, `local/admin`, this user's key for it, the password of the environment.
 */
export async function runningService(
  root: string,
  disk: Disk,
  credentials: Credentials = {},
): Promise<Address | undefined> {
  for (const note of [serverFile(root, disk), new HolderNote(disk, root)]) {
    try {
      const file = note.readNow();
      const found = file === null ? undefined : await serviceAt(file, root, disk, credentials);
      if (found !== undefined) return found;
    } catch {
      // A note that cannot be read, or behind which nobody answers, says nothing.
    }
  }
  return undefined;
}

async function serviceAt(
  file: ServerFile,
  root: string,
  disk: Disk,
  credentials: Credentials,
): Promise<Address | undefined> {
  if (!(credentials.ownAddresses ?? loopbackHosts).has(new URL(file.url).hostname)) return undefined;
  for await (const authorization of candidates(root, disk, file.url, credentials)) {
    const address = { url: file.url, authorization };
    const answer = await ask(address);
    if (answer !== 'unauthorized') return answer === file.pid ? address : undefined;
  }
  return undefined;
}

/** What the holder of the root's lock says of itself: `server.json` may be that of a former one, or be gone. */
class HolderNote {
  readonly #file: DurableJson<{ readonly address: string | null; readonly pid: number }>;

  constructor(disk: Disk, root: string) {
    this.#file = new DurableJson(disk, join(root, 'local', 'lock.json'));
  }

  readNow(): ServerFile | null {
    const holder = this.#file.readNow();
    return typeof holder?.address === 'string' ? { url: holder.address, pid: holder.pid } : null;
  }
}

/** The service's pid, or that it wants another credential. Throws where nothing like a service answers. */
async function ask({ url, authorization }: Address): Promise<number | 'unauthorized' | undefined> {
  const response = await fetch(`${url}/api/v1/service`, {
    signal: AbortSignal.timeout(answerMs),
    redirect: 'error',
    headers: authorization === undefined ? {} : { Authorization: authorization },
  });
  const { pid } = (await response.json()) as { pid?: number };
  return response.status === 401 ? 'unauthorized' : pid;
}

async function* candidates(
  root: string,
  disk: Disk,
  url: string,
  { keptKey, password }: Credentials,
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
