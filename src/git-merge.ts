import { printable } from './printable.ts';
import { runMergeDriver } from './cli/merge-driver.ts';
import { uncheckedCollections } from './domain/records/record-collections.ts';
import { nodeDisk } from './store/index.ts';
import type { MergedPlace, UnmergedFile } from './store/index.ts';
import { mergeFiles } from './store/files/git/merge-files.ts';
import { mergePlaces } from './store/files/git/merge-places.ts';

/** Nothing is checked here: what a merge makes of two right records is read, and judged, like any file. */
const collections = uncheckedCollections.map((collection) => ({ ...collection, validate: () => [] }));

/** The merge driver with nothing around it. `given`: what git hands over, `%O %A %B %P`. Answers the exit code. */
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

/** Where records belong whose files git left unmerged. Paths are the project's. */
export function mergePlacesForGit(files: readonly UnmergedFile[]): readonly MergedPlace[] {
  return mergePlaces(collections, files);
}
