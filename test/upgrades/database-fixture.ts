import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PostgresServer } from '../support/postgres.ts';

/** Bytes in a row of a fixture: JSON as it is, other bytes in base64. */
type StoredBytes = { readonly json: unknown } | { readonly base64: string };
type Row = Readonly<Record<string, unknown>>;
/** The rows of each table, in an order in which they can be inserted. */
type Tables = Readonly<Record<string, readonly Row[]>>;

/** The directories of the tables of former versions. */
export const fixtureOfVersion1 = fixtureOf(1);
export const fixtureOfVersion2 = fixtureOf(2);
export const fixtureOfVersion3 = fixtureOf(3);

function fixtureOf(version: number): string {
  return fileURLToPath(new URL(`tables/version-${version}`, import.meta.url));
}

/** The schema that the statements of a fixture name. */
export const fixtureSchema = 'planner';

/** Creates the tables of a fixture in a schema, with their rows. */
export async function layOutTables(server: PostgresServer, fixture: string, schema: string): Promise<void> {
  const statements = readFileSync(join(fixture, 'tables.sql'), 'utf8');
  await server.query(
    statements.replaceAll(`${fixtureSchema}.`, `${schema}.`).replace(`EXISTS ${fixtureSchema};`, `EXISTS ${schema};`),
  );
  const tables = JSON.parse(readFileSync(join(fixture, 'rows.json'), 'utf8')) as Tables;
  for (const [table, rows] of Object.entries(tables))
    await server.query(
      `INSERT INTO ${schema}.${table} SELECT * FROM json_populate_recordset(NULL::${schema}.${table}, $1) ON CONFLICT DO NOTHING`,
      [JSON.stringify(rows.map(withBytes))],
    );
}

/** The rows of all tables of a schema, for a fixture. */
export async function rowsOf(server: PostgresServer, schema: string, tables: readonly string[]): Promise<Tables> {
  const found: Record<string, readonly Row[]> = {};
  for (const table of tables) {
    const columns = await server.query(
      `SELECT column_name, data_type FROM information_schema.columns
        WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position`,
      [schema, table],
    );
    const selected = columns.map(({ column_name: name, data_type: type }) =>
      type === 'bytea' ? String(name) : `${name}::text AS ${name}`,
    );
    const rows = await server.query(
      `SELECT ${selected.join(', ')} FROM ${schema}.${table} ORDER BY ${selected.length === 1 ? 1 : '1, 2'}`,
    );
    found[table] = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, stored(value)])),
    );
  }
  return found;
}

function stored(value: unknown): unknown {
  if (!Buffer.isBuffer(value)) return value;
  const text = value.toString();
  try {
    const json = JSON.parse(text) as unknown;
    if (JSON.stringify(json) === text) return { json } satisfies StoredBytes;
  } catch {
    // The value is no JSON.
  }
  return { base64: value.toString('base64') } satisfies StoredBytes;
}

function withBytes(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, isBytes(value) ? hexOf(value) : value]));
}

function isBytes(value: unknown): value is StoredBytes {
  return typeof value === 'object' && value !== null;
}

function hexOf(bytes: StoredBytes): string {
  const content = 'json' in bytes ? Buffer.from(JSON.stringify(bytes.json)) : Buffer.from(bytes.base64, 'base64');
  return `\\x${content.toString('hex')}`;
}
