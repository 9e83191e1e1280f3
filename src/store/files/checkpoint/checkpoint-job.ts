import type { FileStat } from '../disk/disk.ts';

/** What must be found before a file is overwritten, moved or removed; null where no file may be there. */
export type Expected = { readonly sha256: string } | null;

interface Job {
  /** The caller's name for it; the result bears it. */
  readonly key: string;
}

/** A record whose file is rendered where it is written, from the bytes that are found there: what a person wrote around it stays. */
export interface Rendering {
  /** The name of the record's shape. */
  readonly shape: string;
  /** The project's six-character code. */
  readonly code: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Nothing of the present file is kept: it is what a power cut left. */
  readonly whole?: boolean;
}

/**
 * The bytes of a record's file. `present` is the file that is going to be replaced or moved, null for a new one; `path` is where it lies.
 * Throws where it cannot.
 */
export type Renderer = (rendering: Rendering, present: Uint8Array | null, path: string) => Uint8Array | string;

/** The new content of a file, text as UTF-8; null removes the file. */
type Content =
  | { readonly bytes: Uint8Array | string | null; readonly render?: undefined }
  | { readonly render: Rendering; readonly bytes?: undefined };

/** Bytes of this hash are at `from` and belong at `to`, both absolute. Nothing else that is at `to` is touched. */
export interface PlaceBytes {
  readonly from: string;
  readonly to: string;
  readonly size: number;
  readonly sha256: string;
}

/** Writes, moves or removes one file. Paths are absolute. */
export type FileJob = Job &
  Content & {
    readonly kind: 'file';
    readonly path: string;
    readonly expect: Expected;
    /** The file moves from here: `expect` is about this path, and nothing may be at `path`. */
    readonly from?: string;
    /** Bytes that are given their place first: a record's file is never there without them. */
    readonly bytesFrom?: PlaceBytes;
    /**
     * The content is synced before it takes its place. A power cut leaves debris of any other file, and what the journal cannot make anew
     * must not be lost by that; nor must the name by which debris is known be another than the service makes.
     */
    readonly durable?: boolean;
    /** The mtime that the new file is given, where that says something (when a record was made). */
    readonly mtimeMs?: number;
    /** Permissions of a new file, less the umask. Default 0o666. */
    readonly mode?: number;
  };

/** Appends to a file that this process began and that is still as it left it. */
export interface AppendJob extends Job {
  readonly kind: 'append';
  readonly path: string;
  readonly expect: { readonly ino: number; readonly size: number };
  readonly bytes: Uint8Array | string;
}

/** Renames a directory with all that is in it. Done already where only `to` is there. */
export interface MoveDirectoryJob extends Job {
  readonly kind: 'moveDirectory';
  readonly from: string;
  readonly to: string;
}

/** Removes a directory unless something is left in it. */
export interface RemoveDirectoryJob extends Job {
  readonly kind: 'removeDirectoryIfEmpty';
  readonly path: string;
}

export type CheckpointJob = FileJob | AppendJob | MoveDirectoryJob | RemoveDirectoryJob;

export type CheckpointOutcome =
  | {
      /** Done, or found done already. */
      readonly status: 'ok';
      /** The file as written; null after a removal and for directories. Its mtime and size are those of our bytes, whatever came after. */
      readonly stat: FileStat | null;
      /** Of the content; null after a removal, for directories and after appending. */
      readonly sha256: string | null;
      /** Each path of the job was changed, once: the system tells of it by one event. */
      readonly told: boolean;
    }
  /** Nothing was written: `path` holds something else than expected. `bytes` is what it holds, null where no file is. */
  | { readonly status: 'changed'; readonly path: string; readonly bytes: Uint8Array | null }
  /** Done as with `ok`, but somebody saved into the old file meanwhile: `bytes` is that save, to be merged. */
  | {
      readonly status: 'raced';
      readonly stat: FileStat | null;
      readonly sha256: string | null;
      readonly told: boolean;
      readonly bytes: Uint8Array;
    }
  /** Nothing was written: git is at work. */
  | { readonly status: 'git'; readonly what: string }
  /** Nothing was written, or an append was taken back. */
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

/** What became of the job of this key. */
export type CheckpointResult = { readonly key: string } & CheckpointOutcome;

/** The answer to one batch, results in the order of the jobs. */
export interface CheckpointAnswer {
  readonly results: readonly CheckpointResult[];
  /** Git changed the tree, or began to, while the batch was written: what was written may lie on either side of that change. */
  readonly gitMoved: boolean;
}

/** A path that could not be made durable. */
export interface SyncFailure {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Where batches of jobs are carried out: a thread of its own, or the caller's. */
export interface CheckpointPort {
  run(jobs: readonly CheckpointJob[]): Promise<CheckpointAnswer>;
  /** Makes files durable, and every directory in which something was made, renamed or removed since. Answers those that failed. */
  sync(paths: readonly string[]): Promise<readonly SyncFailure[]>;
  close(): Promise<void>;
}
