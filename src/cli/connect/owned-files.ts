import { dirname, join } from 'node:path';
import { linkedPart, replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';

/** What was done with a file. */
export interface FileReport {
  readonly path: string;
  readonly what: 'written' | 'unchanged' | 'left';
  /** Why it was left unchanged. */
  readonly reason?: string;
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

/** Replaces a file's text by the result of `edit`, unless it is undefined or the same. */
export function editFile(
  { disk, base, path, shown, mode }: EditOptions,
  edit: (text: string) => string | undefined,
): FileReport {
  const linked = linkedPart(disk, base, path);
  if (linked !== undefined)
    return { path: shown, what: 'left', reason: `${linked} is a symbolic link, which is not followed` };
  const target = join(base, path);
  const bytes = disk.readIfExists(target);
  const text = bytes?.toString() ?? '';
  if (bytes !== undefined && !Buffer.from(text).equals(bytes))
    return { path: shown, what: 'left', reason: 'it is not UTF-8' };
  const edited = edit(text);
  if (edited === undefined) return { path: shown, what: 'left', reason: 'it already has an entry named planner' };
  if (bytes !== undefined && edited === text && (mode === undefined || modeOf(disk, target) === mode))
    return { path: shown, what: 'unchanged' };
  const former = disk.stat(target);
  disk.makeDirectory(dirname(target));
  replaceFile(disk, target, Buffer.from(edited), {
    mode: mode ?? (former === undefined ? 0o666 : former.mode & 0o777),
  });
  return { path: shown, what: 'written' };
}

function modeOf(disk: Disk, path: string): number | undefined {
  const stat = disk.stat(path);
  return stat && stat.mode & 0o777;
}
