/** A migration from one format of the files on disk to the next. */
export interface Migration {
  /** The format after the migration; the input is the one before. */
  readonly to: number;
  /** The first version of Planner that reads that format; written to config.json for older versions. */
  readonly since: string;
  /** A sentence for the log and for doctor. */
  readonly what: string;
  /**
   * The changes, computed from the files as the previous migration left them. It writes nothing itself: all files are
   * changed together, after a backup of each. config.json needs no change here, its `format` is set last.
   */
  readonly changes: (files: MigratedFiles) => Iterable<FileChange>;
}

/** A root's files during a migration. Paths are relative to `.planner`, with `/`. */
export interface MigratedFiles {
  /** The files in a directory and all below it, sorted by path. */
  list(directory: string): readonly string[];
  /** undefined if there is no file. */
  read(path: string): Uint8Array | undefined;
}

export interface FileChange {
  readonly path: string;
  /** null removes the file. */
  readonly content: Uint8Array | null;
}

/**
 * All migrations in order, without gaps. A published migration is never changed: roots of older formats run all later
 * ones. There is none yet: the current format is the first.
 */
export const migrations: readonly Migration[] = [];
