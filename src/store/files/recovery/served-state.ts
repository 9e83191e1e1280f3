import { version as release } from '../../../base/version.ts';
import type { IndexSnapshot } from '../../replica/index-snapshot.ts';
import type { SavedVersions } from '../../replica/versions.ts';
import type { Head } from '../../record/log.ts';
import { hasLazyText } from '../../record/lazy-text.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';

/** True if the known state of a project's file, at this path inside it, survives a power failure. */
export type IsSynced = (project: Project, path: string) => boolean;

/** The versions of a project's collections, and the state that they belong to. The index cache contains it. */
export interface ServedState {
  /** Another release may show the same records differently. */
  readonly release: string;
  readonly head: Head;
  /** The time of that entry. */
  readonly at?: string | undefined;
  readonly versions: SavedVersions;
  /** The hashes of the files that the cache does not contain, by their records' ids. */
  readonly omitted: Record<string, FileState['sha256']>;
  /**
   * The records that were not in their files yet, with their collections; null for one that was deleted. Their values
   * were in the journal, which may have been truncated since.
   */
  readonly pending?: Readonly<Record<string, string | null>>;
  /** The paths of copies, so that they do not take over records whose files the cache leaves out, or that are renamed. */
  readonly copies?: readonly string[];
}

/** A project as the index cache had it. */
export interface Cached {
  readonly served: ServedState | undefined;
  readonly snapshot: IndexSnapshot;
  /** Its files that were removed since: the snapshot has no record of them. */
  readonly obsolete: readonly FileState[];
}

/** Returns whether the cache leaves out a file: its record has a large text, or a power failure may lose the file. */
export function isOmitted(project: Project, state: FileState, isSynced: IsSynced): boolean {
  return (state.record !== undefined && hasLazyText(state.record)) || !isSynced(project, state.path);
}

/** The present versions; what the cache leaves out is added by its writer. */
export function servedState({ index, dirty, replica: { tail } }: Project): ServedState {
  const pending = Object.fromEntries(Array.from(dirty, ([id]) => [id, index.collectionOf(id) ?? null]));
  return { release, head: tail.head, at: tail.at, versions: index.versions.saved(), omitted: {}, pending };
}

/** `local/` may have come with the repository: anything may be in the cache. */
export function isServedState(value: unknown): value is ServedState {
  const { head, at, versions, omitted, pending = {}, copies = [] } = (value ?? {}) as Partial<ServedState>;
  return (
    typeof head === 'object' &&
    Number.isSafeInteger(head.seq) &&
    (at === undefined || typeof at === 'string') &&
    typeof versions === 'object' &&
    Object.values(versions).every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isSafeInteger),
    ) &&
    typeof omitted === 'object' &&
    typeof pending === 'object' &&
    Array.isArray(copies)
  );
}
