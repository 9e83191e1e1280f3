import { basename, isAbsolute, relative, sep } from 'node:path';
import { invalid, PlannerError } from '../../../base/errors.ts';
import { type Disk, errorCode, type FileStat, openFlags } from './disk.ts';
import { linkedPart } from './linked-path.ts';

const pieceBytes = 256 * 1024;

/** A file of this machine, opened when its pieces are read. */
export interface LocalFile {
  readonly filename: string;
  /** Throws after this many bytes if the file grows during it. */
  pieces(): IterableIterator<Uint8Array>;
}

/**
 * Files outside the root that a caller on the same machine may name. Only regular files inside the folder that a
 * project is bound to, not through a symbolic link, and no name or directory that begins with a dot: settings, keys,
 * `.git` and `.planner` must not be readable.
 */
export class LocalFiles {
  readonly #disk: Disk;
  readonly #base: string;

  /** `base` is the directory that contains `.planner`, absolute. */
  constructor(disk: Disk, base: string) {
    this.#disk = disk;
    this.#base = base;
  }

  /**
   * `folder` is the project's folder_path, relative to the directory that contains `.planner`; `path` is relative to
   * that folder, or absolute. Throws `invalid_argument` at `member` for a file that may not be read or is not a regular
   * file, `payload_too_large` above `bytesMax`.
   */
  open(folder: string, path: string, bytesMax: number, member: string): LocalFile {
    const top = folder === '.' ? this.#base : `${this.#base}/${folder}`;
    const inside = (isAbsolute(path) ? relative(top, path) : path).split(sep).join('/');
    const wrong = (reason: string): PlannerError =>
      invalid(
        member,
        `${member} ${reason}. Name a regular file inside the project's folder_path (${folder}), or send content_base64.`,
      );
    const parts = inside.split('/');
    if (isAbsolute(inside) || parts.includes('..')) throw wrong('leads out of the folder');
    if (parts.some((part) => part === '' || part.startsWith('.')))
      throw wrong('has a name that begins with a dot, or an empty one');
    // oxlint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\\]/.test(inside)) throw wrong('contains a backslash or a control character');
    const whole = folder === '.' ? inside : `${folder}/${inside}`;
    const stat = this.#look(whole, wrong);
    if (stat.size > bytesMax) throw tooLarge(member, bytesMax);
    return { filename: basename(inside), pieces: () => this.#pieces(whole, bytesMax, member, wrong) };
  }

  #look(path: string, wrong: (reason: string) => PlannerError): FileStat {
    const { linked, stat } = this.#stat(path, wrong);
    if (linked !== undefined) throw wrong(`leads through ${linked}, which is a symbolic link or not a file`);
    if (stat === undefined) throw wrong('names a file that does not exist');
    if (stat.kind !== 'file') throw wrong('names a directory');
    return stat;
  }

  #stat(
    path: string,
    wrong: (reason: string) => PlannerError,
  ): { linked: string | undefined; stat: FileStat | undefined } {
    try {
      return { linked: linkedPart(this.#disk, this.#base, path), stat: this.#disk.stat(`${this.#base}/${path}`) };
    } catch (error) {
      // A file instead of a directory, or a name that is too long.
      throw wrong(`cannot be read (${errorCode(error) ?? 'ERROR'})`);
    }
  }

  *#pieces(
    path: string,
    bytesMax: number,
    member: string,
    wrong: (reason: string) => PlannerError,
  ): IterableIterator<Uint8Array> {
    const fd = this.#open(path, wrong);
    try {
      // Verify after opening that the path still leads to the opened file and not through a link.
      const [opened, seen] = [this.#disk.statOpen(fd), this.#look(path, wrong)];
      if (opened.kind !== 'file' || opened.ino !== seen.ino || opened.dev !== seen.dev)
        throw wrong('was changed meanwhile');
      for (let at = 0; ;) {
        const piece = this.#disk.readAt(fd, at, pieceBytes);
        if (piece.length === 0) return;
        at += piece.length;
        if (at > bytesMax) throw tooLarge(member, bytesMax);
        yield piece;
      }
    } finally {
      this.#disk.close(fd);
    }
  }

  #open(path: string, wrong: (reason: string) => PlannerError): number {
    try {
      return this.#disk.open(`${this.#base}/${path}`, openFlags.read);
    } catch (error) {
      throw wrong(`cannot be opened (${errorCode(error) ?? 'ERROR'})`);
    }
  }
}

function tooLarge(member: string, bytesMax: number): PlannerError {
  return new PlannerError('payload_too_large', `${member} is over ${bytesMax} bytes.`, { bytes_max: bytesMax });
}
