import type { Chain } from '../journal/chains.ts';
import type { Collection } from '../../record/collection.ts';
import type { Disk } from '../disk/disk.ts';
import { titleName } from '../../record/file-name.ts';
import type { FileState } from '../project/file-table.ts';
import { directoryOf, folderMember, nameOf } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';

export interface LeftFoldersParts {
  readonly disk: Disk;
  readonly collections: ReadonlyMap<string, Collection>;
  /** Absolute path of a project's directory. */
  readonly directoryOf: (project: Project) => string;
}

type FolderPlace = Extract<Collection['place'], { readonly kind: 'folder' }>;

/** A directory that says not whose it is, as it was read: a folder that somebody made, for all that can be seen. */
interface Nameless {
  readonly state: FileState;
  readonly directory: string;
  readonly collection: Collection;
  readonly place: FolderPlace;
}

/**
 * Directories that a crash left of folders: of one being made, or of one that was removed. They would pass for folders that somebody
 * made, and what lies in them for what somebody put there.
 */
export class LeftFolders {
  readonly #parts: LeftFoldersParts;
  readonly #project: Project;
  readonly #pending: readonly Chain[];

  /** `pending`: every record of which the journal says something that may not be in its file. */
  constructor(parts: LeftFoldersParts, project: Project, pending: readonly Chain[]) {
    this.#parts = parts;
    this.#project = project;
    this.#pending = pending;
  }

  /**
   * A power cut may keep that a folder's own file went and lose that others went out of it before. The directory is that folder's still,
   * until they are out again, if the journal moves or removes everything in it.
   */
  takeBack(): void {
    for (const nameless of this.#nameless()) {
      const removed = this.#pending.find((chain) => chain.values.at(-1) === undefined && this.#was(chain, nameless));
      const record = removed && [removed.base, ...removed.values].findLast((value) => value !== undefined);
      if (removed === undefined || record === undefined) continue;
      const inside = this.#directlyIn(nameless);
      if (inside.length === 0 || !inside.every(({ id }) => this.#leaves(id, removed.id))) continue;
      const { state, collection } = nameless;
      const { files, index } = this.#project;
      index.apply({ collection: collection.name, id: state.id, from: index.record(state.id), to: undefined });
      files.set({ ...state, id: removed.id, record });
      for (const one of inside) this.#rename(one, state.id, removed.id);
    }
  }

  /** The deepest first: where a folder went with those in it, all of them are left. */
  removeEmpty(): void {
    const { files, index } = this.#project;
    const without = this.#pending.filter(
      ({ id, values }) => values.at(-1) === undefined || files.served(id) === undefined,
    );
    for (const nameless of this.#nameless()) {
      const { state, directory, collection } = nameless;
      if (!without.some((chain) => this.#was(chain, nameless))) continue;
      if (!this.#parts.disk.removeDirectoryIfEmpty(`${this.#parts.directoryOf(this.#project)}/${directory}`)) continue;
      const record = index.record(state.id);
      files.delete(state.path);
      if (record !== undefined) index.apply({ collection: collection.name, id: state.id, from: record, to: undefined });
    }
  }

  #nameless(): Nameless[] {
    const found = [...this.#project.files.values()].filter(({ saysId, sha256 }) => !saysId && sha256 === '');
    return found
      .sort((a, b) => b.path.length - a.path.length)
      .flatMap((state) => {
        const collection = this.#parts.collections.get(state.collection);
        if (collection?.place.kind !== 'folder') return [];
        return [{ state, directory: directoryOf(state.path), collection, place: collection.place }];
      });
  }

  /** Whether the directory lies where the folder of a chain lay at any time. */
  #was(chain: Chain, { directory, collection, place: { directory: top, parent } }: Nameless): boolean {
    if (chain.collection !== collection.name) return false;
    const { files } = this.#project;
    return [chain.base, ...chain.values].some((value) => {
      const { name, [parent]: above } = value === undefined ? {} : (membersOf(value) as Record<string, unknown>);
      if (typeof name !== 'string' || titleName(name) !== nameOf(directory)) return false;
      const isKnown = typeof above !== 'string' || files.served(above) !== undefined;
      return !isKnown || this.#project.directoryOfFolder(above, top) === directoryOf(directory);
    });
  }

  #directlyIn({ state }: Nameless): FileState[] {
    return [...this.#project.files.values()].filter((one) => {
      const member = this.#memberOf(one);
      return member !== undefined && one.record !== undefined && membersOf(one.record)[member] === state.id;
    });
  }

  #memberOf({ collection }: Pick<FileState, 'collection'>): string | undefined {
    return folderMember(this.#parts.collections.get(collection));
  }

  /** Whether the journal takes a record out of a folder that it lay in. */
  #leaves(id: string, folder: string): boolean {
    const chain = this.#pending.find((one) => one.id === id);
    const member = chain && this.#memberOf(chain);
    if (chain === undefined || member === undefined) return false;
    const folders = [chain.base, ...chain.values].map((value) => value && membersOf(value)[member]);
    return folders.includes(folder) && folders.at(-1) !== folder;
  }

  #rename(one: FileState, from: string, to: string): void {
    const member = this.#memberOf(one)!;
    const { files, index } = this.#project;
    const renamed = (record: StoredRecord): StoredRecord =>
      membersOf(record)[member] === from ? { ...record, [member]: to } : record;
    const present = index.record(one.id);
    if (present !== undefined)
      index.apply({ collection: one.collection, id: one.id, from: present, to: renamed(present) });
    files.set({ ...one, record: renamed(one.record!) });
  }
}
