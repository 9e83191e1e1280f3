import type { PgPool } from './pg-pool.ts';
import type { RetryLimit } from './pg-retry.ts';
import type { PgTables } from './pg-schema.ts';

/** What reading and writing the tables other than that of entries takes. */
export interface PgDeps {
  /** Not that of entries: they wait for no other statement. */
  readonly pool: PgPool;
  readonly tables: PgTables;
  readonly retries: RetryLimit;
}
