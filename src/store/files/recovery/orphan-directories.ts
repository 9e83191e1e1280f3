import type { Chain, Chains } from '../journal/chains.ts';
import type { Collection } from '../../record/collection.ts';
import { lastIndexOf } from '../edits/common-value.ts';
import type { Disk } from '../disk/disk.ts';
import { titleName } from '../../record/file-name.ts';
import type { FileState } from '../project/file-table.ts';
import { directoryOf, folderMember, nameOf } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';

export interface OrphanDirectoriesDeps {
  readonly disk: Disk;
  readonly collections: ReadonlyMap<string, Collection>;
  /** Absolute path of a project's directory. */
  readonly directoryOf: (project: Project) => string;
}

type FolderLocation = Extract<Collection['location'], { readonly kind: 'folder' }>;

/** The directory of a folder. One without a record, as read, looks like a folder that a person made. */
interface OrphanDirectory {
  readonly state: FileState;
  readonly directory: string;
  readonly collection: Collection;
  readonly location: FolderLocation;
}

/**
 * Finds orphan directories that a crash left of folders that were being created or removed. Otherwise they, and the
 * files in them, would look like folders and files that a person made.
 */
export class OrphanDirectories {
  readonly #deps: OrphanDirectoriesDeps;
  readonly #project: Project;
  /** Every record with journal entries that may not be in its file. */
  readonly #pending: readonly Chain[];
  /** The records that existed at the end of the journal: the directory of such a folder is no orphan. */
  readonly #existing: ReadonlySet<string>;

  constructor(deps: OrphanDirectoriesDeps, project: Project, { pending, marked, edited }: Chains) {
    this.#deps = deps;
    this.#project = project;
    this.#pending = pending;
    const last = [...edited, ...[...marked, ...pending].map(({ id, values }) => ({ id, value: values.at(-1) }))];
    this.#existing = new Set(last.flatMap(({ id, value }) => (value === undefined ? [] : [id])));
  }

