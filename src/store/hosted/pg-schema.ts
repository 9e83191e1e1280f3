import { DatabaseError, escapeIdentifier } from 'pg';
import { conflict } from '../../errors.ts';
import type { PgConnection } from './pg-connection.ts';

/** The version of the tables below. */
export const schemaVersion = 1;

/** How often the tables are created again if another node creates them at the same time. */
const attemptsMax = 20;

/** Names of tables with their schema: statements do not depend on a session's search path. */
export class PgTables {
  readonly #schema: string;

  constructor(schema: string) {
    this.#schema = escapeIdentifier(schema);
  }

  get schema(): string {
    return this.#schema;
  }

  of(table: string): string {
    return `${this.#schema}.${table}`;
  }
}

/**
 * Creates the tables unless they exist. Several nodes may do so at once. Throws `conflict` if a newer version of the
 * service has created them; nothing is changed then.
 */
export async function prepareDatabase(connection: PgConnection, tables: PgTables): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const version = await versionOf(connection, tables);
    if (version !== undefined) return requireKnownVersion(version, tables);
    try {
      await connection.run(definitions(tables));
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || !isMadeByAnother(error) || attempt === attemptsMax) throw error;
    }
  }
}

/** The version of the tables; undefined if there are none. */
async function versionOf(connection: PgConnection, tables: PgTables): Promise<string | undefined> {
  try {
    const [row] = await connection.query({
      name: 'planner_version',
      text: `SELECT value FROM ${tables.of('meta')} WHERE key = 'schema_version'`,
      values: [],
    });
    return row?.[0] as string | undefined;
  } catch (error) {
    // There is no such schema or table.
    if (error instanceof DatabaseError && (error.code === '3F000' || error.code === '42P01')) return undefined;
    throw error;
  }
}

function requireKnownVersion(version: string, { schema }: PgTables): void {
  if (/^\d+$/.test(version) && Number(version) <= schemaVersion) return;
  throw conflict(
    `The tables in the database schema ${schema} have version ${version}, written by a newer Planner; this one knows versions up to ${schemaVersion}. Install the newer one. Nothing was changed.`,
    { schema_version: version, schema_version_max: schemaVersion },
  );
}

/** Another node has created the schema or a table meanwhile, or is creating it. */
function isMadeByAnother({ code, message }: DatabaseError): boolean {
  if (code === 'XX000') return message.includes('concurrently');
  return ['23505', '42P06', '42P07', '42710', '40P01', '40001'].includes(code ?? '');
}

/**
 * All tables, executed as one transaction. Texts are compared by their bytes. Times are the database's.
 *
 * - `log`: the entries, see `Log`. `v`: the version of the body, which is JSON in UTF-8.
 * - `answer`: answers for repeats of a call. `blob_use`: which entries reference a blob, so that it is not removed.
 * - `revision`: the revisions of entries, as JSON in UTF-8 with their former values, which replicas do not keep in memory.
 * - `rate`: what is counted for limits, in the shape of rate-limiter-flexible.
 * - `snapshot`, `session`, `foreign_id`: images of replicas, sessions of callers, ids without the code of their project.
 */
function definitions(tables: PgTables): string {
  const text = 'text COLLATE "C"';
  const now = 'timestamptz NOT NULL DEFAULT clock_timestamp()';
  const table = (name: string, ...columns: string[]): string =>
    `CREATE TABLE IF NOT EXISTS ${tables.of(name)} (${columns.join(', ')})`;
  const index = (name: string, on: string, columns: string): string =>
    `CREATE INDEX IF NOT EXISTS ${name} ON ${tables.of(on)} (${columns})`;
  return [
    `CREATE SCHEMA IF NOT EXISTS ${tables.schema}`,
    table('meta', `key ${text} PRIMARY KEY`, 'value text NOT NULL'),
    table(
      'log',
      ...[`project ${text}`, 'seq bigint CHECK (seq > 0)', `id ${text} NOT NULL`, `prev_id ${text}`],
      ...['v integer NOT NULL', 'body bytea NOT NULL', `at ${now}`, 'PRIMARY KEY (project, seq)'],
    ),
    table(
      'answer',
      ...[`id ${text} PRIMARY KEY`, `project ${text} NOT NULL`, 'kept text NOT NULL'],
      "expires_at timestamptz NOT NULL DEFAULT clock_timestamp() + interval '24 hours'",
    ),
    index('answer_expires', 'answer', 'expires_at'),
    table(
      'revision',
      ...[`project ${text}`, `id ${text}`, 'at timestamptz NOT NULL', `target ${text} NOT NULL`],
      ...[`type ${text} NOT NULL`, 'author text NOT NULL', 'body bytea NOT NULL', 'PRIMARY KEY (project, id)'],
    ),
    index('revision_target', 'revision', 'project, target, at DESC, id DESC'),
    index('revision_at', 'revision', 'project, at DESC, id DESC'),
    table(
      'snapshot',
      ...[`project ${text}`, 'seq bigint', 'part integer', `entry_id ${text} NOT NULL`, 'format integer NOT NULL'],
      ...['bytes bytea NOT NULL', 'PRIMARY KEY (project, seq, part)'],
    ),
    table('blob', `sha256 ${text} PRIMARY KEY`, 'size bigint NOT NULL', `staged_at ${now}`),
    table(
      'blob_part',
      ...[`sha256 ${text} REFERENCES ${tables.of('blob')} ON DELETE CASCADE`, 'part integer', 'bytes bytea NOT NULL'],
      'PRIMARY KEY (sha256, part)',
    ),
    table(
      'blob_use',
      ...[`project ${text}`, `sha256 ${text} REFERENCES ${tables.of('blob')}`, 'PRIMARY KEY (project, sha256)'],
    ),
    index('blob_use_sha256', 'blob_use', 'sha256'),
    table('foreign_id', `id ${text}`, `project ${text}`, 'PRIMARY KEY (id, project)'),
    table(
      'session',
      ...[`id ${text} PRIMARY KEY`, 'credential text', 'client text', `used_at ${now}`],
      'ended boolean NOT NULL DEFAULT false',
    ),
    table('rate', `key ${text} PRIMARY KEY`, 'points bigint NOT NULL DEFAULT 0', 'expire bigint'),
    index('rate_expire', 'rate', 'expire'),
    `INSERT INTO ${tables.of('meta')} (key, value) VALUES ('schema_version', '${schemaVersion}') ON CONFLICT DO NOTHING`,
  ].join(';\n');
}
