import type { Collection } from '../../record/collection.ts';
import { idByPath, isServiceName, type LocationMap, nameOf, serviceName, stemOf } from '../../record/locations.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { Chains } from '../journal/chains.ts';
import type { FileState, PossibleValues } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';

/** Of an id: what every name has that the service gives a file. */
const tailLength = 4;

/** A record that the journal has, and what a former process may have written into its file. */
interface Journaled {
  readonly collection: string;
  readonly id: string;
  readonly values: PossibleValues;
}

/**
 * Notes of files that could not be read what a former process may have written into them since they were cached. One that
 * is in no cache may be that of any record without a file, which would count as removed by a person otherwise, and whose
 * file would be removed after a crash: it counts as that of the record that its name speaks for, else of any.
 */
export function noteUnread(project: Project, locations: LocationMap, chains: Chains, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const { files } = project;
  const journaled = new Map(journaledIn(chains).map((one) => [one.id, one]));
  for (const path of paths) {
    const state = files.at(path);
    const found = state && journaled.get(state.id);
    if (found !== undefined) files.set({ ...state!, content: found.values });
  }
  const unknown = new UnknownPaths(
    project,
    locations,
    paths.filter((path) => files.at(path) === undefined),
  );
  const without = [...journaled.values()].filter(
    ({ id, values }) => knownOf(values).length > 0 && files.of(id).length === 0,
  );
  for (const one of without) for (const path of unknown.takeNamed(one)) files.set(stateOf(one, path));
  for (const one of without) {
    const path = isServed(one) && files.of(one.id).length === 0 ? unknown.takeAny(one) : undefined;
    if (path !== undefined) files.set(stateOf(one, path));
  }
}

/** The last of them that the journal has of each record is the last one here. */
function journaledIn({ pending, marked, edited }: Chains): Journaled[] {
  const ofEdit = (base: StoredRecord | undefined): PossibleValues => ({ base, values: [], rebooted: false });
  return [
    ...edited.map(({ collection, id, value }) => ({ collection, id, values: ofEdit(value) })),
    ...[...marked, ...pending].map((chain) => ({ collection: chain.collection, id: chain.id, values: chain })),
  ];
}

/** The state of a file that was never read. */
function stateOf({ collection, id, values: content }: Journaled, path: string): FileState {
  const record = knownOf(content)[0];
  return { path, collection, id, hasExplicitId: true, record, sha256: undefined, stamp: undefined, content };
}

/** Whether there is a record: one that was removed may have no file. */
function isServed({ values: { base, values } }: Journaled): boolean {
  return (values.length === 0 ? base : values.at(-1)) !== undefined;
}

function knownOf({ base, values }: PossibleValues): StoredRecord[] {
  return [base, ...values].filter((value) => value !== undefined);
}

/** Paths of which nothing is known but their names. */
class UnknownPaths {
  readonly #collections = new Map<string, Collection>();
  /** By what they say of the ids of their records. */
  readonly #named = new Map<string, string[]>();

  constructor({ code, id }: Project, locations: LocationMap, paths: readonly string[]) {
    for (const path of paths) {
      const collection = locations.at(path);
      if (collection === undefined) continue;
      this.#collections.set(path, collection);
      const tail = stemOf(collection, nameOf(path)).slice(-tailLength);
      for (const key of [idByPath(collection, code, id, path), tail])
        this.#named.set(key, [...(this.#named.get(key) ?? []), path]);
    }
  }

  /** Takes the paths whose names say that they are a record's. */
  takeNamed({ collection: name, id, values }: Journaled): readonly string[] {
    const isNamed = (path: string): boolean =>
      knownOf(values).some((value) => isServiceName(nameOf(path), serviceName(this.#collections.get(path)!, value)));
    const isLeft = (path: string): boolean => this.#collections.get(path)?.name === name;
    const byId = (this.#named.get(id) ?? []).filter(isLeft);
    const byTail = (this.#named.get(id.slice(-tailLength)) ?? []).filter((path) => isLeft(path) && isNamed(path));
    const found = [...new Set([...byId, ...byTail])];
    for (const path of found) this.#collections.delete(path);
    return found;
  }

  /** Takes a path that may be a record's; undefined if there is none. */
  takeAny({ collection: name }: Journaled): string | undefined {
    const path = this.#collections.entries().find(([, collection]) => collection.name === name)?.[0];
    if (path !== undefined) this.#collections.delete(path);
    return path;
  }
}
