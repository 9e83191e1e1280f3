import type { LookUps } from '../../record/look-ups.ts';
import type { RecordBytes, StagedBytes } from '../../record/read-transaction.ts';
import type { BlobStore } from '../storage/blob-store.ts';

/** The bytes of a record's file, read from where blobs are kept. */
export class HostedBytes implements RecordBytes {
  readonly sha256: string;
  readonly size: number;
  readonly #blobs: BlobStore;
  readonly #lookUps: LookUps;

  constructor(
    { sha256, size }: StagedBytes,
    { blobs, lookUps }: { readonly blobs: BlobStore; readonly lookUps: LookUps },
  ) {
    this.sha256 = sha256;
    this.size = size;
    this.#blobs = blobs;
    this.#lookUps = lookUps;
  }

  pieces(start = 0, end = this.size): AsyncIterableIterator<Uint8Array> {
    return this.#blobs.get(this.sha256, { start, end });
  }

  whole(): Uint8Array {
    const key = `bytes ${this.sha256}`;
    return this.#lookUps.get(key, { later: async () => [[key, await this.#all()]] });
  }

  async #all(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.pieces()) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}
