import type { RowsChange } from '../../record/folder-rows.ts';
import type { FileStat } from '../disk/disk.ts';

/** The content that a file must have before it is overwritten, moved or removed; null if no file may exist. */
export type Expected = { readonly sha256: string } | null;

interface Job {
  /** Set by the caller and copied to the result. */
  readonly key: string;
}

/**
 * A record whose file is rendered by the writer, from the bytes found on disk, so that text of a person around the
 * record is kept.
 */
export interface Rendering {
  /** The name of the record's shape. */
  readonly shape: string;
  /** The project's six-character code. */
  readonly code: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields that stay as the present file has them, or without a key. */
  readonly keep?: readonly string[];
  /** Replace the present file as a whole: it is a torn write. */
  readonly whole?: boolean;
}

/**
 * Returns the bytes of a record's file. `present` is the file that will be replaced or moved, null for a new one;
 * `path` is its path. Throws if the record cannot be written.
 */
export type Renderer = (rendering: Rendering, present: Uint8Array | null, path: string) => Uint8Array | string;

/** The new content of a file, text as UTF-8; null removes the file. */
type Content =
  | { readonly bytes: Uint8Array | string | null; readonly render?: undefined }
  | { readonly render: Rendering; readonly bytes?: undefined };

/**
 * Bytes of this hash are at `from` and are to be linked at `to`, both absolute. Anything else at `to` is left
 * unchanged.
 */
export interface AttachmentPlacement {
  readonly from: string;
  readonly to: string;
  readonly size: number;
  readonly sha256: string;
}

/** A write into a tree of folders. */
interface InFolder {
  /**
   * The folder that it is in, absolute, if it exists as far as is known. It is not created: if a person has renamed or
   * removed it, nothing is written.
   */
  readonly folder?: string;
}

/** Writes, moves or removes one file. Paths are absolute. */
export type FileJob = Job &
  InFolder &
  Content & {
    readonly kind: 'file';
    readonly path: string;
    readonly expect: Expected;
    /** The file moves from this path: `expect` is about this path, and nothing may exist at `path`. */
    readonly from?: string;
    /** An attachment that is moved first, so that a record's file never exists without its bytes. */
    readonly attachment?: AttachmentPlacement;
    /**
     * Sync the content before the rename. A power failure may tear any other file, so this is set if the journal cannot
     * restore the content, or if the file's name does not identify a torn write.
     */
    readonly durable?: boolean;
    /** The mtime of the new file, if it carries information (when a record was created). */
    readonly mtimeMs?: number;
    /** Permissions of a new file, less the umask. Default 0o666. */
    readonly mode?: number;
  };

/** Appends to a file that this process created and that has not changed since its last append. */
export interface AppendJob extends Job {
  readonly kind: 'append';
  readonly path: string;
  readonly expect: { readonly ino: number; readonly size: number };
  readonly bytes: Uint8Array | string;
}

/** A change of a folder, and of the rows in a file, absolute, that goes with it. */
interface OfFolder extends InFolder {
  readonly rows: RowsChange & { readonly file: string };
}

/** Makes a directory, unless it exists. */
export interface MakeDirectoryJob extends Job, OfFolder {
  readonly kind: 'makeDirectory';
  readonly path: string;
}

/** Renames a directory with its content. Succeeds if only `to` exists. */
export interface MoveDirectoryJob extends Job, OfFolder {
  readonly kind: 'moveDirectory';
  readonly from: string;
  readonly to: string;
}

/** Removes a directory if it is empty. */
export interface RemoveDirectoryJob extends Job, OfFolder {
  readonly kind: 'removeDirectoryIfEmpty';
  readonly path: string;
}

/** A job that changes a folder. */
export type FolderJob = MakeDirectoryJob | MoveDirectoryJob | RemoveDirectoryJob;

export type CheckpointJob = FileJob | AppendJob | FolderJob;

export type CheckpointOutcome =
  | {
      /** The job was done now or before. */
      readonly status: 'ok';
      /**
       * The file as written; null after a removal and for directories. Its mtime and size are those of the written
       * bytes, even if a later save changed them.
       */
      readonly stat: FileStat | null;
      /** Hash of the content; null after a removal, for directories and after appending. */
      readonly sha256: string | null;
      /** True if each path of the job was changed once, so that the watcher receives one event for each. */
      readonly emitsEvent: boolean;
    }
  /** Nothing was written: `path` has other content than expected. `bytes` is that content, null if there is no file. */
  | { readonly status: 'changed'; readonly path: string; readonly bytes: Uint8Array | null }
  /** Done as with `ok`, but an editor saved into the old file meanwhile: `bytes` is the save, to be merged. */
  | {
      readonly status: 'raced';
      readonly stat: FileStat | null;
      readonly sha256: string | null;
      readonly emitsEvent: boolean;
      readonly bytes: Uint8Array;
    }
  /** Nothing was written: a git operation is in progress. */
  | { readonly status: 'git'; readonly what: string }
  /** Nothing was written, or an append was truncated again. */
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

/** The outcome of the job with this key. */
export type CheckpointResult = { readonly key: string } & CheckpointOutcome;

/** The results of one batch, in the order of its jobs. */
export interface BatchResult {
  readonly results: readonly CheckpointResult[];
  /** A git operation changed the tree, or began, while the batch was written: it may have overwritten the batch. */
  readonly gitChanged: boolean;
}

/** A path that could not be made durable. */
export interface SyncFailure {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Executes batches of jobs in a worker thread, or in the caller's thread. */
export interface CheckpointPort {
  run(jobs: readonly CheckpointJob[]): Promise<BatchResult>;
  /**
   * Syncs files, and every directory in which something was created, renamed or removed since. Returns the failures.
   */
  sync(paths: readonly string[]): Promise<readonly SyncFailure[]>;
  close(): Promise<void>;
}
