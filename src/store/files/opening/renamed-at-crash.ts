import { pathFields } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import { freeze } from '../../record/plain.ts';
import { type Change, membersOf, type StoredRecord } from '../../record/record.ts';
import { sha256Of } from '../disk/sha256.ts';
import { linesOfState } from '../edits/similarity.ts';
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
  let arrivals: ArrivalsByContent | undefined;
  for (const { collection: name, id, value } of lost) {
    const collection = collections.get(name);
    if (value === undefined || collection === undefined || project.files.of(id).length > 0) continue;
    arrivals ??= new ArrivalsByContent(project, collections, changes);
    const state = arrivals.takeOnly(collection, value);
    if (state !== undefined) reattach(project, collection, state, value);
  }
}

/** New files in which the same fields come from their paths, so that one value has the same content in each of them. */
interface AlikeArrivals {
  readonly first: FileState;
  readonly byContent: ReadonlyMap<string | undefined, FileState[]>;
}

/** The files without an id that an opening found, by their content: a checkout may bring thousands. */
class ArrivalsByContent {
  readonly #byCollection: ReadonlyMap<string, readonly AlikeArrivals[]>;
  readonly #taken = new Set<FileState>();

  constructor(project: Project, collections: ReadonlyMap<string, Collection>, changes: readonly Change[]) {
    const found = changes.flatMap((change) => (change.from === undefined ? arrivalOf(project, change) : []));
    const alike = Map.groupBy(found, ({ collection, unstated = [] }) => [collection, ...unstated].join(' '));
    const groups = [...alike.values()].map((states) => {
      const collection = collections.get(states[0]!.collection)!;
      return { first: states[0]!, byContent: Map.groupBy(states, (state) => contentOf(collection, state)) };
    });
    this.#byCollection = Map.groupBy(groups, ({ first }) => first.collection);
  }

  /** The one file with this content, for the first record that has it; undefined if there are several files or none. */
  takeOnly(collection: Collection, value: StoredRecord): FileState | undefined {
    const same = (this.#byCollection.get(collection.name) ?? []).flatMap(({ first, byContent }) => {
      const content = contentOf(collection, { ...first, record: value });
      return content === undefined ? [] : (byContent.get(content) ?? []);
    });
    const [only, another] = same;
    if (only === undefined || another !== undefined || this.#taken.has(only)) return undefined;
    this.#taken.add(only);
    return only;
  }
}

function arrivalOf({ files }: Project, { id }: Change): FileState[] {
  const [state, another] = files.of(id);
  return state === undefined || another !== undefined || state.hasExplicitId || state.sha256 === null ? [] : [state];
}

/** Equal for files with the same lines in any order; undefined if that is no proof. */
function contentOf(collection: Collection, state: FileState): string | undefined {
  const { kind } = collection.location;
  const lines = kind === 'slug' || kind === 'tree' ? linesOfState(collection, state) : undefined;
  if (lines === undefined || lines.characters === 0) return undefined;
  const sorted = [...lines.counts].filter(([line]) => line !== '').sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Of(sorted.map(([line, count]) => `${count} ${line}`).join('\n'));
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
