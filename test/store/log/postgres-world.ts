import { PgLog, type PgLogOptions } from '../../../src/store/hosted/postgres/pg-log.ts';
import type { Log } from '../../../src/store/record/log.ts';
import type { Revision } from '../../../src/store/record/record.ts';
import { FullTablespace } from '../../support/full-tablespace.ts';
import type { NodeLink, PostgresCluster } from '../../support/postgres-cluster.ts';
import type { CutAt, LogWorld, SharedStorage } from './describe-log.ts';

let schemas = 0;

/** Returns whether a request appends an entry. */
export const isAppend = (request: Buffer): boolean => request.includes('planner_append');

/** A workspace of its own in the database of a cluster, and the nodes that use it. */
export class PostgresWorld implements LogWorld {
  readonly schema = `workspace_${process.pid}_${++schemas}`;
  readonly #cluster: PostgresCluster;
  readonly #links = new Map<Log, NodeLink>();
  readonly #options: Partial<PgLogOptions>;
  #full: FullTablespace | undefined;
  #isReadOnly = false;

  readonly backup = {
    keep: async (): Promise<void> => {
      await this.#query(`CREATE SCHEMA kept_${this.schema}`);
      for (const table of ['log', 'answer', 'revision'])
        await this.#query(`CREATE TABLE kept_${this.schema}.${table} AS TABLE ${this.schema}.${table}`);
    },
    restore: async (): Promise<void> => {
      for (const table of ['log', 'answer', 'revision']) {
        await this.#query(`DELETE FROM ${this.schema}.${table}`);
        await this.#query(`INSERT INTO ${this.schema}.${table} TABLE kept_${this.schema}.${table}`);
      }
    },
  };

  readonly shared: SharedStorage = {
    another: () => this.open(),
    keepBlob: async (sha256) => {
      await this.#query(`INSERT INTO ${this.schema}.blob (sha256, size) VALUES ($1, 1)`, [sha256]);
    },
    hasAnswer: async (id) => {
      const rows = await this.#query(`SELECT 1 FROM ${this.schema}.answer WHERE id = $1`, [id]);
      return rows.length > 0;
    },
    revision: async (project, id) => {
      const [row] = await this.#query(
        `SELECT convert_from(body, 'UTF8') AS body FROM ${this.schema}.revision WHERE project = $1 AND id = $2`,
        [project, id],
      );
      return row && (JSON.parse((row as { body: string }).body) as Revision);
    },
    text: async (sha256) => {
      const [row] = await this.#query(
        `SELECT string_agg(bytes, '' ORDER BY part) AS bytes FROM ${this.schema}.blob_part WHERE sha256 = $1`,
        [sha256],
      );
      return (row as { bytes: Buffer | null }).bytes?.toString();
    },
    cut: (log, when) => void this.cut(log, when),
    failOver: () => this.#cluster.failOver(),
    pause: (log) => this.#links.get(log)!.pause(),
    resume: (log) => this.#links.get(log)!.resume(),
  };

  constructor(cluster: PostgresCluster, options: Partial<PgLogOptions> = {}) {
    this.#cluster = cluster;
    this.#options = options;
  }

  async open(options: Partial<PgLogOptions> = {}): Promise<PgLog> {
    const link = await this.#cluster.link();
    const log = await PgLog.open({
      ...{ url: link.url, schema: this.schema, durability: this.#cluster.isPair ? 'replicated' : 'disk' },
      ...this.#options,
      ...options,
    });
    this.#links.set(log, link);
    return log;
  }

  /** Resolves when the connection is cut. */
  cut(log: Log, when: CutAt): Promise<void> {
    return this.#links.get(log)!.cutNext(when, isAppend);
  }

  /** No server can be reached by a node any more. */
  disconnect(log: Log): Promise<void> {
    return this.#links.get(log)!.stop();
  }

  async kill(log: Log): Promise<void> {
    await this.disconnect(log);
    void log.close();
  }

  async trim(): Promise<void> {
    const log = `${this.schema}.log`;
    await this.#query(`DELETE FROM ${log} l WHERE seq < (SELECT max(seq) FROM ${log} m WHERE m.project = l.project)`);
  }

  /** A full disk, or where that cannot be had a server that takes no writes. */
  async fill(): Promise<void> {
    if (!this.#cluster.isPair) this.#full = await FullTablespace.create(this.#cluster.primary);
    if (this.#full !== undefined)
      return this.#full.fill(
        `${this.schema}.log`,
        `INSERT INTO ${this.schema}.log (project, seq, id, v, body)
          SELECT 'f', n + 1, 'f', 1, '' FROM generate_series($1::int, $2::int) n`,
      );
    this.#isReadOnly = true;
    await this.#cluster.primary.reload({ default_transaction_read_only: 'on' });
  }

  async remove(): Promise<void> {
    for (const link of this.#links.values()) await link.stop();
    if (this.#isReadOnly) await this.#cluster.primary.reload({ default_transaction_read_only: 'off' });
    if (this.#full === undefined) return;
    await this.#query(`DROP SCHEMA ${this.schema} CASCADE`);
    await this.#full.remove();
  }

  #query(text: string, values: readonly unknown[] = []): ReturnType<PostgresCluster['primary']['query']> {
    return this.#cluster.primary.query(text, values);
  }
}
