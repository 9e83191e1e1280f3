import { invalid } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { foldName } from '../../store/index.ts';
import type { Fields } from './draft.ts';

/** A folder of a draft, and the names along its path, its own last. */
export interface PlacedFolder {
  readonly fields: Fields;
  readonly path: string;
  readonly names: readonly string[];
}

/**
 * A draft's folders from the top down. Throws `invalid_argument` for a folder inside itself, in a folder that does not
 * exist, or next to a folder of the same name: folders are directories.
 */
export function placeFolders(folders: readonly Fields[]): PlacedFolder[] {
  const byId = new Map<unknown, { readonly fields: Fields; readonly path: string }>();
  for (const [at, fields] of folders.entries()) byId.set(fields['id'], { fields, path: `folders[${at}]` });
  const taken = new Set<string>();
  const placed = folders.map((fields, at): PlacedFolder => {
    const path = `folders[${at}]`;
    const names = namesTo(fields, path, byId);
    const key = names.map(foldName).join('\0');
    if (taken.has(key)) {
      throw invalid(`${path}.name`, `${path}.name must be unique in its folder: ${JSON.stringify(names.at(-1))}.`);
    }
    taken.add(key);
    return { fields, path, names };
  });
  return placed.sort((a, b) => a.names.length - b.names.length);
}

function namesTo(
  folder: Fields,
  path: string,
  byId: ReadonlyMap<unknown, { readonly fields: Fields; readonly path: string }>,
): string[] {
  const names: string[] = [];
  const seen = new Set<Fields>();
  for (let at: Fields | undefined = folder, where = path; at !== undefined;) {
    if (seen.has(at))
      throw invalid(
        `${path}.parent_folder_id`,
        `${path} is inside itself: the parents of a folder must not form a cycle.`,
      );
    seen.add(at);
    const { name, parent_folder_id: parent = null } = at;
    if (typeof name !== 'string' || name.trim() === '')
      throw invalid(`${where}.name`, `${where}.name must be a non-blank string.`);
    names.unshift(name.trim());
    if (names.length > limits.folderDepthMax) {
      throw invalid(
        `${path}.parent_folder_id`,
        `${path} is nested too deeply: the maximum is ${limits.folderDepthMax} levels.`,
      );
    }
    if (parent === null) return names;
    const above = byId.get(parent);
    if (above === undefined) {
      throw invalid(
        `${where}.parent_folder_id`,
        `${where}.parent_folder_id must be the id of a folder of the export: ${JSON.stringify(parent)}.`,
      );
    }
    at = above.fields;
    where = above.path;
  }
  return names;
}
