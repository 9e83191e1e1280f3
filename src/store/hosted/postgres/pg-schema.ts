import { DatabaseError, escapeIdentifier } from 'pg';
import type { Clock } from '../../../base/clock.ts';
import { conflict, invalid, PlannerError } from '../../../base/errors.ts';
import { retry } from '../../../base/retry.ts';
import type { PgConnection, Rows } from './pg-connection.ts';

/** The version of the tables that this program needs, and that it creates in an empty database. `migrations` has the way there. */
export const schemaVersion = 4;

/** The versions of the tables according to `meta`. */
export interface TableVersions {
  /** The present version: the value of `tables_version`, which is missing in version 1. */
  readonly tables: number;
  /**
   * The lowest version that a program has to know to use them: the value of `schema_version`, which programs of version
   * 1 compare with theirs, too. It is lower than `tables` until a migration is finished.
   */
  readonly programs: number;
}

/** Texts are compared by their bytes. */
export const text = 'text COLLATE "C"';

/** The transaction that appends an entry, whichever version of the program does. */
const xactColumn = 'xact xid8 DEFAULT pg_current_xact_id()';

/** The statement of the index by which entries of later transactions are found; entries of version 2 are not in it. */
export function xactIndex(tables: PgTables): string {
  return `CREATE INDEX IF NOT EXISTS log_xact ON ${tables.of('log')} (xact) WHERE xact IS NOT NULL`;
}

/** The statements that make the tables of titles. Without a list of pending words, so that a search does not read it. */
export function titleTables(
  tables: PgTables,
): readonly { readonly table: string; readonly statements: readonly string[] }[] {
  const create = (table: string, columns: string): string =>
    `CREATE TABLE IF NOT EXISTS ${tables.of(table)} (${columns})`;
  return [
    {
      table: 'title',
      statements: [
        create(
          'title',
          `project ${text}, id ${text}, type ${text} NOT NULL, project_at ${text} NOT NULL, words tsvector NOT NULL, PRIMARY KEY (project, id)`,
        ),
        `CREATE INDEX IF NOT EXISTS title_words ON ${tables.of('title')} USING gin (words) WITH (fastupdate = off)`,
      ],
    },
    { table: 'title_word', statements: [create('title_word', `word ${text} PRIMARY KEY`)] },
    { table: 'titled', statements: [create('titled', `project ${text} PRIMARY KEY`)] },
  ];
}

/** How often the tables are created again if another node creates them at the same time. */
const attemptsMax = 20;

/** Names of tables with their schema: statements do not depend on a session's search path. */
export class PgTables {
  readonly #schema: string;

  /** Throws `invalid_argument` for a name that PostgreSQL would cut, so that two workspaces were one, or that it has itself. */
  constructor(schema: string) {
    requireName(schema);
    this.#schema = escapeIdentifier(schema);
  }

  get schema(): string {
    return this.#schema;
  }

  of(table: string): string {
    return `${this.#schema}.${table}`;
  }
}

/** The longest name that PostgreSQL does not cut. */
const nameBytesMax = 63;

function requireName(schema: string): void {
  const bytes = Buffer.byteLength(schema);
  const name = JSON.stringify(schema);
  if (bytes === 0 || bytes > nameBytesMax)
    throw invalid(variable, `The schema ${name} has ${bytes} bytes; a name has 1 to ${nameBytesMax} (${variable}).`);
  if (/^pg_|^information_schema$/.test(schema))
    throw invalid(
      variable,
      `The schema ${name} is PostgreSQL's own: name one that does not begin with pg_ (${variable}).`,
    );
}

const variable = 'PLANNER_DATABASE_SCHEMA';

/** The tables have to be migrated. */
export class OutdatedTablesError extends PlannerError {
  constructor({ schema }: PgTables, version: number) {
    super(
      'conflict',
      `The tables in the database schema ${schema} have version ${version}, and this Planner needs version ${schemaVersion}. Nothing was changed.`,
      { schema_version: version, schema_version_min: schemaVersion },
    );
  }
}

/** An executor of statements: a connection, or a transaction of one. */
export type Executor = Pick<PgConnection, 'query' | 'run'>;

/**
 * Creates the tables unless they exist. Several nodes may do so concurrently. Resolves to the lowest version that a
 * program has to know to use them. Changes nothing and throws `OutdatedTablesError` if they are older than this program
 * needs, or `conflict` if a newer one has finished a migration.
 */
export function prepareDatabase(connection: PgConnection, tables: PgTables, clock: Clock): Promise<number> {
  const mayRetry = (error: unknown, failures: number): boolean =>
    error instanceof DatabaseError && isMadeByAnother(error) && failures < attemptsMax;
  return retry({ clock, pauseMs: () => 0, mayRetry }, async () => {
    const found = await versionsOf(connection, tables);
    if (found === undefined) {
      await connection.run(definitions(tables));
      return schemaVersion;
    }
    requireUsable(found, tables);
    return found.programs;
  });
}

