import type { EntryBody } from '../../record/entry.ts';
import type { KeptEntry } from '../journal/journal.ts';
import type { WrittenRecord } from '../checkpoint/unsynced-files.ts';
import { directoryOf } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { Collection } from '../../record/collection.ts';

/**
 * The absolute paths that a former process may have written for these entries: the files of their records, with these,
 * the history, and every directory in which something was created or removed.
 */
export function writtenPaths(
  { layout, collections }: { readonly layout: RootLayout; readonly collections: ReadonlyMap<string, Collection> },
  project: Project,
  entries: readonly KeptEntry<EntryBody>[],
): ReadonlyMap<string, WrittenRecord | undefined> {
  const top = `${layout.projects}/${project.directory}`;
  const paths = new Map<string, WrittenRecord | undefined>([layout.projects, top].map((path) => [path, undefined]));
  const add = (path: string): void => {
    for (let at = path; at !== ''; at = directoryOf(at)) paths.set(`${top}/${at}`, undefined);
  };
  const segments = new Set<string>();
  for (const { body } of entries) {
    for (const { id } of body.revisions) segments.add(project.history.fileOf(id) ?? top);
    for (const { id } of [...body.changes, ...(body.offline ?? [])]) {
      for (const { path } of project.files.of(id)) paths.set(`${top}/${path}`, { project, id });
      // Revisions of edits that an opening found are in no entry.
      for (const segment of project.history.filesOf(id)) segments.add(segment);
    }
  }
  for (const segment of segments)
    // The directories above a segment may be new, too.
    for (let at = segment, up = 0; up < 4 && at.startsWith(layout.root); at = directoryOf(at), up++)
      paths.set(at, undefined);
  for (const { path } of project.files.values()) add(directoryOf(path));
  for (const { location } of collections.values())
    if ('directory' in location) paths.set(`${top}/${location.directory}`, undefined);
  return paths;
}
