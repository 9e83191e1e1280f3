import type { RateLimit, RateLimiter, RateLimiters } from '../../../base/rate-limiters.ts';
import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';

/** The query that the library sends to a client of the database. */
interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

const table = 'rate';

/** Limits that nodes share, in a table. While the database does not answer, each node counts separately. */
export class PgRateLimiters implements RateLimiters {
  readonly isShared = true;
  readonly #deps: PgDeps;

  constructor(deps: PgDeps) {
    this.#deps = deps;
  }

  async make({ name, points, seconds }: RateLimit): Promise<RateLimiter> {
    const { RateLimiterMemory, RateLimiterPostgres } = await import('rate-limiter-flexible');
    const limit = { keyPrefix: name, points, duration: seconds };
    return new RateLimiterPostgres({
      ...limit,
      storeClient: { query: (query: Query) => this.#query(query) },
      storeType: 'client',
      tableName: table,
      // The library puts it between quotes.
      schemaName: this.#deps.tables.schema.slice(1, -1),
      tableCreated: true,
      clearExpiredByTimeout: false,
      insuranceLimiter: new RateLimiterMemory(limit),
    });
  }

  /** Removes expired counts. */
  async sweep(): Promise<void> {
    const { pool, tables, retries } = this.#deps;
    await untilAnswered(retries, () =>
      pool.query({
        name: 'planner_sweep_rates',
        text: `DELETE FROM ${tables.of(table)} WHERE expire < $1`,
        // Nodes write it by their own clocks.
        values: [retries.clock.now() - clockDifferenceMsMax],
      }),
    );
  }

  /** All statements of the library that return rows return these columns. */
  async #query({ name = '', text, values }: Query): Promise<{ readonly rows: readonly object[] }> {
    const rows = await this.#deps.pool.query({ name: `planner_${name.replace(/\W+/g, '_')}`, text, values });
    return { rows: rows.map(([points, expire]) => ({ points: Number(points), expire: Number(expire) })) };
  }
}

const clockDifferenceMsMax = 60_000;
