import type { Collection } from '../../record/collection.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { RealDirectories } from '../disk/real-directories.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import type { Arrival } from './moved-files.ts';

/** What a rescan of some files of a project has found so far. */
export interface Rescan {
  readonly project: Project;
  /** For the current slice, because a directory may become a link between two slices; or for all of the rescan. */
  realDirectories: RealDirectories;
  /** Whether the caller checks the directories once at the end, instead of after each slice and each read. */
  readonly isCheckedAtEnd: boolean;
  /** The last common value of index and file, by the ids whose files changed. */
  readonly touched: Map<string, { readonly collection: Collection; readonly base: StoredRecord | undefined }>;
  readonly retryPaths: Set<string>;
  retryAfterMs: number;
  /** Files at paths where none was known, which may be missing ones under another name. */
  readonly arrivals: Arrival[];
  /** Files that are not at their paths. */
  readonly missing: FileState[];
  /** Files in whose place is another one. */
  readonly replaced: FileState[];
  /** The paths of files that contain the id of another record than the one that was known there, if any. */
  readonly identified: Set<string>;
  /** Missing files whose records are removed. */
  readonly gone: FileState[];
  /** Missing files are removed, and empty ones are read, without a grace period. */
  readonly skipGracePeriods: boolean;
  /** Whether any file was known before. */
  readonly hasKnownFiles: boolean;
}
