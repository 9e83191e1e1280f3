import { foldName } from '../store/index.ts';
import type { Fields } from './listing.ts';

/**
 * The folders that have to be changed so that all of them can be directories. Of two with one name in one folder the
 * one with the larger id gets another name. Folders inside each other are where `there` has them, else at the top.
 */
export function repairFolders(
  folders: ReadonlyMap<string, Fields>,
  there: (id: string) => Fields | undefined,
): ReadonlyMap<string, Fields> {
  const changed = new Map<string, Fields>();
  const present = (id: string): Fields | undefined => changed.get(id) ?? folders.get(id);
  const inside = (): string[] => [...folders.keys()].filter((id) => isInside(id, id, present));
  for (const id of inside()) changed.set(id, withParent(present(id)!, there(id)?.['parent_folder_id'] ?? null));
  for (const id of inside()) changed.set(id, withParent(present(id)!, null));
  const taken = new Set<string>();
  for (const id of [...folders.keys()].sort()) {
    const { name, parent_folder_id: parent = null } = present(id)!;
    const key = (text: string): string => `${String(parent)}\0${foldName(text)}`;
    let free = String(name);
    for (let number = 2; taken.has(key(free)); number++) free = `${String(name)} ${number}`;
    taken.add(key(free));
    if (free !== name) changed.set(id, { ...present(id)!, name: free });
  }
  return changed;
}

function withParent({ parent_folder_id: _, ...folder }: Fields, parent: unknown): Fields {
  return { ...folder, parent_folder_id: parent };
}

function isInside(id: string, outer: string, folder: (id: string) => Fields | undefined): boolean {
  const seen = new Set<unknown>();
  const above = (of: string): unknown => folder(of)?.['parent_folder_id'];
  for (let at = above(id); typeof at === 'string' && !seen.has(at); at = above(at)) {
    if (at === outer) return true;
    seen.add(at);
  }
  return false;
}
