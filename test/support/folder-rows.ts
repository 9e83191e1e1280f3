import { uncheckedCollections } from '../../src/domain/records/record-collections.ts';
import { mergeFiles } from '../../src/store/files/git/merge-files.ts';
import type { FolderRows } from '../../src/store/record/folder-rows.ts';

/** The ids of folders by path. */
export function rowsIn(rows: FolderRows): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(rows, ([path, { id }]) => [path, id]));
}

/** Merges three versions of the file of folder ids as the merge driver does. */
export function mergeFilesForTest(base: string, ours: string, theirs: string): object {
  const [first, second, third] = [base, ours, theirs].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  const path = '.planner/projects/plan-abc123/documents/.folders.json';
  const collections = uncheckedCollections.map((collection) => ({ ...collection, validate: () => [] }));
  const merged = mergeFiles(collections, { path, base: first, ours: second, theirs: third })!;
  return { text: merged.bytes.toString(), conflicts: merged.conflicts };
}
