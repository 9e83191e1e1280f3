import type { FileState } from '../project/file-table.ts';
import type { StoredIds } from '../project/stored-ids.ts';

export interface PlacedStates {
  readonly placed: Iterable<FileState>;
  /** Those whose files were removed, and those whose paths other records have since. */
  readonly obsolete: readonly FileState[];
}

/**
 * Cached states under the names that their files got after the cache was written. `removed`: the records whose files were
 * removed since.
 */
export function placeStates(
  states: readonly FileState[],
  storedIds: StoredIds,
  removed: ReadonlySet<string>,
): PlacedStates {
  const placed = new Map<string, FileState>();
  const renamed = new Map<string, { readonly cached: FileState; readonly state: FileState }>();
  const obsolete: FileState[] = [];
  for (const cached of states) {
    // `local/` may have come with the repository: check its paths like any other input.
    const state = isInside(cached) && !removed.has(cached.id) ? renamedSince(storedIds, cached) : undefined;
    if (state === undefined || !isInside(state)) obsolete.push(cached);
    else if (state === cached) placed.set(cached.path, cached);
    else renamed.set(state.path, { cached, state });
  }
  // Two files may have swapped their names, one of them with its id in it, which is not stored: both are known under the
  // former names, and read. The list grows.
  for (const path of placed.keys()) {
    const one = renamed.get(path);
    if (one === undefined) continue;
    renamed.delete(path);
    placed.set(one.cached.path, one.cached);
  }
  for (const [path, { state }] of renamed) placed.set(path, state);
  return { placed: placed.values(), obsolete };
}

function isInside({ path }: FileState): boolean {
  return !/(?:^|\/)\.{0,2}(?:\/|$)/.test(path);
}

/**
 * A cached state under the name that its file got after the cache was written; undefined if another record has its path
 * since.
 */
function renamedSince(storedIds: StoredIds, state: FileState): FileState | undefined {
  if (state.hasExplicitId) return state;
  const path = storedIds.pathOf(state.id);
  if (path === state.path) return state;
  if (path !== undefined) return { ...state, path, hasKeptId: true, isStale: true, isRenamed: true };
  return storedIds.at(state.path) !== undefined || isObsolete(storedIds, state) ? undefined : state;
}

/** A kept id is stored before the cache has it. */
function isObsolete({ isComplete }: StoredIds, { hasKeptId }: FileState): boolean {
  return isComplete && hasKeptId === true;
}
