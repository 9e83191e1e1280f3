import { resolve } from 'node:path';
import { replaceFile } from '../../store/index.ts';
import type { Disk, FileVersions, MergedFile } from '../../store/index.ts';
import { forPeople } from '../terminal/error-lines.ts';
import { gitStatus } from './git.ts';

/** Exit codes for git. `conflicts` marks the file as unmerged; `failed` does so too, and `ours` is unchanged. */
export const mergeExit = { clean: 0, conflicts: 1, failed: 2 } as const;

export interface MergeDriverDeps {
  readonly disk: Disk;
  readonly workingDirectory: string;
  /** Returns undefined if the file is not a record file. */
  readonly merge: (versions: FileVersions) => MergedFile | undefined;
  readonly remark: (line: string) => void;
}

/** The arguments of git: `%O %A %B %P`. The driver writes the result to `ours`. */
export interface MergeDriverFiles {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  /** The file's path in the repository. */
  readonly path: string;
}

/**
 * The merge driver, which git runs for each file that both sides changed. On any error `ours` is unchanged and the exit code is non-zero:
 * git keeps both versions and reports the file as unmerged.
 */
export function runMergeDriver(deps: MergeDriverDeps, files: MergeDriverFiles): number {
  const { disk, workingDirectory, merge, remark } = deps;
  try {
    const read = (path: string): Buffer => disk.read(resolve(workingDirectory, path));
    const base = read(files.base);
    const merged = merge({
      path: files.path,
      // A file that both sides added has no base; git passes an empty file.
      base: base.length === 0 ? undefined : base,
      ours: read(files.ours),
      theirs: read(files.theirs),
    });
    if (merged === undefined) return mergeAsText(deps, files);
    // Git reads this file immediately and writes the result to the working tree: it need not be durable.
    replaceFile(disk, resolve(workingDirectory, files.ours), merged.bytes, { durable: false });
    return merged.conflicts === 0 ? mergeExit.clean : mergeExit.conflicts;
  } catch (error) {
    remark(
      `planner merge-driver: ${files.path} was not merged: ${(forPeople(error, disk) ?? (error as Error)).message}`,
    );
    return mergeExit.failed;
  }
}

/** Merges a file that is not a record file like git merges text. A binary file stays unmerged, with our content. */
function mergeAsText({ workingDirectory }: MergeDriverDeps, { base, ours, theirs }: MergeDriverFiles): number {
  const labels = ['-L', 'ours', '-L', 'base', '-L', 'theirs'];
  const status = gitStatus(workingDirectory, ['merge-file', '--quiet', ...labels, '--', ours, base, theirs]);
  if (status === 0) return mergeExit.clean;
  // A status up to 127 is the number of conflicts.
  return status !== null && status < 128 ? mergeExit.conflicts : mergeExit.failed;
}
