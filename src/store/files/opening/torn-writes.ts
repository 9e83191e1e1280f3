import { limits } from '../../../limits.ts';
import { filed, sameOnDisk } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { Disk } from '../disk/disk.ts';
import type { FileState } from '../project/file-table.ts';
import { directoryOf, nameOf, serviceName } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import type { StoredRecord } from '../../record/record.ts';
import { encodeFields } from '../checkpoint/render.ts';

/** The least that a disk writes at once. */
const blockBytes = 512;

/** A record's values that a checkpoint may have written, the oldest first, and what its file held before. */
export interface WrittenValues {
  readonly id: string;
  readonly base: StoredRecord | undefined;
  readonly values: readonly (StoredRecord | undefined)[];
}

/**
 * What a power cut left of files that were written and not yet synced: empty, cut off, or with zeros in place of some blocks. None of it is
 * an edit. Only files under names of the service's own making, in bytes of its own making, are ever left so: others are synced before they
 * take their place.
 */
export class Debris {
  readonly #disk: Disk;
  readonly #project: Project;
  /** The project's, absolute. */
  readonly #directory: string;
  #byName: Map<string, string[]> | undefined;
  /** Directories of folders whose own file was debris and is gone. */
  readonly #emptied: string[] = [];
  /** Of the records for which debris was read, and those that it passed for. */
  readonly ids = new Set<string>();

  constructor(disk: Disk, project: Project, directory: string) {
    this.#disk = disk;
    this.#project = project;
    this.#directory = directory;
  }

  /**
   * Takes debris of these values out of the way: it is removed where the record has another file, else marked to be written anew. Answers
   * the file that serves the record then.
   */
  clear(collection: Collection, written: WrittenValues): FileState | undefined {
    const { files } = this.#project;
    const { id, base, values } = written;
    const known = [base, ...values].filter((value) => value !== undefined);
    const candidates = this.#candidates(collection, id, known);
    const debris = candidates.filter((state) => this.#isDebris(collection, state, id, known));
    let served = files.of(id).some((state) => !debris.includes(state));
    for (const state of debris) {
      this.#forget(state, id);
      if (served || (base === undefined && values.at(-1) === undefined)) {
        this.#disk.remove(`${this.#directory}/${state.path}`);
        if (collection.place.kind === 'folder') this.#emptied.push(directoryOf(state.path));
        continue;
      }
      const { unreadable: _, ...rest } = state;
      files.set({ ...rest, collection: collection.name, id, saysId: true, record: base, debris: true });
      served = true;
    }
    return files.served(id);
  }

  /** Removes the directories of folders that went with their debris, where nothing else is in them: an empty one would pass for a folder. */
  removeEmptied(): void {
    for (const directory of this.#emptied.sort((a, b) => b.length - a.length))
      this.#disk.removeDirectoryIfEmpty(`${this.#directory}/${directory}`);
  }

  #candidates(collection: Collection, id: string, known: readonly StoredRecord[]): FileState[] {
    const { files } = this.#project;
    const paths = new Set(files.of(id).map(({ path }) => path));
    for (const name of new Set(known.map((value) => serviceName(collection, value))))
      for (const path of this.#named(name)) paths.add(path);
    return [...paths].flatMap((path) => files.at(path) ?? []).filter((state) => state.collection === collection.name);
  }

  /** An id that was cut off, or went altogether, is not to be found in the file; the name is whole. */
  #named(name: string): readonly string[] {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const { path } of this.#project.files.values()) {
        const paths = this.#byName.get(nameOf(path));
        if (paths === undefined) this.#byName.set(nameOf(path), [path]);
        else paths.push(path);
      }
    }
    return this.#byName.get(name) ?? [];
  }

  #isDebris(collection: Collection, state: FileState, id: string, known: readonly StoredRecord[]): boolean {
    if (state.sha256 === '' || state.stamp.size > limits.recordFileBytesMax) return false;
    const { record } = state;
    // A file without its id may be an empty one that is known by its path alone.
    const isWhole = state.unreadable === undefined && record !== undefined && state.id === id && state.saysId;
    if (isWhole && known.some((value) => sameOnDisk(collection, record, value))) return false;
    const bytes = this.#disk.readIfThere(`${this.#directory}/${state.path}`);
    if (bytes === undefined) return false;
    if (bytes.every((byte) => byte === 0)) return true;
    return known.some((value) => {
      const whole = encodeFields(collection.shape, this.#project.code, value.id, filed(collection, value));
      return bytes.length <= whole.length && !whole.equals(bytes) && isPartOf(whole, bytes);
    });
  }

  /** What was read from the debris was never a record. */
  #forget(state: FileState, id: string): void {
    const { files, index } = this.#project;
    this.ids.add(id).add(state.id);
    const record = index.record(state.id);
    const isServed = files.served(state.id) === state;
    files.delete(state.path);
    if (state.id !== id && isServed && record !== undefined && files.served(state.id) === undefined)
      index.apply({ collection: state.collection, id: state.id, from: record, to: undefined });
  }
}

/** Whether each block holds what stands there in the whole or nothing but zeros. */
function isPartOf(whole: Buffer, bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    if (!block.equals(whole.subarray(at, at + block.length)) && !block.every((byte) => byte === 0)) return false;
  }
  return true;
}
