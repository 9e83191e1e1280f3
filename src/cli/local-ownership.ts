import { basename, dirname } from 'node:path';
import type { Environment } from '../config.ts';
import { conflict, PlannerError } from '../errors.ts';
import { isNewLocal } from '../store/index.ts';
import type { Disk, FileStat } from '../store/index.ts';
import { LocalSignatures } from './local-signature.ts';
import { machineSecret, secretPath } from './machine-secret.ts';
import type { MachineSecret, MachineSecretOptions } from './machine-secret.ts';
import { localGitStatus } from './local-git-status.ts';
import type { LocalGitStatus } from './local-git-status.ts';

/** What decides whose a `local/` is. */
export interface LocalOwnershipOptions {
  readonly disk: Disk;
  readonly homeDirectory: string;
  readonly environment: () => Pick<Environment, 'configHome'>;
}

/**
 * Throws `conflict` unless a root's `local/` is this user's own: keys, sign-ins and a journal that came from elsewhere would let their author
 * in. Nothing of it is read before. `root`: the `.planner` directory, absolute.
 *
 * Git must not track it, and must be able to say so. Beyond that it has to be signed with this user's secret, or be older than that: then it
 * may be of a version that did not sign, and is signed now. If no secret can be kept, git alone decides.
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
    // It was moved: from now on a copy that is restored here is recognised too.
    if (!signatures.isSignedHere(secret)) signQuietly(signatures, secret);
    return;
  }
  if (inGit.kind === 'not_installed') throw refusedWithoutGit(root, inGit.path);
  if (secret === undefined) return;
  if (createdMs(local) >= secret.createdMs) throw refusedUnsigned(root);
  signQuietly(signatures, secret);
}

/** What signs a root's `local/` whenever it is made. Does nothing if no secret can be kept. */
export function localSigner(owner: LocalOwnershipOptions, root: string): () => void {
  return () => {
    const secret = machineSecret(secretPlaceOf(owner));
    if (secret !== undefined) new LocalSignatures(owner.disk, root).sign(secret);
  };
}

/**
 * Signs a `local/` because the person says that it is theirs. Throws `conflict` if git tracks it or cannot say, `unavailable` if no secret
 * can be kept.
 */
export async function adoptLocal(owner: LocalOwnershipOptions, root: string): Promise<void> {
  const { disk } = owner;
  if (filledLocal(disk, root) !== undefined) refuseByGit(root, await localGitStatus(`${root}/local`, disk));
  const place = secretPlaceOf(owner);
  const secret = machineSecret(place);
  if (secret === undefined)
    throw new PlannerError(
      'unavailable',
      `${dirname(secretPath(place))} cannot be written, so that nothing can be signed. Set XDG_CONFIG_HOME to a directory that can.`,
    );
  new LocalSignatures(disk, root).sign(secret);
}

function secretPlaceOf({ disk, homeDirectory, environment }: LocalOwnershipOptions): MachineSecretOptions {
  return { disk, homeDirectory, configHome: environment().configHome };
}

/** A root's `local/`; undefined if it has no files, and so says nothing that could be believed. */
function filledLocal(disk: Disk, root: string): FileStat | undefined {
  const local = `${root}/local`;
  const stat = disk.stat(local);
  if (stat === undefined) return undefined;
  if (stat.kind !== 'directory')
    throw conflict(
      `${local} is no directory, but perhaps a symbolic link, and no link is followed here. Remove it; it is made anew.`,
      { path: local },
    );
  return isNewLocal(disk, local) ? undefined : stat;
}

/** A read-only root is believed all the same, and signed once it can be written. */
function signQuietly(signatures: LocalSignatures, secret: MachineSecret): void {
  try {
    signatures.sign(secret);
  } catch {
    // The next command tries again.
  }
}

/** The system's own time: no archive and no checkout sets it. */
function createdMs({ birthtimeMs, ctimeMs }: FileStat): number {
  // 0: the file system has none.
  return birthtimeMs > 0 ? birthtimeMs : ctimeMs;
}

function refuseByGit(root: string, inGit: LocalGitStatus): void {
  const local = `${basename(root)}/local`;
  if (inGit.kind === 'tracked')
    throw conflict(
      `git tracks ${inGit.path}: what lies in local/ is this machine's own, and a repository that brings it could let its author in. ` +
        `Take it out of git (git rm -r --cached ${local}), and remove the directory unless you know that its content is yours.`,
      { path: inGit.path },
    );
  if (inGit.kind === 'unknown')
    throw conflict(
      `Git cannot say whether ${root}/local came with the repository: ${inGit.reason}. Until it can, nothing in it is used. ` +
        `Mend that, or, in a repository of somebody else's, remove ${local}: the plan itself is in projects/.`,
      { path: local },
    );
}

function refusedWithoutGit(root: string, repository: string): PlannerError {
  return conflict(
    `${root}/local may have come with the repository at ${repository}, and git is not installed to say so. Install git; ` +
      `or, if you know that it is yours, run planner adopt --yes; or remove it: the plan itself is in projects/.`,
    { path: `${basename(root)}/local` },
  );
}

function refusedUnsigned(root: string): PlannerError {
  return conflict(
    `${root}/local was not made for you on this machine: it came in an archive, with a copy or a backup, or from another user. ` +
      `It holds keys, sign-ins and a journal, by which its author could be let in. If it is yours, run planner adopt --yes; ` +
      `if not, remove it: the plan itself is in projects/.`,
    { path: `${basename(root)}/local` },
  );
}
