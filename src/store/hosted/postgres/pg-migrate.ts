import type { Clock } from '../../../base/clock.ts';
import { conflict, PlannerError } from '../../../base/errors.ts';
import { retry } from '../../../base/retry.ts';
import { checkDatabase } from './pg-check.ts';
import { PgRequirements } from './pg-requirements.ts';
import { PgConnection } from './pg-connection.ts';
import { ConnectionLostError, failureOf, NoServerError } from './pg-errors.ts';
import { type PgLogOptions, settledOptions } from './pg-log.ts';
import { type Migration, migrations } from './pg-migrations.ts';
import { lockVersions, PgTables, requireKnown, schemaVersion, type TableVersions, versionsOf } from './pg-schema.ts';
import { PgServers } from './pg-servers.ts';

export interface MigrateOptions extends Omit<PgLogOptions, 'reads' | 'answerMs'> {
  /** True to change nothing and report the steps. */
  readonly dryRun: boolean;
  /** The second part, when no node runs that does not know the new version. */
  readonly finish: boolean;
}

/** One transaction of a migration. */
export interface MigrationStep {
  readonly version: number;
  readonly part: 'expand' | 'contract';
  /** Descriptions of the changes, for people. */
  readonly changes: readonly string[];
}

export interface MigrationReport {
  /** Afterwards; undefined if there are no tables: the first node creates them. */
  readonly versions: TableVersions | undefined;
  /**
   * The steps that this migration executed, without those of a concurrent one; in a dry run, the steps that it would
   * execute.
   */
  readonly steps: readonly MigrationStep[];
}

/** An index of a large table takes long. */
const answerMs = 3_600_000;
/**
 * How long a step waits for other transactions to end with a table that it changes: the nodes' statements on the table
 * wait after it, for less than their limit.
 */
const lockMs = 2_000;
/** A migration that does nothing for so long is paused or gone: its locks end, since nodes wait for them. */
const idleMs = 5_000;
const retryMs = 500;

/**
 * Brings the tables to the version that this program needs, in steps, each of which is a transaction: a failing step
 * leaves the version before it. Several migrations may run concurrently; each step is executed once. Throws `conflict`
 * if a step cannot be executed or only a newer program may, and `unavailable` if no server answers or a table is in use
 * all the time.
 */
export async function migrateDatabase({ dryRun, finish, ...options }: MigrateOptions): Promise<MigrationReport> {
  const settled = { ...settledOptions(options), answerMs };
  const { url, schema, durability } = settled;
  const tables = new PgTables(schema);
  const connection = new PgConnection(new PgServers(url, settled), settled);
  const look = (): Promise<TableVersions | undefined> =>
    retried(settled, 'The database could not be read', () => versionsOf(connection, tables));
  try {
    const found = await look();
    if (found === undefined) return { versions: undefined, steps: [] };
    requireKnown(found, tables);
    if (finish) requireExpanded(found, tables);
    const steps = stepsFrom(found, finish, tables);
    if (dryRun || steps.length === 0) return { versions: found, steps: steps.map(({ step }) => step) };
    const requirements = new PgRequirements(durability, tables);
    await retried(settled, 'The database could not be checked', () =>
      checkDatabase(connection, requirements, durability),
    );
    const done: MigrationStep[] = [];
    for (const next of steps) if (await isExecuted(next, connection, tables, settled)) done.push(next.step);
    return { versions: await look(), steps: done };
  } finally {
    await connection.close();
  }
}

interface PlannedStep {
  readonly step: MigrationStep;
  readonly statements: readonly string[];
}

function stepsFrom(found: TableVersions, finish: boolean, tables: PgTables): readonly PlannedStep[] {
  const part = finish ? 'contract' : 'expand';
  const from = finish ? found.programs : found.tables;
  return migrations.filter(({ version }) => version > from).map((one) => planned(one, part, tables));
}

function planned(migration: Migration, part: MigrationStep['part'], tables: PgTables): PlannedStep {
  const changes = migration[part](tables);
  return {
    step: { version: migration.version, part, changes: changes.map(({ does }) => does) },
    statements: changes.map(({ statement }) => statement),
  };
}

function requireExpanded({ tables: version }: TableVersions, { schema }: PgTables): void {
  if (version === schemaVersion) return;
  const remedy =
    version < schemaVersion
      ? 'Migrate them first without finishing, and start the nodes of the new version.'
      : 'Use the newer Planner that has begun their migration.';
  throw conflict(
    `The tables in the database schema ${schema} have version ${version}, and this Planner finishes migrations to version ${schemaVersion}. ${remedy} Nothing was changed.`,
    { schema_version: version, schema_version_max: schemaVersion },
  );
}

/** Executes a step. Resolves to false if another migration has done so. */
async function isExecuted(
  { step, statements }: PlannedStep,
  connection: PgConnection,
  tables: PgTables,
  options: RetriedOptions,
): Promise<boolean> {
  const { version, part } = step;
  const [key, reached] =
    part === 'expand' ? (['tables_version', 'tables'] as const) : (['schema_version', 'programs'] as const);
  const failure = `The migration to version ${version} (${part}) was rolled back, and the tables are as before it`;
  return retried(options, failure, () =>
    connection.transaction(async (session) => {
      const found = await lockVersions(session, tables);
      if (found === undefined) throw conflict('The tables were removed while they were being migrated.');
      requireKnown(found, tables);
      if (found[reached] >= version) return false;
      await session.run(
        `SET LOCAL lock_timeout = ${lockMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
      );
      for (const statement of statements) await session.run(statement);
      await session.query({
        name: 'planner_raise_version',
        text: `INSERT INTO ${tables.of('meta')} (key, value) VALUES ($1, $2)
          ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
        values: [key, String(version)],
      });
      return true;
    }),
  );
}

interface RetriedOptions {
  readonly clock: Clock;
  readonly resolveMs: number;
}

/** Does it again for a time while the database is away, or a table is in use. `failure`: what is said first if that is in vain. */
function retried<T>({ clock, resolveMs }: RetriedOptions, failure: string, work: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.monotonic() + resolveMs;
  const mayRetry = (error: unknown): boolean => {
    const isAway = error instanceof NoServerError || error instanceof ConnectionLostError;
    if (error instanceof PlannerError && !isAway) return false;
    if (!isAway && failureOf(error) === 'failed') throw conflict(`${failure}: ${(error as Error).message}.`);
    if (clock.monotonic() < giveUpAt) return true;
    throw error instanceof NoServerError ? error.withReasons : unavailable(`${failure}: ${reasonOf(error as Error)}`);
  };
  return retry({ clock, pauseMs: () => retryMs, mayRetry }, work);
}

function reasonOf(error: Error & { readonly code?: unknown }): string {
  if (error.code !== lockNotAvailable) return `${error.message}.`;
  return 'other transactions use a table all the time. End them (pg_stat_activity shows them), and run it again.';
}

const lockNotAvailable = '55P03';

function unavailable(message: string): PlannerError {
  return new PlannerError('unavailable', message, { retry_after: 1 });
}
