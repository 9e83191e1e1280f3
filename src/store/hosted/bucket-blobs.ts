import { createHash } from 'node:crypto';
import { randomToken } from '../../ids.ts';
import type { StagedBytes } from '../record/read-transaction.ts';
import type { BlobStore, ByteRange } from './blob-store.ts';
import { type Bucket, LostObjectError } from './bucket.ts';
import type { PgBlobs } from './pg-blobs.ts';
import type { PgObjects, StoredObject } from './pg-objects.ts';

export interface BucketBlobsDeps {
  readonly bucket: Bucket;
  /** Which object has the bytes of which blob. */
  readonly objects: PgObjects;
  /** For blobs whose bytes are in the database. */
  readonly database: PgBlobs;
}

/** Each part of an object has a digest of its own in the database, so that it is verified before a byte of it is used. */
const partBytes = 1024 * 1024;
const digestBytes = 32;
/** Transfers of one part. */
const attemptsMax = 3;
/** Unused objects that are removed at the same time. */
const removedAtOnce = 8;

/**
 * Blobs in a bucket. An object is durable there before its blob is in the database, and that before an entry references
 * the blob. Its name has a random end and is never used again: S3 cannot make a deletion depend on the database, so an
 * object that is being removed must not be the one that the same bytes are stored as again.
 */
export class BucketBlobs implements BlobStore {
  readonly #deps: BucketBlobsDeps;

  constructor(deps: BucketBlobsDeps) {
    this.#deps = deps;
  }

  async put(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes> {
    const bytes = await collected(pieces);
    const digest = sha256Of(bytes);
    const staged = { sha256: digest.toString('hex'), size: bytes.length };
    // Nothing to store.
    if (bytes.length === 0) return this.#deps.database.put([]);
    while (!(await this.#isStored(staged)) && !(await this.#store(staged, { bytes, sha256: digest })));
    return staged;
  }

  async *get(
    sha256: string,
    { start, end }: ByteRange = { start: 0, end: Infinity },
  ): AsyncIterableIterator<Uint8Array> {
    const found = await this.#deps.objects.find(sha256);
    if (found === undefined) {
      yield* this.#deps.database.get(sha256, { start, end });
      return;
    }
    const last = Math.min(end, found.size);
    for (let part = Math.floor(start / partBytes); part * partBytes < last; part++) {
      const bytes = await this.#part(sha256, found, part);
      const offset = part * partBytes;
      yield bytes.subarray(Math.max(0, start - offset), Math.min(bytes.length, last - offset));
    }
  }

  /** The database decides which blobs are unused. Their objects are removed then, or by the next sweep if that fails. */
  async sweep(): Promise<number> {
    const { objects, bucket } = this.#deps;
    const removed = await objects.removeUnused();
    for (;;) {
      const names = await objects.unreferenced(removedAtOnce);
      await Promise.all(names.map((name) => bucket.remove(name)));
      if (names.length > 0) await objects.forget(names);
      if (names.length < removedAtOnce) return removed;
    }
  }

  /** A blob that is there counts as stored now. One whose object is lost is given up, so that it is stored again. */
  async #isStored({ sha256, size }: StagedBytes): Promise<boolean> {
    const { objects, bucket } = this.#deps;
    const known = await objects.touch(sha256);
    if (known === undefined) return false;
    if (known.object === undefined || (await bucket.has(known.object, size))) return true;
    await objects.release(sha256, known.object);
    return false;
  }

  /** Returns false if another node has stored the same bytes meanwhile. */
  async #store(staged: StagedBytes, content: { readonly bytes: Buffer; readonly sha256: Buffer }): Promise<boolean> {
    const { objects, bucket } = this.#deps;
    const object = `${staged.sha256}.${randomToken(9)}`;
    // Before the object: nothing is in the bucket of which the database does not know.
    await objects.announce(object);
    await bucket.put(object, content);
    return objects.record(staged, { object, digests: digestsOf(content.bytes) });
  }

  async #part(sha256: string, { object, size, digests }: StoredObject, part: number): Promise<Uint8Array> {
    const { bucket } = this.#deps;
    const start = part * partBytes;
    const range = { start, end: Math.min(start + partBytes, size) };
    const expected = digests.subarray(part * digestBytes, (part + 1) * digestBytes);
    for (let attempt = 1; ; attempt++) {
      const bytes = await bucket.get(object, range);
      if (bytes.length === range.end - range.start && sha256Of(bytes).equals(expected)) return bytes;
      if (attempt === attemptsMax)
        throw new LostObjectError(
          `The bytes ${sha256} are damaged: part ${part} of the object ${object} in ${bucket.name} is not what was stored.`,
        );
    }
  }
}

async function collected(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const piece of pieces) found.push(piece);
  return Buffer.concat(found);
}

function sha256Of(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function digestsOf(bytes: Buffer): Buffer {
  const digests: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += partBytes)
    digests.push(sha256Of(bytes.subarray(start, start + partBytes)));
  return Buffer.concat(digests);
}
