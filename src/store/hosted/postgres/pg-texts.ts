import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';
import type { TextStore } from '../storage/text-store.ts';

/** How much one answer has, if it has more than one text. */
const bytesMax = 8 * 1024 * 1024;

/** Texts in the tables of blobs, where appends store them. */
export class PgTexts implements TextStore {
  readonly #deps: PgDeps;

  constructor(deps: PgDeps) {
    this.#deps = deps;
  }

  async get(sha256s: readonly string[]): Promise<readonly (string | undefined)[]> {
    const { pool, tables } = this.#deps;
    const rows = await untilAnswered(this.#deps.retries, () =>
      pool.query({
        name: 'planner_texts',
        text: `SELECT (
            SELECT string_agg(p.bytes, ''::bytea ORDER BY p.part) FROM ${tables.of('blob_part')} p WHERE p.sha256 = found.sha256
          ) FROM (
            SELECT x.nth, x.sha256, sum(coalesce(b.size, 0)) OVER (ORDER BY x.nth) - coalesce(b.size, 0) AS before
            FROM unnest($1::text[]) WITH ORDINALITY AS x (sha256, nth)
            LEFT JOIN ${tables.of('blob')} b ON b.sha256 = x.sha256
          ) found WHERE before < $2::bigint ORDER BY nth`,
        values: [sha256s, bytesMax],
      }),
    );
    // Decoded here: a text of the database cannot contain U+0000.
    return rows.map(([bytes]) => (bytes as Buffer | null)?.toString());
  }
}
