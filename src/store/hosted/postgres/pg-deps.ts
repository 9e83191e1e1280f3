import type { PgPool } from './pg-pool.ts';
import type { RetryLimit } from './pg-retry.ts';
import type { PgTables } from './pg-schema.ts';

/** The dependencies for reading and writing the tables except the table of entries. */
export interface PgDeps {
  /** Connections except the one for entries, which wait for no other statement. */
  readonly pool: PgPool;
  readonly tables: PgTables;
  readonly retries: RetryLimit;
}
