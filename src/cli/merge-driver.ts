import { resolve } from 'node:path';
import { replaceFile } from '../store/index.ts';
import type { Disk, FileVersions, MergedFile } from '../store/index.ts';
import { gitStatus } from './git.ts';

/** What git is told of a merge: above `failed` it takes the file for unmerged and leaves ours as it was. */
export const mergeExit = { clean: 0, conflicts: 1, failed: 2 } as const;

export interface MergeDriverDeps {
  readonly disk: Disk;
  readonly workingDirectory: string;
  /** Undefined where it holds no record. */
  readonly merge: (versions: FileVersions) => MergedFile | undefined;
  readonly remark: (line: string) => void;
}

/** The files that git hands over: `%O %A %B %P`. The result is to be in `ours`. */
export interface MergeDriverFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** Where the file lies in the repository. */
  readonly path: string;
}

/**
 * What git runs for each file that both sides changed. Whatever goes wrong, ours stays as it was and the answer is no: git keeps both
 * sides, and says that the file is unmerged.
 */
export function runMergeDriver(deps: MergeDriverDeps, files: MergeDriverFiles): number {
  const { disk, workingDirectory, merge, remark } = deps;
  try {
    const read = (path: string): Buffer => disk.read(resolve(workingDirectory, path));
    const base = read(files.base);
    const merged = merge({
      path: files.path,
      // A file that both added has no base, for which git hands over an empty one.
      base: base.length === 0 ? undefined : base,
      ours: read(files.ours),
      theirs: read(files.theirs),
    });
    if (merged === undefined) return mergeAsText(deps, files);
    // Git reads it back at once and writes it where it belongs: this copy needs to outlive no power cut.
    replaceFile(disk, resolve(workingDirectory, files.ours), merged.bytes, { durable: false });
    return merged.conflicts === 0 ? mergeExit.clean : mergeExit.conflicts;
  } catch (error) {
    remark(
      `planner merge-driver: ${files.path} was not merged: ${error instanceof Error ? error.message : String(error)}`,
    );
    return mergeExit.failed;
  }
}

/** Files that hold no record merge as git merges any text. Bytes that are none are left as ours, unmerged. */
function mergeAsText({ workingDirectory }: MergeDriverDeps, { base, ours, theirs }: MergeDriverFiles): number {
  const labels = ['-L', 'ours', '-L', 'base', '-L', 'theirs'];
  const status = gitStatus(workingDirectory, ['merge-file', '--quiet', ...labels, '--', ours, base, theirs]);
  if (status === 0) return mergeExit.clean;
  // Up to 127 it is the number of conflicts.
  return status !== null && status < 128 ? mergeExit.conflicts : mergeExit.failed;
}