/** The versions of the tables; undefined without tables. */
export async function versionsOf(executor: Executor, tables: PgTables): Promise<TableVersions | undefined> {
  let rows: Rows;
  try {
    rows = await executor.query({
      name: 'planner_versions',
      text: `SELECT key, value FROM ${tables.of('meta')} WHERE key IN ('schema_version', 'tables_version')`,
      values: [],
    });
  } catch (error) {
    // There is no such schema or table.
    if (error instanceof DatabaseError && (error.code === '3F000' || error.code === '42P01')) return undefined;
    throw error;
  }
  const values = new Map(rows as readonly (readonly [string, string])[]);
  const programs = values.get('schema_version');
  if (programs === undefined) return undefined;
  return {
    tables: versionIn(values.get('tables_version') ?? programs, tables),
    programs: versionIn(programs, tables),
  };
}

/** The versions within a transaction, until whose end no other transaction gets them by this function. */
export async function lockVersions(executor: Executor, tables: PgTables): Promise<TableVersions | undefined> {
  // A separate statement, because a statement that has waited does not see rows that were inserted during the wait.
  await executor.query({
    name: 'planner_lock_versions',
    text: `SELECT 1 FROM ${tables.of('meta')} WHERE key = 'schema_version' FOR UPDATE`,
    values: [],
  });
  return versionsOf(executor, tables);
}

function versionIn(value: string, { schema }: PgTables): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw conflict(
    `The tables in the database schema ${schema} have version ${JSON.stringify(value)}, which no Planner has written. Name the schema of a workspace (PLANNER_DATABASE_SCHEMA). Nothing was changed.`,
    { schema_version: value, schema_version_max: schemaVersion },
  );
}

function requireUsable(found: TableVersions, tables: PgTables): void {
  requireKnown(found, tables);
  if (found.tables >= schemaVersion) return;
  throw new OutdatedTablesError(tables, found.tables);
}

/** Throws `conflict` if only newer programs may use the tables. */
export function requireKnown({ programs }: TableVersions, { schema }: PgTables): void {
  if (programs <= schemaVersion) return;
  throw conflict(`${newerTables(String(programs), { schema })} Nothing was changed.`, {
    schema_version: programs,
    schema_version_max: schemaVersion,
  });
}

export function newerTables(version: string, { schema }: Pick<PgTables, 'schema'>): string {
  return `The tables in the database schema ${schema} have version ${version === '' ? 'none' : version}, written by a newer Planner; this one knows versions up to ${schemaVersion}. Install the newer one.`;
}

/** Returns whether another node has just created the schema or a table, or is creating it. */
function isMadeByAnother({ code, message }: DatabaseError): boolean {
  if (code === 'XX000') return message.includes('concurrently');
  return ['23505', '42P06', '42P07', '42710', '40P01', '40001'].includes(code ?? '');
}

/**
 * All tables, executed as one transaction. Texts are compared by their bytes. Times are the database's.
 *
 * - `log`: the entries, see `Log`. `v`: the version of the body, which is JSON in UTF-8. `xact`: the transaction that
 *   appended the entry, by which nodes find what is new; null for entries of version 2.
 * - `answer`: answers for repeats of a call. `blob_use`: which entries reference a blob, so that it is not removed.
 * - `revision`: the revisions of entries, as JSON in UTF-8 with their former values, which replicas do not keep in
 *   memory.
 * - `rate`: counts for limits, in the shape of rate-limiter-flexible.
 * - `snapshot`, `session`, `foreign_id`: images of replicas, sessions of callers, ids without the code of their
 *   project.
 * - `title`: the titles of records, by whose words all projects are searched, with the time when their project was made.
 *   `title_word`: the words of all titles that were ever there. `titled`: the projects whose titles are all there.
 * - `blob_object`: which blobs earlier programs have stored in a bucket. Only read: a node does not start if it misses
 *   their bytes.
 *
 * A change of them is a new version and a step of `migrations` that changes the former version in the same way.
 */
export function definitions(tables: PgTables): string {
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
      ...['v integer NOT NULL', 'body bytea NOT NULL', `at ${now}`, xactColumn, 'PRIMARY KEY (project, seq)'],
    ),
    xactIndex(tables),
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
    table(
      'blob_object',
      ...[`object ${text} PRIMARY KEY`, `sha256 ${text} UNIQUE REFERENCES ${tables.of('blob')} ON DELETE SET NULL`],
      ...['digests bytea', `announced_at ${now}`],
    ),
    table('foreign_id', `id ${text}`, `project ${text}`, 'PRIMARY KEY (id, project)'),
    table(
      'session',
      ...[`id ${text} PRIMARY KEY`, 'credential text', 'client text', `used_at ${now}`],
      'ended boolean NOT NULL DEFAULT false',
    ),
    table('rate', `key ${text} PRIMARY KEY`, 'points bigint NOT NULL DEFAULT 0', 'expire bigint'),
    index('rate_expire', 'rate', 'expire'),
    ...titleTables(tables).flatMap(({ statements }) => statements),
    `INSERT INTO ${tables.of('meta')} (key, value) VALUES ('schema_version', '${schemaVersion}'), ('tables_version', '${schemaVersion}')
      ON CONFLICT DO NOTHING`,
  ].join(';\n');
}
