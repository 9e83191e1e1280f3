import type { ReadTransaction } from '../../store/index.ts';
import { foldName } from '../../store/index.ts';
import type { FolderRecord, PlannerCollections, ProjectRecord, TagRecord } from '../records/collections.ts';
import { foldTagName } from '../records/tag-name.ts';

/**
 * Records that files may contradict, as an export has them: an import requires more of them than each of their files.
 * Callers see the same state: a folder in a missing folder is at the top, the first of several tags with a name is the
 * tag, and a project without its default goal has another one.
 */

/** The project, without a default goal that does not exist: an import takes General, or creates it. */
export function consistentProject(
  view: ReadTransaction<PlannerCollections>,
  project: ProjectRecord,
): Partial<ProjectRecord> {
  if (view.get('goal', project.default_goal_id) !== undefined) return project;
  const { default_goal_id: _, ...rest } = project;
  return rest;
}

/** Folders whose parents exist, with names that are unique among their siblings. */
export function consistentFolders(folders: readonly FolderRecord[]): FolderRecord[] {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const taken = new Set<string>();
  return folders.map((folder) => {
    const parent = isWithinMissing(folder, byId) ? null : folder.parent_folder_id;
    const { name } = folder;
    let free = name.trim();
    for (let n = 2; taken.has(`${parent ?? ''}\0${foldName(free)}`); n++) free = `${name.trim()} (${n})`;
    taken.add(`${parent ?? ''}\0${foldName(free)}`);
    return parent === folder.parent_folder_id && free === name
      ? folder
      : { ...folder, name: free, parent_folder_id: parent };
  });
}

/** Returns whether the parent is missing, or the folder is inside itself. */
function isWithinMissing(
  { id, parent_folder_id: parent }: FolderRecord,
  byId: ReadonlyMap<string, FolderRecord>,
): boolean {
  if (parent !== null && !byId.has(parent)) return true;
  const seen = new Set<string>();
  for (let at = parent; at !== null && !seen.has(at); at = byId.get(at)?.parent_folder_id ?? null) seen.add(at);
  return seen.has(id);
}

/** Tags with different names: a tag with the name of another becomes its former name. */
export function consistentTags(tags: readonly TagRecord[]): TagRecord[] {
  const byName = Map.groupBy(
    [...tags].sort((a, b) => (a.id < b.id ? -1 : 1)),
    ({ name }) => foldTagName(name),
  );
  const merged = new Map<string, TagRecord>();
  for (const [first, ...others] of byName.values()) {
    const aliases = [...new Set([first!, ...others].flatMap((tag) => tag.aliases))];
    merged.set(first!.id, others.length === 0 ? first! : { ...first!, aliases });
  }
  return tags.flatMap((tag) => merged.get(tag.id) ?? []);
}
