import type { DatabaseSettings } from '../config.ts';

/** What a migration did, or would do. */
export interface Migrated {
  /** Of the tables, and the lowest that a program has to know to use them; undefined if there are no tables. */
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
