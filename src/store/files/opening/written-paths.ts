import type { EntryBody } from '../../record/entry.ts';
import type { KeptEntry } from '../journal/journal.ts';
import { directoryOf } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import type { StoreParts } from './store-deps.ts';

/**
 * What a process before this one may have written for these entries, absolute: the files of their records, the history, and every directory
 * in which something was made or removed.
 */
export function writtenPaths(
  { layout, collections }: Pick<StoreParts, 'layout' | 'collections'>,
  project: Project,
  entries: readonly KeptEntry<EntryBody>[],
): ReadonlySet<string> {
  const top = `${layout.projects}/${project.directory}`;
  const paths = new Set([layout.projects, top]);
  const add = (path: string): void => {
    for (let at = path; at !== ''; at = directoryOf(at)) paths.add(`${top}/${at}`);
  };
  for (const { body } of entries) {
    for (const { id } of body.changes) for (const { path } of project.files.of(id)) paths.add(`${top}/${path}`);
    for (const { id } of body.revisions) {
      const segment = project.history.fileOf(id);
      // Month, kind of history and what they lie in may be new.
      for (let at = segment ?? top, up = 0; up < 4 && at.startsWith(layout.root); at = directoryOf(at), up++)
        paths.add(at);
    }
  }
  for (const { path } of project.files.values()) add(directoryOf(path));
  for (const { place } of collections.values()) if ('directory' in place) paths.add(`${top}/${place.directory}`);
  return paths;
}
