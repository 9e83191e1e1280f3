import type { Collection } from '../../record/collection.ts';
import { directoryOf, folderMember } from '../../record/locations.ts';
import { freeze } from '../../record/plain.ts';
import { type Change, membersOf, type StoredRecord } from '../../record/record.ts';
import type { Project } from '../project/project.ts';
import type { ReconcileOutcome } from './rescan.ts';

/**
 * Makes an outcome closed: every folder that a record is in is served, and none is in itself. A record whose folder was
 * removed, or was moved into the record by a person, is in the folder that its file is in, or in the next one above that
 * is served. Returns the outcome, and the ids of the records whose files are elsewhere. `isOpening`: the index may be
 * open already, since recovery has applied the journal to it.
 */
export function closeFolders(
  project: Project,
  collections: ReadonlyMap<string, Collection>,
  outcome: ReconcileOutcome,
  isOpening = false,
): { readonly outcome: ReconcileOutcome; readonly placed: readonly string[] } {
  const places = new Places(project, collections, outcome.changes);
  const placed = places
    .candidates(isOpening)
    .flatMap(({ collection, id }) => (places.place(collection, id) ? [id] : []));
  if (placed.length === 0) return { outcome, placed };
  const theirs = new Map(outcome.theirs);
  for (const id of placed) theirs.set(id, project.files.served(id)?.record ?? null);
  return { outcome: { ...outcome, changes: places.changes, theirs, stillPending: true }, placed };
}

/** The folders of all records as they are after some changes. */
class Places {
  readonly #project: Project;
  /** The collections whose records may be in a folder. */
  readonly #placed: readonly Collection[];
  readonly #folders: Collection | undefined;
  readonly changes: Change[];
  /** The last change of each record. */
  readonly #at: Map<string, number>;

  constructor(project: Project, collections: ReadonlyMap<string, Collection>, changes: readonly Change[]) {
    this.#project = project;
    this.#placed = [...collections.values()].filter((one) => folderMember(one) !== undefined);
    this.#folders = this.#placed.find(({ location }) => location.kind === 'folder');
    this.changes = [...changes];
    this.#at = new Map(changes.map(({ id }, i) => [id, i]));
  }

  /**
   * The records to look at: those that changed, and every one that may be in a folder if folders may have changed. Pending changes
   * are first, since files are where they are.
   */
  candidates(isOpening: boolean): readonly { readonly collection: Collection; readonly id: string }[] {
    const { index, dirty } = this.#project;
    const found = new Map<string, Collection>();
    if (isOpening || this.changes.some(({ collection }) => collection === this.#folders?.name))
      for (const one of this.#placed) for (const { id } of index.table(one.name).values()) found.set(id, one);
    for (const { collection, id } of this.changes) {
      const one = this.#placed.find(({ name }) => name === collection);
      if (one !== undefined) found.set(id, one);
    }
    const all = Array.from(found, ([id, collection]) => ({ collection, id }));
    return [...all.filter(({ id }) => dirty.has(id)), ...all.filter(({ id }) => !dirty.has(id))];
  }

  /** Places a record if its folder is not served, or in the record itself. Returns false if it stays where it is. */
  place(collection: Collection, id: string): boolean {
    const record = this.#after(id);
    const member = folderMember(collection)!;
    const folder = record && membersOf(record)[member];
    if (record === undefined || typeof folder !== 'string' || this.#canHold(folder, id)) return false;
    const to = freeze({ ...record, [member]: this.#folderOfFile(collection, id) });
    const at = this.#at.get(id);
    if (at === undefined) {
      this.#at.set(id, this.changes.length);
      this.changes.push({ collection: collection.name, id, from: record, to });
    } else this.changes[at] = { ...this.changes[at]!, to };
    return true;
  }

  #after(id: string): StoredRecord | undefined {
    const at = this.#at.get(id);
    return at === undefined ? this.#project.index.record(id) : this.changes[at]!.to;
  }

  /** Whether a folder is served, and is not this record nor in it. */
  #canHold(folder: string, id: string): boolean {
    const member = folderMember(this.#folders)!;
    const seen = new Set<string>();
    for (let at: unknown = folder; typeof at === 'string' && !seen.has(at);) {
      if (at === id) return false;
      seen.add(at);
      const above = this.#after(at);
      if (above === undefined) return at !== folder;
      at = membersOf(above)[member];
    }
    return true;
  }

  #folderOfFile(collection: Collection, id: string): string | null {
    const { files } = this.#project;
    const file = files.served(id);
    if (file === undefined) return null;
    const own = directoryOf(file.path);
    let directory = collection.location.kind === 'folder' ? directoryOf(own) : own;
    for (; directory.includes('/'); directory = directoryOf(directory)) {
      const folder = this.#project.folderIdOf(directory, this.#folders!);
      if (folder !== null && this.#canHold(folder, id)) return folder;
    }
    return null;
  }
}
