import { type FolderRows, FolderRowTable, readRows, rowsFile, sameRows } from '../../record/folder-rows.ts';
import { folderFile } from '../../record/locations.ts';
import { sameStamp, stampOf } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { repairByHand } from './unreadable-remedy.ts';
import type { Rescan } from './rescan.ts';

/**
 * Reads the file of rows if it has changed and these paths are in its tree. Returns the paths of the folders whose rows
 * are others now.
 */
export function readFolderRows(scan: Rescan, asked: readonly string[]): readonly string[] {
  const { project, deps } = scan;
  const [top] = deps.locations.trees.keys();
  if (top === undefined || !asked.some((path) => path === '' || path.startsWith(top))) return [];
  // Rows that are being written are known when the write ends.
  if (project.claims.hasFolder) return [];
  const path = `${top}/${rowsFile}`;
  const found = scan.realDirectories.stat(scan.absolute(path));
  const stat = found?.kind === 'file' ? found : undefined;
  if (stat === undefined) {
    if (project.rowsStamp === undefined) return [];
    if (!scan.isGone(path)) return [];
  } else {
    project.undecided.on(path, { kind: 'seen' });
    if (project.rowsStamp !== undefined && sameStamp(project.rowsStamp, stat)) return [];
  }
  const bytes = stat === undefined ? Buffer.alloc(0) : deps.disk.readSame(scan.absolute(path), stat);
  if (bytes === undefined) {
    scan.retry(path);
    return [];
  }
  const before = project.rows;
  const { rows, isWhole } = readRows(bytes.toString());
  project.rows = withFollowed(project, rows);
  project.rowsStamp = stat && stampOf(stat);
  noteProblem(scan, path, isWhole);
  const now = project.rows;
  const changed = [...before.keys(), ...now.keys()].filter((key) => !sameRows(before.get(key), now.get(key)));
  return [...new Set(changed)].map((key) => `${top}/${key}/${folderFile}`);
}

/** The rows of a file, but for those that followed directories which a person has renamed: they are still to be written. */
function withFollowed({ rows: before, dirty }: Project, rows: FolderRows): FolderRows {
  const followed = [...before].filter(([key, { id }]) => !rows.has(key) && dirty.isForced(id));
  const table = new FolderRowTable(rows);
  table.complete({ set: new Map(followed), drop: [] });
  return table.rows;
}

function noteProblem({ project }: Rescan, path: string, isWhole: boolean): void {
  if (isWhole) return void project.otherProblems.delete(path);
  project.otherProblems.set(path, {
    path: project.shownPath(path),
    kind: 'unreadable',
    reason: 'It is no JSON. The lines that are rows of folders are read, and count.',
    remedy: repairByHand,
  });
}
