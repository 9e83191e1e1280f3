import { type PgTables, text, titleTables, xactIndex } from './pg-schema.ts';

/** A change of the tables: its description for people, and the statement. */
export interface TableChange {
  readonly does: string;
  readonly statement: string;
}

/**
 * The two parts in which tables of the version before become tables of this version. Nodes of both versions run between
 * them.
 */
export interface Migration {
  /** The version of the tables afterwards. */
  readonly version: number;
  /**
   * Adds only things that programs of the version before do not notice. Must not depend on the `contract` of an earlier
   * version, which may be executed later.
   */
  readonly expand: (tables: PgTables) => readonly TableChange[];
  /** Removes things that only programs of the version before need, once no such program runs. */
  readonly contract: (tables: PgTables) => readonly TableChange[];
}

/**
 * All versions after the first, in their order. Published versions remain as they are, because databases have them.
 *
 * Bodies of entries have a version of their own (`bodyVersion`). A program that brings another reads both, and writes
 * the former one until the migration that it belongs to is finished: until then there are nodes that read no other.
 * Version 2, with references to texts, belongs to version 2 of the tables.
 */
export const migrations: readonly Migration[] = [
  {
    version: 2,
    expand: (tables) => [
      {
        // Builds between two releases created it in version 1, too.
        does: 'create the table rate, for limits that nodes share',
        statement: `CREATE TABLE IF NOT EXISTS ${tables.of('rate')} (key ${text} PRIMARY KEY, points bigint NOT NULL DEFAULT 0, expire bigint)`,
      },
      {
        does: 'create the index rate_expire, by which what has expired is removed',
        statement: `CREATE INDEX IF NOT EXISTS rate_expire ON ${tables.of('rate')} (expire)`,
      },
      {
        // Nodes of version 1 created it when they were started with a bucket, which no node has any more.
        does: 'create the table blob_object, of files in a bucket of earlier versions, unless it exists',
        statement: `CREATE TABLE IF NOT EXISTS ${tables.of('blob_object')} (
          object ${text} PRIMARY KEY, sha256 ${text} UNIQUE REFERENCES ${tables.of('blob')} ON DELETE SET NULL,
          digests bytea, announced_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
      },
    ],
    contract: (tables) => [
      {
        does: 'drop the index revision_target, which nothing reads',
        statement: `DROP INDEX IF EXISTS ${tables.of('revision_target')}`,
      },
      {
        does: 'drop the index revision_at, which nothing reads',
        statement: `DROP INDEX IF EXISTS ${tables.of('revision_at')}`,
      },
    ],
  },
  {
    version: 3,
    expand: (tables) => [
      {
        // In two parts: with a default from the beginning, all entries would be written again.
        does: 'add the column xact to the table log, for the transaction that appends an entry',
        statement: `ALTER TABLE ${tables.of('log')} ADD COLUMN IF NOT EXISTS xact xid8`,
      },
      {
        does: 'fill it in for each new entry, whichever version of Planner appends it',
        statement: `ALTER TABLE ${tables.of('log')} ALTER COLUMN xact SET DEFAULT pg_current_xact_id()`,
      },
      {
        does: 'create the index log_xact, by which nodes find what was appended since they last asked',
        statement: xactIndex(tables),
      },
    ],
    contract: () => [],
  },
  {
    version: 4,
    expand: (tables) =>
      titleTables(tables).map(({ table, statements }) => ({
        does: `create the table ${table}, for searches over all projects`,
        statement: statements.join(';\n'),
      })),
    contract: () => [],
  },
];
