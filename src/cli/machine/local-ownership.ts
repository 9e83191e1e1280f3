import { basename, dirname } from 'node:path';
import type { Environment } from '../../base/config.ts';
import { conflict, PlannerError } from '../../base/errors.ts';
import { isNewLocal } from '../../store/index.ts';
import type { Disk, FileStat } from '../../store/index.ts';
import { LocalSignatures } from './local-signature.ts';
import { machineSecret, secretPath } from './machine-secret.ts';
import type { MachineSecret, MachineSecretOptions } from './machine-secret.ts';
import { localGitStatus } from '../git/local-git-status.ts';
import type { LocalGitStatus } from '../git/local-git-status.ts';

/** Dependencies of the ownership check of `local/`. */
export interface LocalOwnershipOptions {
  readonly disk: Disk;
  readonly homeDirectory: string;
  readonly environment: () => Pick<Environment, 'configHome'>;
}

/**
 * Throws `conflict` unless a root's `local/` was created for this user: keys, sign-ins and a journal from elsewhere
 * would give their author access. Nothing in `local/` is read before. `root`: the `.planner` directory, absolute.
 *
 * Git must not track it, and git must be able to check. In addition, it must be signed with this user's secret or be
 * older than the secret: then a version that did not sign may have created it, and it is signed now. If no secret can
 * be stored, only git decides.
 */
export async function requireOwnLocal(owner: LocalOwnershipOptions, root: string): Promise<void> {
  const { disk } = owner;
  const local = filledLocal(disk, root);
  if (local === undefined) return;
  const inGit = await localGitStatus(`${root}/local`, disk);
  refuseByGit(root, inGit);
  const secret = machineSecret(secretPlaceOf(owner));
  const signatures = new LocalSignatures(disk, root);
  if (secret !== undefined && signatures.isSigned(secret)) {
    // The root was moved: a signature for the new path also covers a copy that is restored here later.
    if (!signatures.isSignedHere(secret)) signQuietly(signatures, secret);
    return;
  }
  if (inGit.kind === 'not_installed') throw refusedWithoutGit(root, inGit.path);
  if (secret === undefined) return;
  if (createdMs(local) >= secret.createdMs) throw refusedUnsigned(root);
  signQuietly(signatures, secret);
}

/** Returns a function that signs a root's `local/` when it is created. It does nothing if no secret can be stored. */
export function localSigner(owner: LocalOwnershipOptions, root: string): () => void {
  return () => {
    const secret = machineSecret(secretPlaceOf(owner));
    if (secret !== undefined) new LocalSignatures(owner.disk, root).sign(secret);
  };
}

/**
 * Signs a `local/` that the user declares to be theirs. Throws `conflict` if git tracks it or cannot check, `unavailable` if no secret can be
 * stored.
 */
export async function adoptLocal(owner: LocalOwnershipOptions, root: string): Promise<void> {
  const { disk } = owner;
  if (filledLocal(disk, root) !== undefined) refuseByGit(root, await localGitStatus(`${root}/local`, disk));
  const place = secretPlaceOf(owner);
  const secret = machineSecret(place);
  if (secret === undefined)
    throw new PlannerError(
      'unavailable',
      `${dirname(secretPath(place))} is not writable, so local/ cannot be signed. Set XDG_CONFIG_HOME to a writable directory.`,
    );
  new LocalSignatures(disk, root).sign(secret);
}

function secretPlaceOf({ disk, homeDirectory, environment }: LocalOwnershipOptions): MachineSecretOptions {
  return { disk, homeDirectory, configHome: environment().configHome };
}

/** The stat of a root's `local/`; undefined if it contains no state that could be trusted. */
function filledLocal(disk: Disk, root: string): FileStat | undefined {
  const local = `${root}/local`;
  const stat = disk.stat(local);
  if (stat === undefined) return undefined;
  if (stat.kind !== 'directory')
    throw conflict(`${local} is not a directory (symbolic links are not followed). Remove it; it is created again.`, {
      path: local,
    });
  return isNewLocal(disk, local) ? undefined : stat;
}

/** A read-only root is accepted without the new signature, and signed once it is writable. */
function signQuietly(signatures: LocalSignatures, secret: MachineSecret): void {
  try {
    signatures.sign(secret);
  } catch {
    // The next command retries.
  }
}

/** Creation time as the file system recorded it: neither an archive nor a checkout can set it. */
function createdMs({ birthtimeMs, ctimeMs }: FileStat): number {
  // 0: the file system does not record it.
  return birthtimeMs > 0 ? birthtimeMs : ctimeMs;
}

function refuseByGit(root: string, inGit: LocalGitStatus): void {
  const local = `${basename(root)}/local`;
  if (inGit.kind === 'tracked')
    throw conflict(
      `git tracks ${inGit.path}: local/ contains the state of one machine, and a repository that contains it could give its author access. ` +
        `Remove it from git (git rm -r --cached ${local}), and delete the directory unless you know that its content is yours.`,
      { path: inGit.path },
    );
  if (inGit.kind === 'unknown')
    throw conflict(
      `Git cannot check whether ${root}/local came with the repository: ${inGit.reason}. Until it can, local/ is not used. ` +
        `Correct that, or, if the repository is not yours, remove ${local}: the plan itself is in projects/.`,
      { path: local },
    );
}

function refusedWithoutGit(root: string, repository: string): PlannerError {
  return conflict(
    `${root}/local may have come with the repository at ${repository}, and git, which could check this, is not installed. Install git; ` +
      `or, if you know that it is yours, run planner adopt --yes; or remove it: the plan itself is in projects/.`,
    { path: `${basename(root)}/local` },
  );
}

function refusedUnsigned(root: string): PlannerError {
  return conflict(
    `${root}/local was not created for you on this machine: it came from an archive, a copy, a backup or another user. ` +
      `It contains keys, sign-ins and a journal, which could give its author access. If it is yours, run planner adopt --yes; ` +
      `if not, remove it: the plan itself is in projects/.`,
    { path: `${basename(root)}/local` },
  );
}
