/** One step from a format of the files on disk to the next. */
export interface Migration {
  /** The format that it leads to; it takes the one before. */
  readonly to: number;
  /** The first version of Planner that reads that format: stands in config.json, for those that cannot. */
  readonly since: string;
  /** What it does, as a sentence for the log and for doctor. */
  readonly what: string;
  /**
   * What has to change, read from the files as the step before left them. It writes nothing itself: files are changed all together, after a
   * copy of each was kept. config.json needs no change here, its `format` is set when all else is done.
   */
  readonly changes: (files: MigratedFiles) => Iterable<FileChange>;
}

/** The files of a root as a migration sees them. Paths are relative to `.planner`, with `/`. */
export interface MigratedFiles {
  /** The files in a directory and all below it, sorted by path. */
  list(directory: string): readonly string[];
  /** undefined where there is no file. */
  read(path: string): Uint8Array | undefined;
}

export interface FileChange {
  readonly path: string;
  /** null: the file goes. */
  readonly content: Uint8Array | null;
}

/**
 * Every migration there is, in order, without a gap. A migration is never changed once it was published: roots of every older format go
 * through all that follow. There is none yet: today's format is the first.
 */
export const migrations: readonly Migration[] = [];
