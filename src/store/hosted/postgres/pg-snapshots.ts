import { randomName } from '../../../base/ids.ts';
import type { Head } from '../../record/log.ts';
import { snapshotFormat } from '../node/log-snapshot.ts';
import type { Rows, Statement } from './pg-connection.ts';
import type { PgDeps } from './pg-deps.ts';
import { untilAnswered } from './pg-retry.ts';
import {
  beginningBytes,
  SnapshotError,
  snapshotsKept,
  type SnapshotStore,
  type Summary,
} from '../storage/snapshot-store.ts';

export interface PgSnapshotsDeps extends PgDeps {
  /** The format of the stored snapshots. */
  readonly format: number;
}

/** The part that is a summary. */
const summaryPart = -1;
/** The format of part 0 while the others are being written. */
const unfinished = 0;
/** The oldest format that is read. */
const formatMin = 1;
/** Entries that one statement removes. */
const trimmedMax = 2_000;

/**
 * Snapshots in a table, in parts of 1 MiB from 1 on. Part 0 is written first, with a name of its writer, so that two nodes
 * do not mix their parts, and completed last: it has the format and the number of the parts then. A summary is a part of
 * its own, -1, which nodes that do not know it do not ask for.
 */
export class PgSnapshots implements SnapshotStore {
  readonly #deps: PgSnapshotsDeps;
  readonly #log: string;
  readonly #table: string;

  constructor(deps: PgSnapshotsDeps) {
    this.#deps = deps;
    this.#log = deps.tables.of('log');
    this.#table = deps.tables.of('snapshot');
  }

