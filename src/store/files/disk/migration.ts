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

/** The file in a directory that contained the id of its folder in format 1. */
const folderFile = '/.folder.json';

/** Format 2: the ids of folders are in one file of each project, one line each. */
const foldersInOneFile: Migration = {
  to: 2,
  since: '0.2.0',
  what: 'The ids of folders move from a file in each directory to documents/.folders.json.',
  *changes(files) {
    const folders = files.list('projects').filter((path) => path.endsWith(folderFile));
    for (const [top, paths] of Map.groupBy(folders, (path) => path.split('/').slice(0, 3).join('/'))) {
      const lines = paths.sort().flatMap((path) => {
        const { id, name } = objectIn(files.read(path));
        // A directory whose file was unreadable gets the id that its path derives; the backup has the file.
        if (typeof id !== 'string') return [];
        const directory = path.slice(top.length + 1, -folderFile.length).normalize('NFC');
        const row =
          typeof name === 'string'
            ? `"id": ${JSON.stringify(id)}, "name": ${JSON.stringify(name)}`
            : `"id": ${JSON.stringify(id)}`;
        return [`  ${JSON.stringify(directory)}: { ${row} }`];
      });
      if (lines.length > 0)
        yield { path: `${top}/.folders.json`, content: Buffer.from(`{\n${lines.join(',\n')}\n}\n`) };
      for (const path of paths) yield { path, content: null };
    }
  },
};

function objectIn(content: Uint8Array = Buffer.alloc(0)): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(content).toString()) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/**
 * All migrations in order, without gaps. A published migration is never changed: roots of older formats run all later
 * ones.
 */
export const migrations: readonly Migration[] = [foldersInOneFile];
