import type { Revision } from '../../record/record.ts';
import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';
import type { RevisionStore } from '../storage/revision-store.ts';

/** The limit of one answer, which has at least one revision. */
const bytesMax = 8 * 1024 * 1024;

/** Revisions in a table. */
export class PgRevisions implements RevisionStore {
  readonly #deps: PgDeps;

  constructor(deps: PgDeps) {
    this.#deps = deps;
  }

  async get(project: string, ids: readonly string[]): Promise<readonly (Revision | undefined)[]> {
    const { pool, tables } = this.#deps;
    const rows = await untilAnswered(this.#deps.retries, () =>
      pool.query({
        name: 'planner_revisions',
        text: `SELECT convert_from(body, 'UTF8') FROM (
            SELECT x.nth, r.body, sum(octet_length(r.body)) OVER (ORDER BY x.nth) - octet_length(r.body) AS before
            FROM unnest($2::text[]) WITH ORDINALITY AS x (id, nth)
            LEFT JOIN ${tables.of('revision')} r ON r.project = $1 AND r.id = x.id
          ) found WHERE coalesce(before, 0) < $3::bigint ORDER BY nth`,
        values: [project, ids, bytesMax],
      }),
    );
    return rows.map(([body]) => (body === null ? undefined : (JSON.parse(body as string) as Revision)));
  }
}
