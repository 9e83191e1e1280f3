import { createHash } from 'node:crypto';
import { delay } from '../../../base/clock.ts';
import { notFound, PlannerError } from '../../../base/errors.ts';
import { Exclusive } from '../../commit/exclusive.ts';
import type { StagedBytes } from '../../record/read-transaction.ts';
import type { BlobStore, ByteRange } from '../storage/blob-store.ts';
import { partBytes } from './pg-append.ts';
import type { PgConnection } from './pg-connection.ts';
import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';
import type { PgTables } from './pg-schema.ts';

/** A person has to copy them first. */
const retryAfterSeconds = 60;
/**
 * The rest after a part, relative to the time that the part took, and its maximum, so that a slow database does not
 * slow an upload further.
 */
const restFactor = 3;
const restMsMax = 100;
/** Their parts are removed with them. */
const sweptAtOnce = 20;
/**
 * The condition also applies to the deleted row: if the row is stored again in between, only the new time is compared.
 */
const isOld = "staged_at < clock_timestamp() - interval '1 day'";

/** Bytes of files have to be copied into the database. */
export class BytesElsewhereError extends PlannerError {
  constructor({ schema }: PgTables, files: number) {
    super(
      'conflict',
      `The database schema ${schema} lacks the bytes of ${files} of its files: an earlier version has stored them in a bucket.`,
      { files },
    );
  }
}

/**
 * Blobs in tables, in parts of 1 MiB: a small one is stored by one statement, a larger one by a statement for each
 * part, so that concurrent changes wait for the replication of one part and not of all. A node stores large ones one
 * after the other, and rests after each part for three times as long as that took, however many are uploaded: the
 * changes use the same processors and disks, and a connection is left for other statements.
 */
export class PgBlobs implements BlobStore {
  readonly #deps: PgDeps;
  readonly #large = new Exclusive();
  /** The monotonic time from which the next part may be stored. */
  #restsUntil = 0;

  constructor(deps: PgDeps) {
    this.#deps = deps;
  }

  async put(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes> {
    const digest = createHash('sha256');
    const found: Uint8Array[] = [];
    let size = 0;
    for await (const piece of pieces) {
      digest.update(piece);
      found.push(piece);
      size += piece.length;
    }
    const staged = { sha256: digest.digest('hex'), size };
    await this.#store(staged, found);
    return staged;
  }

  async *get(
    sha256: string,
    { start, end }: ByteRange = { start: 0, end: Infinity },
  ): AsyncIterableIterator<Uint8Array> {
    const size = await this.#sizeOf(sha256);
    const last = Math.min(end, size);
    for (let part = Math.floor(start / partBytes); part * partBytes < last; part++) {
      const bytes = await this.#part(sha256, part);
      const offset = part * partBytes;
      yield bytes.subarray(Math.max(0, start - offset), Math.min(bytes.length, last - offset));
    }
  }

  /** An entry that references one at the same moment is decided by the foreign key: one of both statements fails. */
  async sweep(): Promise<number> {
    const { pool, tables } = this.#deps;
    for (let removed = 0; ;) {
      const [row] = await untilAnswered(this.#deps.retries, () =>
        pool.query({
          name: 'planner_sweep_blobs',
          text: `WITH swept AS (
              DELETE FROM ${tables.of('blob')} WHERE sha256 IN (
                SELECT b.sha256 FROM ${tables.of('blob')} b
                WHERE b.${isOld} AND NOT EXISTS (SELECT FROM ${tables.of('blob_use')} u WHERE u.sha256 = b.sha256)
                LIMIT ${sweptAtOnce}
              ) AND ${isOld} RETURNING 1
            ) SELECT count(*)::int FROM swept`,
          values: [],
        }),
      );
      const some = row![0] as number;
      removed += some;
      if (some < sweptAtOnce) return removed;
    }
  }

  /**
   * Throws `BytesElsewhereError` if entries reference bytes that an earlier program has stored in a bucket. Where one
   * still runs, it may do so later: then the bytes are refused when they are read.
   */
  async requireAll(): Promise<void> {
    const { pool, tables } = this.#deps;
    const [row] = await untilAnswered(this.#deps.retries, () =>
      pool.query({
        name: 'planner_blobs_elsewhere',
        text: `SELECT count(*)::int FROM ${tables.of('blob_object')} o
          WHERE EXISTS (SELECT FROM ${tables.of('blob_use')} u WHERE u.sha256 = o.sha256)
            AND NOT EXISTS (SELECT FROM ${tables.of('blob_part')} p WHERE p.sha256 = o.sha256)`,
        values: [],
      }),
    );
    const files = row![0] as number;
    if (files === 0) return;
    throw new BytesElsewhereError(tables, files);
  }

  /**
   * A blob that is there already counts as stored now: a record may reference it for a day again. One that was stored in
   * a bucket by an earlier program gets parts, too.
   */
  async #store(staged: StagedBytes, pieces: readonly Uint8Array[]): Promise<void> {
    if (staged.size <= partBytes) await this.#storeAtOnce(staged, Buffer.concat(pieces));
    else
      await untilAnswered(this.#deps.retries, () =>
        this.#large.run(() => this.#deps.pool.transaction((session) => this.#storeParts(session, staged, pieces))),
      );
  }

