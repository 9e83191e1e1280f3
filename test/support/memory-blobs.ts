import { createHash } from 'node:crypto';
import type { BlobStore, ByteRange } from '../../src/store/hosted/storage/blob-store.ts';
import type { StagedBytes } from '../../src/store/record/read-transaction.ts';

/** Blobs that several nodes of one process share. */
export class MemoryBlobs implements BlobStore {
  readonly #blobs = new Map<string, Buffer>();
  readonly #onStored: (sha256: string) => void;

  constructor(onStored: (sha256: string) => void = () => undefined) {
    this.#onStored = onStored;
  }

  async put(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes> {
    const found: Uint8Array[] = [];
    for await (const piece of pieces) found.push(piece);
    const bytes = Buffer.concat(found);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#blobs.set(sha256, bytes);
    this.#onStored(sha256);
    return { sha256, size: bytes.length };
  }

  async *get(
    sha256: string,
    { start, end }: ByteRange = { start: 0, end: Infinity },
  ): AsyncIterableIterator<Uint8Array> {
    const bytes = this.#blobs.get(sha256);
    if (bytes === undefined) throw new Error(`There is no blob ${sha256}.`);
    await Promise.resolve();
    yield bytes.subarray(start, end);
  }

  /** They are never a day old. */
  sweep(): Promise<number> {
    return Promise.resolve(0);
  }
}
