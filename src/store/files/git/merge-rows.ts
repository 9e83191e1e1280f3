import { type FolderRow, type FolderRows, noRows, readRows, sameRows, textOfRows } from '../../record/folder-rows.ts';
import { directoryOf, nameOf, rowKey } from '../../record/locations.ts';

/**
 * Merges the rows of folders as a set, without a conflict: if both sides gave a directory another row, the one with the
 * smaller id counts, and a row that one side changed stays although the other removed it.
 */
export function mergeRows(versions: {
  readonly base: Uint8Array | undefined;
  readonly ours: Uint8Array | undefined;
  readonly theirs: Uint8Array | undefined;
}): Buffer {
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map((bytes) =>
    bytes === undefined ? noRows : readRows(Buffer.from(bytes).toString()).rows,
  );
  const merged = new Map<string, FolderRow>();
  for (const path of new Set([...base!.keys(), ...ours!.keys(), ...theirs!.keys()])) {
    const row = mergeRow(base!.get(path), ours!.get(path), theirs!.get(path));
    if (row !== undefined) merged.set(path, row);
  }
  return Buffer.from(textOfRows(merged));
}

function mergeRow(
  base: FolderRow | undefined,
  ours: FolderRow | undefined,
  theirs: FolderRow | undefined,
): FolderRow | undefined {
  if (sameRows(ours, theirs) || sameRows(base, theirs)) return ours;
  if (sameRows(base, ours)) return theirs;
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  const [a, b] = [ours, theirs].map(({ id, name = '' }) => `${id} ${name}`);
  return a! < b! ? ours : theirs;
}

/** A record's file that has been moved to its merged path. */
interface PlacedFile {
  readonly path: string;
  /** Its paths in git's index before. */
  readonly paths: readonly string[];
}

/**
 * The directories of folders that both sides moved, with those in which the files of their records are now. `rows`: the
 * merged ones, which have the folder at its directory of either side.
 */
export function mergedDirectories(rows: FolderRows, placed: readonly PlacedFile[]): ReadonlyMap<string, string> {
  const idOf = (directory: string): string | undefined => rows.get(rowKey(directory))?.id;
  const merged = new Map<string, string>();
  for (const { path, paths } of placed) {
    const to = directoryOf(path);
    const from = [...new Set(paths.map(directoryOf))].filter((one) => one !== to && idOf(one) !== undefined);
    // A document that one side moved to another folder is in one of the two, and neither follows it.
    const ids = new Set([...from, to].flatMap((one) => idOf(one) ?? []));
    if (ids.size === 1) for (const one of from) merged.set(one, to);
  }
  return merged;
}

/** The rows after directories have moved with those below them. */
export function rowsInMerged(rows: FolderRows, merged: ReadonlyMap<string, string>): FolderRows {
  const moved = new Map(rows);
  for (const [from, to] of merged)
    for (const [key, row] of rows) {
      const [old, next] = [rowKey(from), rowKey(to)];
      if (key !== old && !key.startsWith(`${old}/`)) continue;
      moved.delete(key);
      const place = `${next}${key.slice(old.length)}`;
      // A name that the directory of either side does not have belongs to that directory.
      const isNamed = nameOf(place) === nameOf(key);
      if (!moved.has(place) || isNamed) moved.set(place, isNamed ? row : { id: row.id });
    }
  return moved;
}
