import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { PlannerError } from '../../../errors.ts';
import { notePassed } from '../../../platform/collect-garbage.ts';
import { type Disk, errorCode, openFlags } from '../disk/disk.ts';
import { openTemporary, removeQuietly, replaceFile } from '../disk/replace-file.ts';
import { makeDurably } from '../disk/root-files.ts';
import type { StagedBytes } from '../../record/view.ts';

/** What no record took after this time is not going to be taken: its call was refused. */
const keptMs = 60 * 60_000;
/** The latest are held open, so that they outlive the removal of `local/`. */
const heldMax = 64;

const diskCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES'];

/** Bytes in one piece or in many. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Bytes on their way into the store, in `local/`: each file is named by its hash, durable before anybody is told of it, and never changed.
 * A record that names the hash has them from the moment it is acknowledged; the checkpointer gives them their place beside its file.
 */
export class Staging {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #clock: Clock;
  /** When each was taken in, by the monotonic clock. */
  readonly #arrived = new Map<string, number>();
  readonly #held = new Map<string, number>();
  /** Names of temporary files that are being filled. */
  readonly #filling = new Set<string>();

  /** `directory` is the root's `local`, absolute. */
  constructor(disk: Disk, directory: string, clock: Clock) {
    this.#disk = disk;
    this.#directory = `${directory}/bytes`;
    this.#clock = clock;
  }

  /** Where bytes of this hash are kept, absolute. */
  path(sha256: string): string {
    return `${this.#directory}/${sha256}`;
  }

  has({ sha256, size }: StagedBytes): boolean {
    const stat = this.#disk.stat(this.path(sha256));
    return stat?.kind === 'file' && stat.size === size;
  }

  /** Takes bytes in, piece by piece as they come. They are durable when it resolves; what `pieces` throws leaves nothing behind. */
  async put(pieces: Pieces): Promise<StagedBytes> {
    try {
      return await this.#take(pieces);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async #take(pieces: Pieces): Promise<StagedBytes> {
    makeDurably(this.#disk, this.#directory);
    const temporary = openTemporary(this.#disk, this.#directory);
    const name = basename(temporary.path);
    this.#filling.add(name);
    try {
      const staged = await this.#fill(temporary.fd, pieces);
      this.#arrived.set(staged.sha256, this.#clock.monotonic());
      // Who reads the same bytes meanwhile goes on reading this file.
      if (this.#holds(staged)) removeQuietly(this.#disk, temporary.path);
      else this.#disk.rename(temporary.path, this.path(staged.sha256));
      await this.#disk.syncDirectoryLater(this.#directory);
      this.#hold(staged.sha256);
      return staged;
    } catch (error) {
      removeQuietly(this.#disk, temporary.path);
      throw error;
    } finally {
      this.#filling.delete(name);
    }
  }

  /** Whether the bytes are here, every one of them: what was damaged is replaced. */
  #holds(staged: StagedBytes): boolean {
    if (!this.has(staged)) return false;
    const fd = this.#disk.open(this.path(staged.sha256), openFlags.read);
    try {
      const digest = createHash('sha256');
      for (let at = 0; at < staged.size; at += writeBytes) digest.update(this.#disk.readAt(fd, at, writeBytes));
      return digest.digest('hex') === staged.sha256;
    } finally {
      this.#disk.close(fd);
    }
  }

  async #fill(fd: number, pieces: Pieces): Promise<StagedBytes> {
    const writer = new GatheringWriter(this.#disk, fd);
    try {
      const digest = createHash('sha256');
      let size = 0;
      for await (const piece of pieces) {
        notePassed(piece.length);
        size += piece.length;
        await writer.write(piece);
        digest.update(piece);
      }
      await writer.end();
      await this.#disk.dataSyncLater(fd);
      return { sha256: digest.digest('hex'), size };
    } finally {
      await writer.rest();
      this.#disk.close(fd);
    }
  }

  #hold(sha256: string): void {
    this.#release(sha256);
    this.#held.set(sha256, this.#disk.open(this.path(sha256), openFlags.read));
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= heldMax) break;
      this.#release(oldest);
    }
  }

  #release(sha256: string): void {
    const fd = this.#held.get(sha256);
    if (fd === undefined) return;
    this.#held.delete(sha256);
    this.#disk.close(fd);
  }

  /** Removes what nobody needs: what is not in `keep` and was not taken in a short time ago. */
  sweep(keep: ReadonlySet<string>): void {
    const now = this.#clock.monotonic();
    for (const { name } of this.#disk.list(this.#directory)) {
      if (keep.has(name) || this.#filling.has(name)) continue;
      if (now - (this.#arrived.get(name) ?? -Infinity) < keptMs) continue;
      this.#arrived.delete(name);
      this.#release(name);
      try {
        this.#disk.remove(`${this.#directory}/${name}`);
      } catch (error) {
        if (errorCode(error) !== 'ENOENT') throw error;
      }
    }
  }

  /** Somebody removed `local/`: what is held open is written again. */
  renew(): void {
    for (const [sha256, fd] of this.#held) {
      if (this.#disk.stat(this.path(sha256)) !== undefined) continue;
      this.#disk.makeDirectory(this.#directory);
      replaceFile(this.#disk, this.path(sha256), this.#disk.readAll(fd));
    }
  }

  close(): void {
    for (const sha256 of [...this.#held.keys()]) {
      try {
        this.#release(sha256);
      } catch {
        // The end of the process closes it.
      }
    }
  }
}

/** What a caller is told of a disk that takes no more. Nothing was changed: the same call may be sent again. */
function refusalOf(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (!diskCodes.includes(code)) return error;
  return new PlannerError(
    'unavailable',
    `The disk cannot take the content at present (${code}). Nothing was changed; make room, then send it again.`,
  );
}

/** So much is written by one call: each costs a way to another thread and back. */
const writeBytes = 256 * 1024;

/** Gathers pieces to be written, and lets the next ones come while the last are on their way. */
class GatheringWriter {
  readonly #disk: Disk;
  readonly #fd: number;
  #gathered: Uint8Array[] = [];
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(disk: Disk, fd: number) {
    this.#disk = disk;
    this.#fd = fd;
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#gathered.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes >= writeBytes) await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    await this.#writing;
  }

  /** Resolves when nothing is on its way: only then may the descriptor be closed, its number is another file's soon after. */
  async rest(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#gathered, this.#bytes);
    this.#gathered = [];
    this.#bytes = 0;
    await this.#writing;
    this.#writing = this.#disk.writeLater(this.#fd, bytes);
    // Heard when the next ones are to be written.
    this.#writing.catch(() => undefined);
  }
}
