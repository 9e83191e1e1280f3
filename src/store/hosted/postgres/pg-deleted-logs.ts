import type { Head } from '../../record/log.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { DeletedLogs } from '../storage/deleted-logs.ts';
import type { Rows, Statement } from './pg-connection.ts';
import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';

/** Names of logs in one answer. */
const namesMax = 500;
/** Rows of each table that one statement removes; parts of snapshots have 1 MiB. */
const rowsMax = 1_000;
const partsMax = 20;

/** Logs of deleted projects in tables. Their answers have expired when they are removed. */
export class PgDeletedLogs implements DeletedLogs {
  readonly #deps: PgDeps;

  constructor(deps: PgDeps) {
    this.#deps = deps;
  }

  /** One look into the index of the log for each name: its entries are not read. */
  async names(after: string): Promise<readonly string[]> {
    const log = this.#deps.tables.of('log');
    const rows = await this.#query({
      name: 'planner_log_names',
      text: `WITH RECURSIVE found AS (
          SELECT (SELECT l.project FROM ${log} l WHERE l.project > $1 ORDER BY l.project LIMIT 1) AS project, 1 AS nth
          UNION ALL
          SELECT (SELECT l.project FROM ${log} l WHERE l.project > found.project ORDER BY l.project LIMIT 1), found.nth + 1
          FROM found WHERE found.project IS NOT NULL AND found.nth < ${namesMax}
        ) SELECT project FROM found WHERE project IS NOT NULL ORDER BY nth`,
      values: [after],
    });
    return rows.map(([project]) => project as string);
  }

  /**
   * The statements look for the last entry themselves: another node may have removed all rows in between, and a project
   * with the same id have been imported.
   */
  async remove(log: string, keepMs: number): Promise<number> {
    const last = await this.#lastOfDeleted(log, keepMs);
    if (last === undefined) return 0;
    const { tables } = this.#deps;
    const some = (table: string, key: string, max: number, more = ''): string =>
      `DELETE FROM ${tables.of(table)} WHERE project = $1 AND (${key}) IN (
        SELECT ${key} FROM ${tables.of(table)} WHERE project = $1 ${more} AND EXISTS (SELECT FROM last)
        ORDER BY ${key} LIMIT ${max}) RETURNING 1`;
    const [row] = await this.#query({
      name: 'planner_remove_deleted',
      text: `WITH last AS MATERIALIZED (
          SELECT 1 FROM ${tables.of('log')} WHERE project = $1 AND seq = $2::bigint AND id = $3
        ), part AS (${some('snapshot', 'seq, part', partsMax)}),
          past AS (${some('revision', 'id', rowsMax)}),
          used AS (${some('blob_use', 'sha256', rowsMax)}),
          titles AS (${some('title', 'id', rowsMax)}),
          entry AS (${some('log', 'seq', rowsMax, 'AND seq < $2::bigint')})
        SELECT ((SELECT count(*) FROM part) + (SELECT count(*) FROM past) + (SELECT count(*) FROM used)
          + (SELECT count(*) FROM titles) + (SELECT count(*) FROM entry))::int`,
      values: [log, last.seq, last.id],
    });
    const removed = row![0] as number;
    if (removed > 0) return removed;
    // The row that permits the removal of the rest goes last: another node may have taken the rows that were to be
    // removed here.
    const isLeft = ['snapshot', 'revision', 'blob_use', 'title'].map(
      (table) => `EXISTS (SELECT FROM ${tables.of(table)} WHERE project = $1)`,
    );
    const rows = await this.#query({
      name: 'planner_remove_last',
      text: `DELETE FROM ${tables.of('log')} WHERE project = $1 AND seq = $2::bigint AND id = $3 AND NOT (
          ${isLeft.join(' OR ')} OR EXISTS (SELECT FROM ${tables.of('log')} WHERE project = $1 AND seq < $2::bigint)
        ) RETURNING 1`,
      values: [log, last.seq, last.id],
    });
    return rows.length;
  }

  /** The last entry of a log, if it deletes the project and is older than this. */
  async #lastOfDeleted(log: string, keepMs: number): Promise<Head | undefined> {
    const [row] = await this.#query({
      name: 'planner_last_entry',
      text: `SELECT l.seq::float8, l.id, convert_from(l.body, 'UTF8') FROM (
          SELECT seq, id, at, body FROM ${this.#deps.tables.of('log')} WHERE project = $1 ORDER BY seq DESC LIMIT 1
        ) l WHERE l.at < clock_timestamp() - make_interval(secs => $2::float8)`,
      values: [log, keepMs / 1000],
    });
    if (row === undefined) return undefined;
    const [seq, id, body] = row as readonly [number, string, string];
    return (JSON.parse(body) as Partial<EntryBody>).dropped === true ? { seq, id } : undefined;
  }

  /** Each statement may be executed twice. */
  #query(statement: Statement): Promise<Rows> {
    return untilAnswered(this.#deps.retries, () => this.#deps.pool.query(statement));
  }
}
