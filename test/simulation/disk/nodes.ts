import type { FileStat } from '../../../src/store/files/disk/disk.ts';

/** The common part of the nodes of a simulated file system. Times are milliseconds, as the wall clock has them. */
interface Inode {
  readonly ino: number;
  nlink: number;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
  readonly birthtimeMs: number;
  /** The name that it got last. */
  place?: Place;
}

/** A name in a directory. */
export interface Place {
  readonly directory: Directory;
  readonly name: string;
}

export interface Directory extends Inode {
  readonly kind: 'directory';
  readonly entries: Map<string, Node>;
  /** The entries that a power cut leaves, apart from the changes that are logged. */
  durable: Map<string, Node>;
}

/** A symbolic link. */
export interface Link extends Inode {
  readonly kind: 'other';
  readonly target: string;
}

export type Node = SimulatedFile | Directory | Link;

/** Dirty data are on the disk after this time, synced or not: the system writes them back. */
export const writebackMs = 30_000;

/** A file's content, and what of it a power cut leaves. */
export class SimulatedFile implements Inode {
  readonly kind = 'file';
  readonly ino: number;
  readonly birthtimeMs: number;
  place?: Place;
  nlink = 0;
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
  #buffer = Buffer.alloc(0);
  #size = 0;
  /** The synced content is the first `#syncedSize` bytes, except the overwritten ones. */
  #syncedSize = 0;
  /** The synced bytes that were overwritten since, the first ones first: a later piece may repeat an earlier one. */
  #overwritten: { readonly offset: number; readonly bytes: Buffer }[] = [];
  /** When the oldest data that are not synced were written, by the monotonic clock. */
  #dirtySince: number | undefined;

  constructor(ino: number, mode: number, now: number) {
    this.ino = ino;
    this.mode = mode;
    this.mtimeMs = now;
    this.ctimeMs = now;
    this.birthtimeMs = now;
  }

  get size(): number {
    return this.#size;
  }

  /** A copy. */
  read(offset = 0, length = this.#size): Buffer {
    const start = Math.min(offset, this.#size);
    const end = Math.min(start + length, this.#size);
    const copied = Buffer.allocUnsafe(end - start);
    this.#buffer.copy(copied, 0, start, end);
    return copied;
  }

  write(data: Uint8Array, offset: number, at: number): void {
    const end = offset + data.length;
    this.#touch(offset, end, at);
    if (end > this.#buffer.length) {
      const grown = Buffer.alloc(Math.max(end, 2 * this.#buffer.length, 256));
      this.#buffer.copy(grown, 0, 0, this.#size);
      this.#buffer = grown;
    }
    if (offset > this.#size) this.#buffer.fill(0, this.#size, offset);
    this.#buffer.set(data, offset);
    this.#size = Math.max(this.#size, end);
  }

  truncate(size: number, at: number): void {
    this.#touch(Math.min(size, this.#size), Infinity, at);
    if (size > this.#size) this.write(new Uint8Array(size - this.#size), this.#size, at);
    this.#size = size;
  }

  /** Keeps the synced bytes from `offset` to `end` before they are overwritten. */
  #touch(offset: number, end: number, at: number): void {
    if (this.#dirtySince !== undefined && at - this.#dirtySince > writebackMs) this.sync();
    this.#dirtySince ??= at;
    // After the end of the file are truncated bytes, which are kept already.
    const kept = Math.min(end, this.#syncedSize, this.#size);
    if (offset < kept) this.#overwritten.push({ offset, bytes: Buffer.from(this.#buffer.subarray(offset, kept)) });
  }

  sync(): void {
    if (this.#overwritten.length > 0) this.#overwritten = [];
    this.#syncedSize = this.#size;
    this.#dirtySince = undefined;
  }

  /** The synced content that a power cut leaves; undefined if everything is. */
  synced(at: number): Buffer | undefined {
    if (this.#dirtySince === undefined || at - this.#dirtySince > writebackMs) return undefined;
    const content = Buffer.alloc(this.#syncedSize);
    this.#buffer.copy(content, 0, 0, Math.min(this.#size, this.#syncedSize));
    for (const { offset, bytes } of this.#overwritten.toReversed()) content.set(bytes, offset);
    return content;
  }

  /** The content after a power cut. */
  replaceBy(bytes: Buffer): void {
    this.#buffer = Buffer.from(bytes);
    this.#size = bytes.length;
    this.sync();
  }
}

export function statOf(node: Node): FileStat {
  const { kind, ino, nlink, mode, mtimeMs, ctimeMs, birthtimeMs } = node;
  const size = kind === 'file' ? node.size : kind === 'other' ? node.target.length : 4096;
  return { kind, size, mtimeMs, ctimeMs, birthtimeMs, ino, dev: 1, nlink, mode, uid: 1000 };
}

/** An error as Node's file system throws it. */
export function failure(code: string, call: string, path?: string): Error {
  const where = path === undefined ? '' : ` '${path}'`;
  return Object.assign(new Error(`${code}: simulated, ${call}${where}`), { code, syscall: call, path });
}
