import { dirname, join } from 'node:path';
import { linkedPart, replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';

/** Some editors begin a file with it. */
const byteOrderMark = '\ufeff';

/** The text of a file without the mark. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
}

/** A report of the change to a file. */
export interface FileReport {
  readonly path: string;
  readonly what: 'written' | 'unchanged' | 'left';
  /** Why it was left unchanged. */
  readonly reason?: string;
}

/** An edit of a file that was computed and is not written yet. */
export interface FileEdit {
  readonly report: FileReport;
  /** Writes it. Returns the function that restores the former file. */
  readonly write: () => () => void;
}

export interface EditOptions {
  readonly disk: Disk;
  /** Symbolic links below it are not followed. */
  readonly base: string;
  /** Below `base`, with `/`. */
  readonly path: string;
  /** The path in output. */
  readonly shown: string;
  readonly mode?: number;
}

/**
 * Replaces a file's text by the result of `edit` once it is written, unless that is undefined or the same. `edit` gets the text without its
 * byte order mark, which is kept.
 */
export function editFile(
  { disk, base, path, shown, mode }: EditOptions,
  edit: (text: string) => string | undefined,
): FileEdit {
  const linked = linkedPart(disk, base, path);
  if (linked !== undefined)
    return kept({ path: shown, what: 'left', reason: `${linked} is a symbolic link, which is not followed` });
  const target = join(base, path);
  const bytes = disk.readIfExists(target);
  const text = bytes?.toString() ?? '';
  if (bytes !== undefined && !Buffer.from(text).equals(bytes))
    return kept({ path: shown, what: 'left', reason: 'it is not UTF-8' });
  const unmarked = withoutByteOrderMark(text);
  const changed = edit(unmarked);
  const edited = changed === undefined || unmarked === text ? changed : byteOrderMark + changed;
  if (edited === undefined) return kept({ path: shown, what: 'left', reason: 'it already has an entry named planner' });
  const former = modeOf(disk, target);
  if (bytes !== undefined && edited === text && (mode === undefined || former === mode))
    return kept({ path: shown, what: 'unchanged' });
  return {
    report: { path: shown, what: 'written' },
    write: () => {
      const made = makeDirectories(disk, dirname(target));
      replaceFile(disk, target, Buffer.from(edited), { mode: mode ?? former ?? 0o666 });
      return () => {
        if (bytes === undefined) disk.remove(target);
        else replaceFile(disk, target, bytes, { mode: former ?? 0o666 });
        for (const directory of made) disk.removeDirectoryIfEmpty(directory);
      };
    },
  };
}

function kept(report: FileReport): FileEdit {
  return { report, write: () => () => undefined };
}

/** Returns the directories that were missing, the deepest one first. */
function makeDirectories(disk: Disk, directory: string): readonly string[] {
  const missing: string[] = [];
  for (let at = directory; disk.stat(at) === undefined; at = dirname(at)) missing.push(at);
  disk.makeDirectory(directory);
  return missing;
}

function modeOf(disk: Disk, path: string): number | undefined {
  const stat = disk.stat(path);
  return stat && stat.mode & 0o777;
}
