import type { DatabaseSettings } from '../../base/config.ts';

/** The result of a migration, or of its dry run. */
export interface Migrated {
  /**
   * The version of the tables, and the lowest version that a program has to know to use them; undefined without tables.
   */
  readonly versions: { readonly tables: number; readonly programs: number } | undefined;
  readonly steps: readonly {
    readonly version: number;
    readonly part: 'expand' | 'contract';
    readonly changes: readonly string[];
  }[];
}

export type MigrateDatabase = (
  database: DatabaseSettings,
  options: { readonly dryRun: boolean; readonly finish: boolean },
) => Promise<Migrated>;
