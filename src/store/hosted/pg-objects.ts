import type { StagedBytes } from '../record/read-transaction.ts';
import type { Rows } from './pg-connection.ts';
import { violatedTable } from './pg-errors.ts';
import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';

/** The object that has the bytes of a blob. */
export interface StoredObject {
  readonly object: string;
  /** Bytes. */
  readonly size: number;
  /** The SHA-256 of each part, one behind the other. */
  readonly digests: Buffer;
}

/** A blob without use after this time is removed, and so is an object without a blob. */
const unusedAfter = "interval '1 day'";
/** Before an object is removed, so that none is recorded that is being removed. */
const storedWithin = "interval '12 hours'";
const removedAtOnce = 20;

/**
 * Which objects of a bucket have the bytes of which blobs. An object is noted before it is stored, and until it has been
 * removed: one without a blob is being stored, or is to be removed.
 */
export class PgObjects {
  readonly #deps: PgDeps;
  readonly #blob: string;
  readonly #object: string;

  constructor(deps: PgDeps) {
    this.#deps = deps;
    this.#blob = deps.tables.of('blob');
    this.#object = deps.tables.of('blob_object');
  }

  /** The object of a blob; undefined if its bytes are not in the bucket. */
  async find(sha256: string): Promise<StoredObject | undefined> {
    const [row] = await this.#query(
      'planner_find_object',
      `SELECT o.object, b.size::float8, o.digests FROM ${this.#object} o JOIN ${this.#blob} b USING (sha256)
        WHERE sha256 = $1`,
      [sha256],
    );
    if (row === undefined) return undefined;
    const [object, size, digests] = row as readonly [string, number, Buffer];
    return { object, size, digests };
  }

  /**
   * If there are the bytes of a blob, it counts as stored now: a record may reference it for a day again. Returns its
   * object, if they are in one; undefined if there are none.
   */
  async touch(sha256: string): Promise<{ readonly object: string | undefined } | undefined> {
    const [row] = await this.#query(
      'planner_touch_blob',
      `UPDATE ${this.#blob} b SET staged_at = clock_timestamp() WHERE sha256 = $1 AND (
          EXISTS (SELECT FROM ${this.#object} o WHERE o.sha256 = b.sha256)
          OR EXISTS (SELECT FROM ${this.#deps.tables.of('blob_part')} p WHERE p.sha256 = b.sha256)
        ) RETURNING (SELECT o.object FROM ${this.#object} o WHERE o.sha256 = b.sha256)`,
      [sha256],
    );
    return row && { object: (row[0] as string | null) ?? undefined };
  }

  /** Notes an object that is about to be stored. */
  async announce(object: string): Promise<void> {
    await this.#query(
      'planner_announce_object',
      `INSERT INTO ${this.#object} (object) VALUES ($1) ON CONFLICT DO NOTHING`,
      [object],
    );
  }

  /** The object has the bytes of a blob from now on. Returns false if the blob has another one, or if it took too long. */
  async record({ sha256, size }: StagedBytes, { object, digests }: Omit<StoredObject, 'size'>): Promise<boolean> {
    try {
      const rows = await this.#query(
        'planner_record_object',
        `WITH stored AS (
            INSERT INTO ${this.#blob} AS b (sha256, size) VALUES ($1, $2)
            ON CONFLICT (sha256) DO UPDATE SET staged_at = clock_timestamp() RETURNING b.sha256
          ) UPDATE ${this.#object} o SET sha256 = stored.sha256, digests = $4 FROM stored
            WHERE o.object = $3 AND (o.sha256 IS NULL OR o.sha256 = stored.sha256)
              AND o.announced_at > clock_timestamp() - ${storedWithin} RETURNING 1`,
        [sha256, size, object, digests],
      );
      return rows.length > 0;
    } catch (error) {
      if (violatedTable(error) === 'blob_object') return false;
      throw error;
    }
  }

  /** A blob has lost its object. */
  async release(sha256: string, object: string): Promise<void> {
    await this.#query(
      'planner_release_object',
      `UPDATE ${this.#object} SET sha256 = NULL WHERE object = $2 AND sha256 = $1`,
      [sha256, object],
    );
  }

  /**
   * Removes blobs that are unused for a day, and returns their number; their objects have none then. An entry that
   * references one at the same moment is decided by the foreign key: one of both statements fails.
   */
  async removeUnused(): Promise<number> {
    const isOld = `staged_at < clock_timestamp() - ${unusedAfter}`;
    for (let removed = 0; ;) {
      const rows = await this.#query(
        'planner_sweep_objects',
        // The time again: of a blob that is stored again meanwhile, only the deleted row is compared again.
        `DELETE FROM ${this.#blob} WHERE ${isOld} AND sha256 IN (
            SELECT b.sha256 FROM ${this.#blob} b WHERE b.${isOld}
              AND NOT EXISTS (SELECT FROM ${this.#deps.tables.of('blob_use')} u WHERE u.sha256 = b.sha256)
            LIMIT ${removedAtOnce}
          ) RETURNING 1`,
        [],
      );
      removed += rows.length;
      if (rows.length < removedAtOnce) return removed;
    }
  }

  /** Objects that no blob has, and that were stored a day ago or longer. */
  async unreferenced(atMost: number): Promise<readonly string[]> {
    const rows = await this.#query(
      'planner_unreferenced_objects',
      `SELECT object FROM ${this.#object} WHERE sha256 IS NULL AND announced_at < clock_timestamp() - ${unusedAfter}
        LIMIT $1`,
      [atMost],
    );
    return rows.map(([object]) => object as string);
  }

  /** They are removed from the bucket. */
  async forget(objects: readonly string[]): Promise<void> {
    await this.#query(
      'planner_forget_objects',
      `DELETE FROM ${this.#object} WHERE object = ANY ($1::text[]) AND sha256 IS NULL`,
      [objects],
    );
  }

  #query(name: string, text: string, values: readonly unknown[]): Promise<Rows> {
    return untilAnswered(this.#deps.retries, () => this.#deps.pool.query({ name, text, values }));
  }
}
