import type { Collection } from '../../record/collection.ts';
import { directoryOf, folderMember } from '../../record/locations.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import type { Project } from '../project/project.ts';

/**
 * The folder of a record whose folder has vanished before the record was written into it, or is in this record since a
 * person moved it there: the one that its file is in, null for the top. Returns undefined if the record's folder exists,
 * or if it is not known what its file is in.
 */
export function folderOfOrphan(
  project: Project,
  collections: ReadonlyMap<string, Collection>,
  collection: Collection,
  record: StoredRecord,
): string | null | undefined {
  const { files, index } = project;
  const member = folderMember(collection);
  const folder = member === undefined ? undefined : membersOf(record)[member];
  if (typeof folder !== 'string') return undefined;
  const isThere = files.served(folder) !== undefined || index.record(folder) !== undefined;
  if (isThere && !(collection.location.kind === 'folder' && isBelow(project, member!, folder, record.id)))
    return undefined;
  const file = files.served(record.id);
  if (file === undefined) return null;
  const { location } = collection;
  const folders = location.kind === 'tree' ? collections.get(location.folders) : collection;
  const directory = location.kind === 'tree' ? directoryOf(file.path) : directoryOf(directoryOf(file.path));
  const above = folders && project.folderIdOf(directory, folders);
  return typeof above === 'string' && files.served(above) === undefined ? undefined : above;
}

/** Returns whether a folder is this one, or in it. */
function isBelow({ index }: Project, member: string, folder: string, id: string): boolean {
  const seen = new Set<string>();
  for (let at: unknown = folder; typeof at === 'string' && !seen.has(at);) {
    if (at === id) return true;
    seen.add(at);
    const above = index.record(at);
    at = above && membersOf(above)[member];
  }
  return false;
}
