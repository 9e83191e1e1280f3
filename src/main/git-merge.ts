import { printable } from '../base/printable.ts';
import { runMergeDriver } from '../cli/git/merge-driver.ts';
import { uncheckedCollections } from '../domain/records/record-collections.ts';
import { nodeDisk } from '../store/index.ts';
import type { MergedLocation, UnmergedFile } from '../store/index.ts';
import { mergeFiles } from '../store/files/git/merge-files.ts';
import { mergeLocations } from '../store/files/git/merge-locations.ts';

/** No validation: the merge result of two valid records is validated when it is read, like any other file. */
const collections = uncheckedCollections.map((collection) => ({ ...collection, validate: () => [] }));

/** The merge driver without the command line. `given`: git's arguments `%O %A %B %P`. Returns the exit code. */
export function mergeForGit(
  [base = '', ours = '', theirs = '', path = '']: readonly string[],
  workingDirectory = process.cwd(),
  remark: (line: string) => void = (line) => console.error(printable(line)),
): number {
  return runMergeDriver(
    {
      disk: nodeDisk,
      workingDirectory,
      merge: (versions) => mergeFiles(collections, versions),
      remark,
    },
    { base, ours, theirs, path },
  );
}

/** Returns the target paths of records whose files git left unmerged. Paths are relative to the project. */
export function mergePlacesForGit(files: readonly UnmergedFile[]): readonly MergedLocation[] {
  return mergeLocations(collections, files);
}
