import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Adapter } from 'lowdb';
import type { Disk } from './disk.ts';
import type { DurableJsonOptions } from './durable-json.ts';
import { replaceFileAsync } from './replace-file.ts';

/** The approximate size of a write, so that no string or buffer has the size of the file. */
const pieceCharactersMax = 256 * 1024;
const lineFeed = 0x0a;
/** The size of a read. */
const readBytesMax = 4 * 1024 * 1024;

/** The checksum in the last line. A truncated file, or one of another version, has no valid one. */
type ChecksumName = 'sha256' | 'crc32';

interface Checksum {
  update(piece: Uint8Array | string): void;
  /** The digest in hexadecimal digits, always of the same number. */
  digest(): string;
}

const checksums: Readonly<Record<ChecksumName, () => Checksum>> = {
  sha256: () => {
    const hash = createHash('sha256');
    return { update: (piece) => void hash.update(piece), digest: () => hash.digest('hex') };
  },
  crc32: () => {
    let value = 0;
    return { update: (piece) => void (value = crc32(piece, value)), digest: () => value.toString(16).padStart(8, '0') };
  },
};

export interface DurableLinesOptions extends DurableJsonOptions {
  /** Default: sha256. crc32 takes a tenth of the time, for a large file that is read at each start. */
  readonly checksum?: ChecksumName;
}

/**
 * lowdb's adapter for many values that may be lost (the index cache): a header line with a version, one JSON line per
 * value, a last line with the checksum of all before it. A torn or changed file, or one of another version, reads as
 * null.
 */
export class DurableLines<L> implements Adapter<readonly L[]> {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #header: string;
  readonly #options: DurableLinesOptions;
  readonly #checksum: ChecksumName;

  /** `version` identifies format and code; a file with another version is ignored. */
  constructor(disk: Disk, path: string, version: string, options: DurableLinesOptions = {}) {
    this.#disk = disk;
    this.#path = path;
    this.#header = `${JSON.stringify({ version })}\n`;
    this.#options = options;
    this.#checksum = options.checksum ?? 'sha256';
  }

  read(): Promise<readonly L[] | null> {
    return new Promise((resolve) => resolve(this.readNow()));
  }

  /** Reads all values together, and the file once: for values that fit into memory. */
  readNow(): readonly L[] | null {
    const sealStart = this.#sealStart();
    if (sealStart === undefined) return null;
    const start = Buffer.byteLength(this.#header);
    const checksum = checksums[this.#checksum]();
    checksum.update(this.#header);
    let values: readonly L[];
    try {
      values = [...parseLines<L>(updating(checksum, this.#readPieces(start, sealStart)))];
    } catch (error) {
      // Only a file whose checksum differs has a line that is not JSON.
      if (error instanceof SyntaxError) return null;
      throw error;
    }
    return this.#isSealed(sealStart, checksum) ? values : null;
  }

  /**
   * An iterator over the values, parsed lazily, after verifying the checksum. Reads in pieces, since the file may be
   * larger than memory.
   */
  values(): Generator<L> | null {
    const sealStart = this.#sealStart();
    if (sealStart === undefined) return null;
    const checksum = checksums[this.#checksum]();
    for (const piece of this.#readPieces(0, sealStart)) checksum.update(piece);
    if (!this.#isSealed(sealStart, checksum)) return null;
    return parseLines<L>(this.#readPieces(Buffer.byteLength(this.#header), sealStart));
  }

  /** Where the last line begins; undefined for a file that is missing, too short or of another version. */
  #sealStart(): number | undefined {
    const stat = this.#disk.stat(this.#path);
    const header = Buffer.from(this.#header);
    const sealStart = (stat?.kind === 'file' ? stat.size : 0) - this.#sealBytes();
    return sealStart >= header.length && this.#range(0, header.length).equals(header) ? sealStart : undefined;
  }

  #isSealed(sealStart: number, checksum: Checksum): boolean {
    return this.#range(sealStart, this.#sealBytes()).toString() === this.#sealLine(checksum);
  }

  #sealBytes(): number {
    return Buffer.byteLength(this.#sealLine(checksums[this.#checksum]()));
  }

  #range(offset: number, length: number): Buffer {
    return this.#disk.readRange(this.#path, offset, length) ?? Buffer.alloc(0);
  }

  *#readPieces(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < end;) {
      const piece = this.#range(at, Math.min(readBytesMax, end - at));
      if (piece.length === 0) return;
      at += piece.length;
      yield piece;
    }
  }

  /** Iterates over the values, yielding to the event loop between pieces. */
  async write(values: Iterable<L>): Promise<void> {
    this.#disk.makeDirectory(dirname(this.#path));
    await replaceFileAsync(this.#disk, this.#path, this.#pieces(values), this.#options);
  }

  *#pieces(values: Iterable<L>): Generator<Buffer> {
    const checksum = checksums[this.#checksum]();
    let piece = this.#header;
    for (const value of values) {
      piece += `${JSON.stringify(value)}\n`;
      if (piece.length < pieceCharactersMax) continue;
      checksum.update(piece);
      yield Buffer.from(piece);
      piece = '';
    }
    checksum.update(piece);
    yield Buffer.from(piece + this.#sealLine(checksum));
  }

  /** The last line, which always has the same length. */
  #sealLine(checksum: Checksum): string {
    return `${JSON.stringify({ [this.#checksum]: checksum.digest() })}\n`;
  }
}

function* updating(checksum: Checksum, pieces: Iterable<Buffer>): Generator<Buffer> {
  for (const piece of pieces) {
    checksum.update(piece);
    yield piece;
  }
}

function* parseLines<L>(pieces: Iterable<Buffer>): Generator<L> {
  let rest = Buffer.alloc(0);
  for (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end >= 0; end = piece.indexOf(lineFeed, start)) {
      const isSplit = rest.length > 0;
      const line = isSplit
        ? Buffer.concat([rest, piece.subarray(0, end)]).toString()
        : piece.toString('utf8', start, end);
      if (isSplit) rest = Buffer.alloc(0);
      yield JSON.parse(line) as L;
      start = end + 1;
    }
    rest = Buffer.concat([rest, piece.subarray(start)]);
  }
}
