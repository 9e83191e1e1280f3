import type { StagedBytes } from '../../record/read-transaction.ts';

/** A part of a blob: the bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Where the bytes of files are kept, outside the log, by their SHA-256 (lower-case hexadecimal). */
export interface BlobStore {
  /**
   * Stores bytes as they arrive. Resolves once they are durable; a record may reference them for a day. If `pieces`
   * throws, the error is rethrown, and the remains are swept.
   */
  put(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes>;
  /** The bytes of a blob, or of a part of it, in pieces. Throws if there is no such blob. */
  get(sha256: string, range?: ByteRange): AsyncIterableIterator<Uint8Array>;
  /** Removes blobs that were stored more than a day ago and that no entry references. Returns their number. */
  sweep(): Promise<number>;
}
