import type { Command } from 'commander';
import { addCommand, usageError } from '../../call/command-line.ts';
import { databaseName, databaseOf } from '../../call/database.ts';
import type { Migrated } from '../../service/migration.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';

interface MigrateCommandOptions {
  readonly dryRun?: boolean;
  readonly finish?: boolean;
}

/** `migrate`: brings the tables of a database to the version that this program needs. */
export function addMigrateCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'migrate',
      isChange: true,
      description:
        'bring the tables of a database to the version that this Planner needs, while nodes of the former version run',
      examples: ['migrate --dry-run', 'migrate', 'migrate --finish'],
      options: (command) =>
        command
          .option('--dry-run', 'change nothing; show the steps')
          .option('--finish', 'remove what only the former version needs, once every node runs the new one'),
    },
    async (_, { dryRun = false, finish = false, ...options }: MigrateCommandOptions, out) => {
      const database = databaseOf(deps, options);
      if (database === undefined)
        throw usageError('--database', 'Name the database: planner migrate --database <url>, or set PLANNER_DATABASE.');
      const { versions, steps } = await deps.migrate(database, { dryRun, finish });
      const shown = {
        ...{ database: databaseName(database), schema: database.schema, dry_run: dryRun },
        ...{ version: versions?.tables ?? null, program_version_min: versions?.programs ?? null, steps },
      };
      const done = steps.flatMap(({ version, changes }) =>
        changes.map((change) => `${dryRun ? 'Would' : 'Done'}, for version ${version}: ${change}`),
      );
      out.print(shown, [...done, stateLine(shown.schema, versions)]);
    },
  );
}

function stateLine(schema: string, versions: Migrated['versions']): string {
  if (versions === undefined) return `The schema ${schema} has no tables: the first node creates them.`;
  const { tables, programs } = versions;
  const state = `The tables in the schema ${schema} have version ${tables}`;
  if (programs === tables) return `${state}.`;
  return `${state}, and nodes of version ${programs} may still use them. Once none is running: planner migrate --finish`;
}
