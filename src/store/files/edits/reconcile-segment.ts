import { limits } from '../../../base/limits.ts';
import type { FileStat } from '../disk/disk.ts';
import { sameStamp, stampOf } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';

/** Returns whether a path is a segment of history, which contains appended lines and no records. */
export function isSegment(path: string): boolean {
  return /^history\/[^/]+\/[^/.][^/]*\.jsonl$/.test(path);
}

/**
 * Adds arriving lines of history (a pull) and removes vanished ones (a checkout). `file` is the absolute path, `stat`
 * the stat of it.
 */
export function reconcileSegment(project: Project, path: string, file: string, stat: FileStat | undefined): void {
  const known = project.segments.get(path);
  if (stat?.kind === 'file' && known !== undefined && sameStamp(known, stat)) return;
  const readable = stat?.kind === 'file' && stat.size <= limits.historySegmentBytesMax;
  const { badLines } = readable ? project.history.addSegment(file, stat) : { badLines: [] };
  if (!readable) project.history.dropSegment(file);
  // Only now: a segment that could not be read is read again, with the same stamp.
  if (stat?.kind === 'file') project.segments.set(path, stampOf(stat));
  else project.segments.delete(path);
  const [line = stat?.kind === 'file' && !readable ? 1 : undefined] = badLines;
  if (line === undefined) project.otherProblems.delete(path);
  else
    project.otherProblems.set(path, {
      path: project.shownPath(path),
      kind: 'unreadable_history',
      line,
      reason: readable ? 'The line is not a revision.' : `The file is over ${limits.historySegmentBytesMax} bytes.`,
      remedy: 'Remove the line, or check the file out again.',
    });
}