  /**
   * Removes the files of removed folders again that a power failure brought back, where their directories, in which
   * other files were left, were other folders since.
   */
  removeReturned(): void {
    const { files } = this.#project;
    for (const removed of this.#pending) {
      const state = removed.values.at(-1) === undefined && removed.rebooted ? files.served(removed.id) : undefined;
      const collection = this.#deps.collections.get(removed.collection);
      if (state === undefined || collection?.location.kind !== 'folder' || state.sha256 === null) continue;
      if (lastIndexOf(collection, state, [removed.base, ...removed.values]) < 0) continue;
      const place = { state, directory: directoryOf(state.path), collection, location: collection.location };
      const successor = this.#pending.find(
        (chain) => chain.values.at(-1) !== undefined && !this.#isServed(chain) && this.#belongedTo(chain, place),
      );
      if (successor === undefined) continue;
      this.#deps.disk.remove(`${this.#deps.directoryOf(this.#project)}/${state.path}`);
      this.#giveTo(successor, place);
    }
  }

  /** Whether the directory is where a folder without a file was last. */
  #isLastAt(chain: Chain, directory: OrphanDirectory): boolean {
    const last = { ...chain, base: undefined, values: chain.values.slice(-1) };
    return !this.#isServed(chain) && this.#belongedTo(last, directory);
  }

  #isServed({ id }: Chain): boolean {
    return this.#project.files.served(id) !== undefined;
  }

  #giveTo(chain: Chain, directory: OrphanDirectory): void {
    const { files } = this.#project;
    const { id } = chain;
    const { state, collection } = directory;
    const { path } = state;
    const inside = this.#directlyIn(directory);
    const content = { record: this.#valueAt(chain, directory), sha256: null, stamp: undefined };
    files.set({ path, collection: collection.name, id, hasExplicitId: false, ...content });
    for (const one of inside) {
      this.#rename(one, state.id, id);
      this.#renameValues(one, state.id, id);
    }
  }

  /** What the journal has of a record from when its directory was the other folder: otherwise it would count as moved. */
  #renameValues(one: FileState, from: string, to: string): void {
    const chain = this.#chainOf(one.id);
    const member = this.#memberOf(one)!;
    if (chain === undefined) return;
    chain.base = chain.base && withFolder(chain.base, member, from, to);
    // The last one is what clients and people have made of it.
    for (const [i, value] of chain.values.slice(0, -1).entries())
      chain.values[i] = value && withFolder(value, member, from, to);
  }

  /**
   * Reattaches orphan directories to folders whose own files a power failure has lost, and to removed folders. It may
   * keep the removal of a folder's own file and lose earlier moves of files out of it. If the journal moves or removes
   * every file in the directory, it still belongs to that folder until they are moved again.
   */
  reattach(): void {
    for (const orphan of this.#orphans()) {
      const present = this.#pending.find((chain) => chain.rebooted && this.#isLastAt(chain, orphan));
      if (present !== undefined) {
        this.#forget(orphan);
        this.#giveTo(present, orphan);
        // Its own file is written again.
        const { files } = this.#project;
        files.set({ ...files.at(orphan.state.path)!, content: 'unknown' });
        continue;
      }
      const removed = this.#pending.find(
        (chain) => chain.values.at(-1) === undefined && this.#belongedTo(chain, orphan),
      );
      const record = removed && [removed.base, ...removed.values].findLast((value) => value !== undefined);
      if (removed === undefined || record === undefined) continue;
      const inside = this.#directlyIn(orphan);
      if (inside.length === 0 || !inside.every(({ id }) => this.#movesOut(id, removed.id))) continue;
      const { state } = orphan;
      this.#forget(orphan);
      this.#project.files.set({ ...state, id: removed.id, record });
      for (const one of inside) this.#rename(one, state.id, removed.id);
    }
  }

  /** Forgets the folder that the directory was taken for. */
  #forget({ state: { id }, collection: { name } }: OrphanDirectory): void {
    const { index } = this.#project;
    const from = index.record(id);
    if (from !== undefined) index.apply({ collection: name, id, from, to: undefined });
  }

  /** Removes orphan directories that are empty, the deepest first: nested folders may all be orphans. */
  removeEmpty(): void {
    const { files } = this.#project;
    const without = this.#pending.filter(
      ({ id, values }) => values.at(-1) === undefined || files.served(id) === undefined,
    );
    for (const orphan of this.#orphans()) {
      const { state, directory } = orphan;
      if (!without.some((chain) => this.#belongedTo(chain, orphan))) continue;
      if (!this.#deps.disk.removeDirectoryIfEmpty(`${this.#deps.directoryOf(this.#project)}/${directory}`)) continue;
      files.delete(state.path);
      this.#forget(orphan);
    }
  }

  #orphans(): OrphanDirectory[] {
    const found = [...this.#project.files.values()].filter(
      ({ id, hasExplicitId, sha256 }) => !hasExplicitId && sha256 === null && !this.#existing.has(id),
    );
    return found
      .sort((a, b) => b.path.length - a.path.length)
      .flatMap((state) => {
        const collection = this.#deps.collections.get(state.collection);
        if (collection?.location.kind !== 'folder') return [];
        return [{ state, directory: directoryOf(state.path), collection, location: collection.location }];
      });
  }

  /** Whether the directory is at a path that the folder of a chain had at any time. */
  #belongedTo(chain: Chain, directory: OrphanDirectory): boolean {
    return this.#valueAt(chain, directory) !== undefined;
  }

  /** The last value of a chain whose folder was at the path of the directory. */
  #valueAt(chain: Chain, place: OrphanDirectory): StoredRecord | undefined {
    const { directory, collection, location } = place;
    const { directory: top, parent } = location;
    if (chain.collection !== collection.name) return undefined;
    const { files } = this.#project;
    return [chain.base, ...chain.values].findLast((value) => {
      const { name, [parent]: above } = value === undefined ? {} : (membersOf(value) as Record<string, unknown>);
      if (typeof name !== 'string' || titleName(name) !== nameOf(directory)) return false;
      const isKnown = typeof above !== 'string' || files.served(above) !== undefined;
      return !isKnown || this.#project.directoryOfFolder(above, top) === directoryOf(directory);
    });
  }

  #directlyIn({ state }: OrphanDirectory): FileState[] {
    return [...this.#project.files.values()].filter((one) => {
      const member = this.#memberOf(one);
      return member !== undefined && one.record !== undefined && membersOf(one.record)[member] === state.id;
    });
  }

  #memberOf({ collection }: Pick<FileState, 'collection'>): string | undefined {
    return folderMember(this.#deps.collections.get(collection));
  }

  #chainOf(id: string): Chain | undefined {
    return this.#pending.find((chain) => chain.id === id);
  }

  /** Whether the journal moves a record out of a folder that it was in. */
  #movesOut(id: string, folder: string): boolean {
    const chain = this.#chainOf(id);
    const member = chain && this.#memberOf(chain);
    if (chain === undefined || member === undefined) return false;
    const folders = [chain.base, ...chain.values].map((value) => value && membersOf(value)[member]);
    return folders.includes(folder) && folders.at(-1) !== folder;
  }

  #rename(one: FileState, from: string, to: string): void {
    const member = this.#memberOf(one)!;
    const { files, index } = this.#project;
    const present = index.record(one.id);
    if (present !== undefined) {
      const renamed = withFolder(present, member, from, to);
      index.apply({ collection: one.collection, id: one.id, from: present, to: renamed });
    }
    files.set({ ...one, record: withFolder(one.record!, member, from, to) });
  }
}

/** The record in the folder `to`, if it is in `from`. */
function withFolder(record: StoredRecord, member: string, from: string, to: string): StoredRecord {
  return membersOf(record)[member] === from ? { ...record, [member]: to } : record;
}
