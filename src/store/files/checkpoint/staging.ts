import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import { trackTransientBytes } from '../../../platform/collect-garbage.ts';
import { type Disk, errorCode, openFlags } from '../disk/disk.ts';
import { openTemporary, removeQuietly, replaceFile } from '../disk/replace-file.ts';
import { makeDirectoryDurably } from '../disk/root-files.ts';
import type { StagedBytes } from '../../record/read-transaction.ts';

/** Bytes that no record references after this time are removed: their call was rejected. */
const keptMs = 60 * 60_000;
/** The latest files are kept open, so that they survive the removal of `local/`. */
const heldMax = 64;

const diskCodes: readonly string[] = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES'];

/** Bytes in one piece or in many. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Stores bytes in `local/` on their way into the store: each file is named by its hash, durable before `put` resolves,
 * and never changed. A record may reference the hash from then on; a checkpoint moves the bytes next to the record's
 * file.
 */
export class Staging {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #clock: Clock;
  /** When each was stored, by the monotonic clock. */
  readonly #arrived = new Map<string, number>();
  readonly #held = new Map<string, number>();
  /** Names of temporary files that are being written. */
  readonly #filling = new Set<string>();
  #closed = false;

  /** `directory` is the root's `local`, absolute. */
  constructor(disk: Disk, directory: string, clock: Clock) {
    this.#disk = disk;
    this.#directory = `${directory}/bytes`;
    this.#clock = clock;
  }

  /** The absolute path of the bytes with this hash. */
  path(sha256: string): string {
    return `${this.#directory}/${sha256}`;
  }

  has({ sha256, size }: StagedBytes): boolean {
    const stat = this.#disk.stat(this.path(sha256));
    return stat?.kind === 'file' && stat.size === size;
  }

  /** Stores bytes as they arrive. Resolves once they are durable; if `pieces` throws, no bytes remain. */
  async put(pieces: Pieces): Promise<StagedBytes> {
    if (this.#closed) throw new PlannerError('unavailable', 'The store is closed: nothing was stored.');
    try {
      return await this.#take(pieces);
    } catch (error) {
      throw toUnavailable(error);
    }
  }

  async #take(pieces: Pieces): Promise<StagedBytes> {
    makeDirectoryDurably(this.#disk, this.#directory);
    const temporary = openTemporary(this.#disk, this.#directory);
    const name = basename(temporary.path);
    this.#filling.add(name);
    try {
      const staged = await this.#fill(temporary.fd, pieces);
      this.#arrived.set(staged.sha256, this.#clock.monotonic());
      // Readers of the same bytes continue to read the existing file.
      if (this.#isIntact(staged)) removeQuietly(this.#disk, temporary.path);
      else this.#disk.rename(temporary.path, this.path(staged.sha256));
      await this.#disk.syncDirectoryAsync(this.#directory);
      this.#holdOpen(staged.sha256);
      return staged;
    } catch (error) {
      removeQuietly(this.#disk, temporary.path);
      throw error;
    } finally {
      this.#filling.delete(name);
    }
  }

  /** Returns whether the bytes are stored and undamaged: damaged ones are replaced. */
  #isIntact(staged: StagedBytes): boolean {
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
        trackTransientBytes(piece.length);
        size += piece.length;
        await writer.write(piece);
        digest.update(piece);
      }
      await writer.end();
      await this.#disk.dataSyncAsync(fd);
      return { sha256: digest.digest('hex'), size };
    } finally {
      await writer.whenIdle();
      this.#disk.close(fd);
    }
  }

  #holdOpen(sha256: string): void {
    // The arrived bytes are on the disk, and this store writes nothing else.
    if (this.#closed) return;
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

  /** Removes files that are neither in `keep` nor recently stored. */
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

  /** After `local/` was removed: writes the files that are still open again. */
  restore(): void {
    for (const [sha256, fd] of this.#held) {
      if (this.#disk.stat(this.path(sha256)) !== undefined) continue;
      this.#disk.makeDirectory(this.#directory);
      replaceFile(this.#disk, this.path(sha256), this.#disk.readAll(fd));
    }
  }

  /** Closes open files, and opens nothing any more. */
  close(): void {
    this.#closed = true;
    for (const sha256 of [...this.#held.keys()]) {
      try {
        this.#release(sha256);
      } catch {
        // The end of the process closes it.
      }
    }
  }
}

/** The error for a full or failing disk. Nothing was changed: the caller may retry. */
function toUnavailable(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (!diskCodes.includes(code)) return error;
  return new PlannerError(
    'unavailable',
    `The disk cannot store the content at present (${code}). Nothing was changed; free space, then send it again.`,
  );
}

/** The size of one write: each costs a round trip to another thread. */
const writeBytes = 256 * 1024;

/** Gathers pieces into larger writes, and accepts the next ones while a write is in progress. */
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

  /**
   * Resolves when no write is in progress: only then may the descriptor be closed, since its number is reused soon
   * after.
   */
  async whenIdle(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#gathered, this.#bytes);
    this.#gathered = [];
    this.#bytes = 0;
    await this.#writing;
    this.#writing = this.#disk.writeAsync(this.#fd, bytes);
    // A failure is thrown by the next write.
    this.#writing.catch(() => undefined);
  }
}
