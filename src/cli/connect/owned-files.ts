import { dirname, join } from 'node:path';
import { linkedPart, replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';

/** What became of a file. */
export interface FileReport {
  readonly path: string;
  readonly what: 'written' | 'unchanged' | 'left';
  /** Why it was left. */
  readonly reason?: string;
}

export interface EditOptions {
  readonly disk: Disk;
  /** No link below it is followed. */
  readonly base: string;
  /** Below `base`, with `/`. */
  readonly path: string;
  /** How it is told to people. */
  readonly shown: string;
  readonly mode?: number;
}

/** Gives a file the text that `edit` makes of its present one; undefined leaves it. Bytes that would be the same are not written. */
export function editFile(
  { disk, base, path, shown, mode }: EditOptions,
  edit: (text: string) => string | undefined,
): FileReport {
  const linked = linkedPart(disk, base, path);
  if (linked !== undefined)
    return { path: shown, what: 'left', reason: `${linked} is a link, and no link is followed here` };
  const target = join(base, path);
  const bytes = disk.readIfExists(target);
  const text = bytes?.toString() ?? '';
  if (bytes !== undefined && !Buffer.from(text).equals(bytes))
    return { path: shown, what: 'left', reason: 'it is not UTF-8' };
  const edited = edit(text);
  if (edited === undefined) return { path: shown, what: 'left', reason: 'it has an entry of the name planner already' };
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
