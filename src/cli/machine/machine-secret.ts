import { dirname, join } from 'node:path';
import { isoTime, systemClock } from '../../base/clock.ts';
import { randomToken } from '../../base/ids.ts';
import { DurableJson, UnreadableFileError, errorCode, removeQuietly, replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import { userDirectory } from './user-directory.ts';
import type { UserDirectoryOptions } from './user-directory.ts';

/** A secret of this user on this machine. It is outside of every root, so no repository can contain it. */
export interface MachineSecret {
  readonly secret: string;
  /** Creation time. A `local/` older than this may have been created by a version that did not sign. */
  readonly createdMs: number;
}

export interface MachineSecretOptions extends UserDirectoryOptions {
  readonly disk: Disk;
}

interface SecretFile {
  readonly secret: string;
  readonly created_at: string;
}

const secretBytes = 32;
/** The directory is not writable (a read-only system, a container without a home), or the file is not readable by this user. */
export const unwritableCodes: readonly string[] = ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ENOSPC', 'EDQUOT'];

export function secretPath(place: UserDirectoryOptions): string {
  return join(userDirectory(place), 'machine-secret.json');
}

/**
 * Returns the secret and creates it if it does not exist; undefined if it cannot be stored. Throws
 * `UnreadableFileError` if the file has other content.
 */
export function machineSecret(place: MachineSecretOptions): MachineSecret | undefined {
  const { disk } = place;
  const path = secretPath(place);
  try {
    return read(disk, path) ?? make(disk, path);
  } catch (error) {
    if (unwritableCodes.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

function read(disk: Disk, path: string): MachineSecret | undefined {
  const found = new DurableJson<Partial<SecretFile>>(disk, path).readNow();
  if (found === null) return undefined;
  const { secret, created_at: at } = found;
  const createdMs = typeof at === 'string' ? Date.parse(at) : NaN;
  if (typeof secret === 'string' && secret.length >= secretBytes && !Number.isNaN(createdMs))
    return { secret, createdMs };
  throw new UnreadableFileError(path, 'it contains no secret');
}

/** If two processes create the secret concurrently, both use the one that was linked first. */
function make(disk: Disk, path: string): MachineSecret | undefined {
  disk.makeDirectory(dirname(path));
  const made: SecretFile = { secret: randomToken(secretBytes), created_at: isoTime(systemClock.now()) };
  const own = `${path}.${randomToken(6)}`;
  replaceFile(disk, own, Buffer.from(`${JSON.stringify(made, null, 2)}\n`), { mode: 0o600 });
  try {
    linkOrRename(disk, own, path);
  } finally {
    removeQuietly(disk, own);
  }
  disk.syncDirectory(dirname(path));
  return read(disk, path);
}

function linkOrRename(disk: Disk, from: string, to: string): void {
  try {
    disk.link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    // The file system has no hard links.
    disk.rename(from, to);
  }
}
