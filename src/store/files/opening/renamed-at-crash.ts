import { pathFields } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import { freeze } from '../../record/plain.ts';
import { type Change, membersOf, type StoredRecord } from '../../record/record.ts';
import { linesOfState, similarity } from '../edits/similarity.ts';
import type { Chains } from '../journal/chains.ts';
import type { FileState } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';

/**
 * Gives files without an id that look new back to the records whose files are gone: a person has renamed them, and the
 * crash came before the kept ids were stored. Such records are in the journal alone, where no name or inode of their
 * files is known. Their content has to be the same, and that of no other new file. `changes`: what the opening found.
 */
export function reattachRenamed(
  project: Project,
  collections: ReadonlyMap<string, Collection>,
  { pending, edited }: Chains,
  changes: readonly Change[],
): void {
  const lost = [...pending.map(({ collection, id, values }) => ({ collection, id, value: values.at(-1) })), ...edited];
  let arrivals: FileState[] | undefined;
  for (const { collection: name, id, value } of lost) {
    const collection = collections.get(name);
    if (value === undefined || collection === undefined || project.files.of(id).length > 0) continue;
    arrivals ??= changes.flatMap((change) => (change.from === undefined ? arrivalOf(project, change) : []));
    const same = arrivals.filter((state) => state.collection === name && hasContent(collection, state, value));
    if (same.length === 1) reattach(project, collection, same[0]!, value);
  }
}

function arrivalOf({ files }: Project, { id }: Change): FileState[] {
  const [state, another] = files.of(id);
  return state === undefined || another !== undefined || state.hasExplicitId || state.sha256 === null ? [] : [state];
}

function hasContent(collection: Collection, state: FileState, value: StoredRecord): boolean {
  const { kind } = collection.location;
  if (kind !== 'slug' && kind !== 'tree') return false;
  const [found, lost] = [state, { ...state, record: value }].map((one) => linesOfState(collection, one));
  return found !== undefined && lost !== undefined && similarity(found, lost) === 1;
}

function reattach({ files, index }: Project, collection: Collection, state: FileState, value: StoredRecord): void {
  const fromPath = [...(state.unstated ?? []), ...pathFields(collection)].filter((name) => name !== 'id');
  const found = membersOf(state.record!);
  const record = freeze({ ...value, ...Object.fromEntries(fromPath.map((name) => [name, found[name]])) });
  index.apply({ collection: collection.name, id: state.id, from: index.record(state.id), to: undefined });
  index.apply({ collection: collection.name, id: value.id, from: index.record(value.id), to: record });
  files.delete(state.path);
  files.set({ ...state, id: value.id, record, hasKeptId: true });
}
