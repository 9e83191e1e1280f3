import { basename, dirname, normalize, sep } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import { PlannerError } from '../../base/errors.ts';
import { errorCode } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';

/** The object that the system rejected. */
interface Rejected {
  readonly code: string;
  readonly syscall: string;
  readonly path: string;
  readonly disk: Disk;
}

/** The problem at a path and its remedy, by the code of the system. */
const messages: Readonly<Record<string, (rejected: Rejected) => string>> = {
  EACCES: denied,
  EPERM: denied,
  ENOTDIR: ({ path, disk }) => {
    const file = lastThere(path, disk);
    const whole = normalize(path).replace(/(.)[/\\]$/, '$1');
    if (whole === file) return `${file} is not a directory: name one.`;
    const remedy = whole.split(sep).includes('.planner')
      ? 'name the directory that contains .planner'
      : 'name another place';
    return `${file} is not a directory, so nothing can be at ${path}: ${remedy}.`;
  },
  EISDIR: ({ path }) => `${path} is a directory, and a file is needed there: name a file, or remove the directory.`,
  ENOENT: ({ path, disk }) => {
    if (isThere(path, disk)) return `No file can be made in ${path}: name another place.`;
    const missing = firstMissing(path, disk);
    const need = missing === path ? '' : `, which ${path} needs`;
    return `There is no ${missing}${need}: create it, or name another place.`;
  },
  EINVAL: ({ path }) => `${path} cannot be used as a file: name a regular one.`,
  EEXIST: ({ path }) => `${path} is there already: remove it, or name another place.`,
  ENOTEMPTY: ({ path }) => `The directory ${path} is not empty: empty it, or name another place.`,
  ELOOP: ({ path }) => `${path} is a symbolic link, which is not followed: replace it by what it names.`,
  ENAMETOOLONG: ({ path }) => `The name ${path} is too long for this file system: choose a shorter one.`,
  ENOSPC: ({ path }) => `There is no space left for ${path}: free some, and try again. No acknowledged change is lost.`,
  EDQUOT: ({ path }) =>
    `Your quota leaves no space for ${path}: free some, and try again. No acknowledged change is lost.`,
  EBUSY: ({ path }) => `Another program uses ${path}: close it, and try again.`,
  ETXTBSY: ({ path }) => `Another program uses ${path}: close it, and try again.`,
  EMFILE: ({ path }) => `Too many files are open to open ${path}: raise the limit (ulimit -n), and try again.`,
  ENFILE: ({ path }) => `Too many files are open on this machine to open ${path}: close programs, and try again.`,
  EIO: ({ path }) => `The disk cannot read or write ${path}: check it, and restore the file from git or a backup.`,
  EROFS: ({ path }) =>
    `${path} is on a read-only file system, and Planner writes its lock and journal to .planner/local. Make it writable; planner doctor checks the files without writing.`,
};

/**
 * An error of the system as a message for people: the path, the problem there, and its remedy. Undefined for any other
 * error, and for a system error without a path, which is a defect.
 */
export function systemError(thrown: unknown, disk: Disk): PlannerError | undefined {
  const code = errorCode(thrown);
  const { syscall, path, dest, address, port, message } = (thrown ?? {}) as NodeJS.ErrnoException & {
    readonly dest?: string;
    readonly address?: string;
    readonly port?: number;
  };
  if (code === undefined || syscall === undefined) return undefined;
  if (syscall.startsWith('spawn')) return new PlannerError('unavailable', spawnMessage(message, code));
  const given = dest ?? path;
  if (given !== undefined) {
    // If the system refuses a temporary file, the problem is its directory: the temporary name is ours.
    const isOurs = temporaryName.test(basename(given));
    const place = isOurs ? dirname(given) : given;
    const known = messages[code]?.({ code, syscall: isOurs ? 'mkdir' : syscall, path: place, disk });
    return new PlannerError(codes[code] ?? 'conflict', known ?? `${place} cannot be used: ${meaningOf(code)}.`, {
      path: place,
    });
  }
  if (address === undefined) return code === 'ENOSPC' || code === 'EDQUOT' ? full() : undefined;
  return new PlannerError('unavailable', `${address}:${port ?? ''} cannot be used: ${meaningOf(code)}.`);
}

/** The name that `replaceFile` writes a file under first. */
const temporaryName = /^\.\d+-\d+\.tmp$/;

const codes: Readonly<Record<string, 'unavailable' | 'forbidden'>> = {
  EROFS: 'unavailable',
  ENOSPC: 'unavailable',
  EDQUOT: 'unavailable',
  EIO: 'unavailable',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
};

/** Writing to a file that is open: the system does not name it. */
function full(): PlannerError {
  return new PlannerError(
    'unavailable',
    'The disk has no space left: free some, and try again. No acknowledged change is lost.',
  );
}

function spawnMessage(message: string, code: string): string {
  // Node's own begins with the call: `spawn /bin/x EACCES`.
  const what = message.startsWith('spawn ') ? message.replace(/^spawn /, '').replace(/ E[A-Z0-9]+$/, '') : undefined;
  return what === undefined
    ? `${message}: install it, or add its directory to PATH.`
    : `${what} cannot be started: ${meaningOf(code)}.`;
}

const writingCalls = new Set(['mkdir', 'rename', 'unlink', 'rmdir', 'link', 'ftruncate', 'chmod', 'copyfile', 'utime']);

function denied({ syscall, path, disk }: Rejected): string {
  const verb = writingCalls.has(syscall) ? 'write' : 'use';
  const place = lastThere(path, disk);
  const owner = disk.stat(place)?.uid;
  const user = process.getuid?.();
  const whose =
    owner === undefined || user === undefined || owner === user
      ? ''
      : `; ${place} belongs to another user (id ${owner})`;
  return `You may not ${verb} ${path}${whose}. Let its owner allow it (chmod, chown), run the command as that user, or name another directory with --root.`;
}

/** The deepest part of a path that is there and can be seen. */
function lastThere(path: string, disk: Disk): string {
  for (let at = path; ; at = dirname(at)) if (isThere(at, disk) || dirname(at) === at) return at;
}

/** The part of a path that is missing first. */
function firstMissing(path: string, disk: Disk): string {
  for (let at = path; ; at = dirname(at)) if (dirname(at) === at || isThere(dirname(at), disk)) return at;
}

function isThere(path: string, disk: Disk): boolean {
  try {
    return disk.stat(path) !== undefined;
  } catch {
    return false;
  }
}

const descriptions = new Map([...getSystemErrorMap().values()].map(([code, description]) => [code, description]));

/** The system's description of a code: `the file is too large`. */
export function meaningOf(code: string): string {
  return descriptions.get(code) ?? code;
}