  async heads(logs: readonly string[]): Promise<ReadonlyMap<string, readonly Head[]>> {
    const rows = await this.#query({
      name: 'planner_snapshot_heads',
      text: `SELECT s.project, s.seq::float8, s.entry_id FROM unnest($1::text[]) AS x (project)
        CROSS JOIN LATERAL (SELECT project, seq, entry_id FROM ${this.#table} t
          WHERE t.project = x.project AND t.part = 0 AND t.format BETWEEN ${formatMin} AND $2 ORDER BY t.seq DESC LIMIT ${snapshotsKept}) s
        ORDER BY s.project, s.seq DESC`,
      values: [logs, snapshotFormat],
    });
    const heads = new Map<string, Head[]>();
    for (const [log, seq, id] of rows as readonly (readonly [string, number, string])[]) {
      const found = heads.get(log);
      if (found === undefined) heads.set(log, [{ seq, id }]);
      else found.push({ seq, id });
    }
    return heads;
  }

  async beginnings(heads: ReadonlyMap<string, Head>): Promise<ReadonlyMap<string, Uint8Array>> {
    const asked = [...heads];
    const rows = await this.#query({
      name: 'planner_snapshot_beginnings',
      text: `SELECT x.project, substr(first.bytes, 1, ${beginningBytes})
        FROM unnest($1::text[], $2::bigint[], $3::text[]) AS x (project, seq, id)
        JOIN ${this.#table} whole ON whole.project = x.project AND whole.seq = x.seq AND whole.part = 0
          AND whole.entry_id = x.id AND whole.format BETWEEN ${formatMin} AND $4
        JOIN ${this.#table} first ON first.project = x.project AND first.seq = x.seq AND first.part = 1`,
      values: [
        asked.map(([log]) => log),
        asked.map(([, { seq }]) => seq),
        asked.map(([, { id }]) => id),
        snapshotFormat,
      ],
    });
    return new Map(rows.map(([log, bytes]) => [log as string, bytes as Uint8Array]));
  }

  async summaries(logs: readonly string[]): Promise<ReadonlyMap<string, Summary>> {
    const rows = await this.#query({
      name: 'planner_summaries',
      text: `SELECT s.project, s.seq::float8, s.entry_id, convert_from(s.bytes, 'UTF8') FROM unnest($1::text[]) AS x (project)
        CROSS JOIN LATERAL (SELECT * FROM ${this.#table} t
          WHERE t.project = x.project AND t.part = ${summaryPart} AND t.format BETWEEN ${formatMin} AND $2
          ORDER BY t.seq DESC LIMIT 1) s`,
      values: [logs, snapshotFormat],
    });
    return new Map(
      (rows as readonly (readonly [string, number, string, string])[]).map(([log, seq, id, text]) => [
        log,
        { log, head: { seq, id }, text },
      ]),
    );
  }

  async putSummaries(summaries: readonly Summary[]): Promise<void> {
    await this.#query({
      name: 'planner_put_summaries',
      text: `WITH sent AS MATERIALIZED (
          SELECT l.project, l.seq, l.id, x.summary FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS x (project, seq, id, summary)
          JOIN ${this.#log} l ON l.project = x.project AND l.seq = x.seq AND l.id = x.id
        ), former AS (
          DELETE FROM ${this.#table} t USING sent
          WHERE t.project = sent.project AND t.part = ${summaryPart} AND t.seq <> sent.seq
        ) INSERT INTO ${this.#table} (project, seq, part, entry_id, format, bytes)
        SELECT project, seq, ${summaryPart}, id, $5, convert_to(summary, 'UTF8') FROM sent ORDER BY project
        ON CONFLICT (project, seq, part) DO UPDATE SET entry_id = excluded.entry_id, format = excluded.format, bytes = excluded.bytes`,
      values: [
        summaries.map(({ log }) => log),
        summaries.map(({ head: { seq } }) => seq),
        summaries.map(({ head: { id } }) => id),
        summaries.map(({ text }) => text),
        this.#deps.format,
      ],
    });
  }

  async *read(log: string, { seq, id }: Head): AsyncGenerator<Uint8Array> {
    const [row] = await this.#query({
      name: 'planner_snapshot_parts',
      text: `SELECT convert_from(bytes, 'UTF8') FROM ${this.#table}
        WHERE project = $1 AND seq = $2 AND part = 0 AND format BETWEEN ${formatMin} AND $3 AND entry_id = $4`,
      values: [log, seq, snapshotFormat, id],
    });
    const parts = Number(row?.[0]);
    if (!Number.isSafeInteger(parts)) throw new SnapshotError('it is not there any more');
    for (let part = 1; part <= parts; part++) {
      const [found] = await this.#query({
        name: 'planner_snapshot_part',
        text: `SELECT bytes FROM ${this.#table} WHERE project = $1 AND seq = $2 AND part = $3`,
        values: [log, seq, part],
      });
      if (found === undefined) throw new SnapshotError(`part ${part} of ${parts} is missing`);
      yield found[0] as Uint8Array;
    }
  }

  async put(log: string, head: Head, parts: AsyncIterable<Uint8Array>): Promise<boolean> {
    const writer = Buffer.from(randomName());
    if (!(await this.#isBegun(log, head, writer))) return false;
    let count = 0;
    for await (const bytes of parts) await this.#putPart(log, head, ++count, bytes);
    await this.#query({
      name: 'planner_complete_snapshot',
      text: `UPDATE ${this.#table} SET format = $4, bytes = $5
        WHERE project = $1 AND seq = $2 AND part = 0 AND format = ${unfinished} AND bytes = $3`,
      values: [log, head.seq, writer, this.#deps.format, Buffer.from(String(count))],
    });
    await this.#query({
      name: 'planner_remove_snapshots',
      text: `DELETE FROM ${this.#table} WHERE project = $1 AND seq < (
        SELECT min(seq) FROM (SELECT seq FROM ${this.#table} WHERE project = $1 AND part = 0 AND format BETWEEN ${formatMin} AND $2
          ORDER BY seq DESC LIMIT ${snapshotsKept}) kept HAVING count(*) = ${snapshotsKept})`,
      values: [log, snapshotFormat],
    });
    return true;
  }

  async trimmable(keepMs: number): Promise<readonly string[]> {
    const rows = await this.#query({
      name: 'planner_trimmable',
      text: `SELECT older.project FROM (
          SELECT project, seq, row_number() OVER (PARTITION BY project ORDER BY seq DESC) AS nth
          FROM ${this.#table} WHERE part = 0 AND format BETWEEN ${formatMin} AND $1
        ) older CROSS JOIN LATERAL (
          SELECT l.seq, l.at FROM ${this.#log} l WHERE l.project = older.project ORDER BY l.seq LIMIT 1
        ) first
        WHERE older.nth = ${snapshotsKept} AND first.seq < older.seq
          AND first.at < clock_timestamp() - make_interval(secs => $2::float8)
        ORDER BY older.project`,
      values: [snapshotFormat, keepMs / 1000],
    });
    return rows.map(([log]) => log as string);
  }

  async trim(log: string, below: number, keepMs: number): Promise<number> {
    const [row] = await this.#query({
      name: 'planner_trim',
      text: `WITH oldest AS MATERIALIZED (
          SELECT seq, at FROM ${this.#log} WHERE project = $1 AND seq < $2 ORDER BY seq LIMIT ${trimmedMax}
        ), young AS (
          SELECT min(seq) AS seq FROM oldest WHERE at >= clock_timestamp() - make_interval(secs => $3::float8)
        ), gone AS (
          DELETE FROM ${this.#log} l USING young WHERE l.project = $1 AND l.seq >= (SELECT min(seq) FROM oldest)
            AND l.seq <= (SELECT max(seq) FROM oldest) AND (young.seq IS NULL OR l.seq < young.seq) RETURNING l.seq
        ) SELECT count(*)::int FROM gone`,
      values: [log, below, keepMs / 1000],
    });
    return row![0] as number;
  }

  /** Nothing is begun at an entry that is not in the log: a node may have read it from a server that was replaced. */
  async #isBegun(log: string, head: Head, writer: Uint8Array): Promise<boolean> {
    await this.#query({
      name: 'planner_begin_snapshot',
      text: `INSERT INTO ${this.#table} (project, seq, part, entry_id, format, bytes)
        SELECT l.project, l.seq, 0, l.id, ${unfinished}, $4 FROM ${this.#log} l
        WHERE l.project = $1 AND l.seq = $2 AND l.id = $3 ON CONFLICT DO NOTHING`,
      values: [log, head.seq, head.id, writer],
    });
    const [row] = await this.#query({
      name: 'planner_snapshot_writer',
      text: `SELECT format = ${unfinished} AND bytes = $3 FROM ${this.#table} WHERE project = $1 AND seq = $2 AND part = 0`,
      values: [log, head.seq, writer],
    });
    return row?.[0] === true;
  }

  async #putPart(log: string, { seq, id }: Head, part: number, bytes: Uint8Array): Promise<void> {
    await this.#query({
      name: 'planner_put_snapshot',
      text: `INSERT INTO ${this.#table} (project, seq, part, entry_id, format, bytes) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT DO NOTHING`,
      values: [log, seq, part, id, this.#deps.format, bytes],
    });
  }

  /** Each statement may be executed twice. */
  #query(statement: Statement): Promise<Rows> {
    const { pool } = this.#deps;
    return untilAnswered(this.#deps.retries, () => pool.query(statement));
  }
}