  async #storeParts(
    session: Pick<PgConnection, 'query'>,
    { sha256, size }: StagedBytes,
    pieces: readonly Uint8Array[],
  ): Promise<void> {
    const { tables, retries } = this.#deps;
    const { clock } = retries;
    const [row] = await session.query({
      name: 'planner_begin_blob',
      text: `INSERT INTO ${tables.of('blob')} AS b (sha256, size) VALUES ($1, $2)
        ON CONFLICT (sha256) DO UPDATE SET staged_at = clock_timestamp()
        RETURNING EXISTS (SELECT FROM ${tables.of('blob_part')} p WHERE p.sha256 = $1)`,
      values: [sha256, size],
    });
    if (row![0] === true) return;
    let part = 0;
    for (const bytes of partsOf(pieces)) {
      await delay(clock, Math.max(0, this.#restsUntil - clock.monotonic()));
      const since = clock.monotonic();
      await session.query({
        name: 'planner_put_part',
        text: `INSERT INTO ${tables.of('blob_part')} (sha256, part, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        values: [sha256, part++, bytes],
      });
      const now = clock.monotonic();
      this.#restsUntil = now + Math.min(restFactor * (now - since), restMsMax);
    }
  }

  async #storeAtOnce({ sha256, size }: StagedBytes, bytes: Uint8Array): Promise<void> {
    const { pool, tables } = this.#deps;
    await untilAnswered(this.#deps.retries, () =>
      pool.query({
        name: 'planner_put_blob',
        text: `WITH stored AS (
            INSERT INTO ${tables.of('blob')} AS b (sha256, size) VALUES ($1, $2)
            ON CONFLICT (sha256) DO UPDATE SET staged_at = clock_timestamp() RETURNING (xmax = 0) AS is_new
          ), parts AS (
            INSERT INTO ${tables.of('blob_part')} (sha256, part, bytes)
            SELECT $1, 0, $3 FROM stored WHERE $2::bigint > 0
              AND (stored.is_new OR NOT EXISTS (SELECT FROM ${tables.of('blob_part')} WHERE sha256 = $1))
            ON CONFLICT DO NOTHING
          ) SELECT is_new FROM stored`,
        values: [sha256, size, bytes],
      }),
    );
  }

  async #sizeOf(sha256: string): Promise<number> {
    const { pool, tables } = this.#deps;
    const [row] = await untilAnswered(this.#deps.retries, () =>
      pool.query({
        name: 'planner_blob_size',
        text: `SELECT size::float8 FROM ${tables.of('blob')} WHERE sha256 = $1`,
        values: [sha256],
      }),
    );
    if (row === undefined) throw notFound('blob', sha256);
    return row[0] as number;
  }

  async #part(sha256: string, part: number): Promise<Uint8Array> {
    const { pool, tables } = this.#deps;
    const [row] = await untilAnswered(this.#deps.retries, () =>
      pool.query({
        name: 'planner_blob_part',
        text: `SELECT bytes FROM ${tables.of('blob_part')} WHERE sha256 = $1 AND part = $2`,
        values: [sha256, part],
      }),
    );
    if (row === undefined) throw elsewhere(sha256);
    return row[0] as Uint8Array;
  }
}

/**
 * The bytes of these pieces in parts, the last one shorter. All are in one buffer, which is valid until the next one is
 * asked for: memory for each would have it collected for each upload.
 */
function* partsOf(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(partBytes);
  let filled = 0;
  for (const piece of pieces)
    for (let at = 0; at < piece.length;) {
      const some = piece.subarray(at, at + partBytes - filled);
      buffer.set(some, filled);
      [at, filled] = [at + some.length, filled + some.length];
      if (filled < partBytes) continue;
      yield buffer;
      filled = 0;
    }
  if (filled > 0) yield buffer.subarray(0, filled);
}

function elsewhere(sha256: string): PlannerError {
  return new PlannerError(
    'unavailable',
    `The bytes ${sha256} are not in the database: an earlier version has stored them in a bucket, from where they have to be copied.`,
    { retry_after: retryAfterSeconds },
  );
}
