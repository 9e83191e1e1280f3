import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Disk } from '../disk/disk.ts';
import { withOpen } from '../disk/read-async.ts';
import type { LookUps } from '../../record/look-ups.ts';

/** A part of a file: a JSON value, compressed. */
export interface Block {
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
}

/** Blocks of all projects that stay in memory: some megabytes. */
const blocksKept = 64;

/** Thrown if a file of the history's index is gone or damaged: everything in it is also in the segments. */
export class LostIndexFile extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} cannot be read.`);
    this.path = path;
  }
}

/** Compresses a value to a block that begins at this offset. */
export function encodeBlock(value: unknown, offset: number): { readonly bytes: Buffer; readonly block: Block } {
  const bytes = deflateRawSync(JSON.stringify(value), { level: 1 });
  return { bytes, block: { offset, length: bytes.length, checksum: crc32(bytes) } };
}

/** Undefined if these are not the bytes of the block. */
export function decodeBlock(bytes: Buffer | undefined, { length, checksum }: Block): unknown {
  if (bytes?.length !== length || crc32(bytes) !== checksum) return undefined;
  return JSON.parse(inflateRawSync(bytes).toString());
}

/** How a block becomes what is kept in memory of it. */
export type Decode<T> = (value: unknown) => T;

/** The blocks that were read last, for all projects of a root. */
export class HistoryBlocks {
  readonly #disk: Disk;
  readonly #lookUps: LookUps;
  readonly #kept = new LRUCache<string, object>({ max: blocksKept });

  constructor(disk: Disk, lookUps: LookUps) {
    this.#disk = disk;
    this.#lookUps = lookUps;
  }

  /**
   * The content of a block. Within a rule, throws `Needed` unless it is in memory. `ahead`: those that are probably read
   * next. Throws `LostIndexFile`.
   */
  get<T extends object>(path: string, block: Block, decode: Decode<T>, ahead: readonly Block[] = []): T {
    const key = keyOf(path, block);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept as T;
    return this.#lookUps.get(key, {
      now: () => this.#keep(path, block, this.#read(path, block), decode),
      later: () => this.#load(path, [block, ...ahead], decode),
    });
  }

  /** The value of a block that is read once: it is not kept. Throws `LostIndexFile`. */
  async load(path: string, block: Block): Promise<unknown> {
    let bytes: Buffer | undefined;
    try {
      bytes = await withOpen(this.#disk, path, (fd) => this.#disk.readAtAsync(fd, block.offset, block.length));
    } catch {
      // It is lost, whatever the reason is.
    }
    const value = decodeBlock(bytes, block);
    if (value === undefined) throw new LostIndexFile(path);
    return value;
  }

  /** Forgets everything: the segments have other paths now. */
  clear(): void {
    this.#kept.clear();
  }

  #read(path: string, { offset, length }: Block): Buffer | undefined {
    try {
      return this.#disk.readRange(path, offset, length);
    } catch {
      return undefined;
    }
  }

  #keep<T extends object>(path: string, block: Block, bytes: Buffer | undefined, decode: Decode<T>): T {
    const value = decodeBlock(bytes, block);
    if (value === undefined) throw new LostIndexFile(path);
    const decoded = decode(value);
    this.#kept.set(keyOf(path, block), decoded);
    return decoded;
  }

  /** A block that cannot be read is not among them: the next attempt finds the file lost. */
  async #load<T extends object>(path: string, blocks: readonly Block[], decode: Decode<T>): Promise<[string, T][]> {
    const found: [string, T][] = [];
    try {
      await withOpen(this.#disk, path, async (fd) => {
        for (const block of blocks) {
          const bytes = await this.#disk.readAtAsync(fd, block.offset, block.length);
          found.push([keyOf(path, block), this.#keep(path, block, bytes, decode)]);
        }
      });
    } catch {
      // What was read before is served.
    }
    return found;
  }
}

function keyOf(path: string, { offset }: Block): string {
  return `history ${path} ${offset}`;
}
