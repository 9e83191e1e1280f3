import type { Clock } from '../clock.ts';
import { filed, sameOnDisk } from './assemble.ts';
import { encodeFields } from './render.ts';
import type { Collection } from './collection.ts';
import type { Disk } from './disk.ts';
import { type EntryBody, fromEntryChange } from './entry.ts';
import type { FileState } from './file-table.ts';
import type { KeptEntry, Mark } from './journal.ts';
import { isServiceName, nameOf, serviceName, stemOf } from './places.ts';
import type { Project } from './project.ts';
import type { StoredRecord } from './record.ts';
import { type Lost, settle } from './settle.ts';

/** What the journal's tail says of one record: its values from the one before the first change that may not be in the file to the last. */
interface Chain {
  readonly collection: string;
  readonly id: string;
  /** What the file held before the first of the changes. */
  base: StoredRecord | undefined;
  /** What the changes made of it, one after the other. A checkpoint may have written any of them. */
  readonly values: (StoredRecord | undefined)[];
  readonly position: number;
}

/** A record whose last change is marked as written, and the bytes it was marked with. */
interface Written extends Chain {
  readonly sha256: string | null;
}

export interface RecoveryParts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly collections: ReadonlyMap<string, Collection>;
  /** Absolute path of a project's directory. */
  readonly directoryOf: (project: Project) => string;
}

/**
 * Brings a project that was just read from its files up to what the journal acknowledged. Per record: the file holds the last value
 * (done), the value before (write), nothing or debris of a power cut (write), or a person's edit (merge).
 */
export class Recovery {
  readonly #parts: RecoveryParts;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  recover(project: Project, entries: readonly KeptEntry<EntryBody>[], marks: readonly Mark[]): Lost[] {
    const lost: Lost[] = [];
    const { pending, marked } = chains(entries, marks);
    for (const written of marked) this.#rewriteDebris(project, written);
    for (const chain of pending) {
      const collection = this.#parts.collections.get(chain.collection);
      if (collection === undefined) continue;
      this.#removeFormerFile(project, collection, chain);
      const settled = this.#recoverRecord(project, collection, chain);
      if (settled !== undefined) lost.push(settled);
    }
    return lost;
  }

  #recoverRecord(project: Project, collection: Collection, chain: Chain): Lost | undefined {
    const { id, position } = chain;
    const ours = chain.values.at(-1);
    const file = this.#withoutDebris(project, collection, chain);
    const present = project.index.record(id);
    project.index.apply({ collection: collection.name, id, from: present, to: ours });
    project.await(id, collection.name, position);
    const base = baseOf(collection, chain, file);
    const settled = settle({ project, collection, id, base, file, now: this.#parts.clock.now() });
    for (const change of settled.changes) project.index.apply(change);
    if (!settled.pending) project.pending.delete(id);
    const now = project.index.record(id);
    if (file?.record !== undefined && now !== undefined && sameOnDisk(collection, file.record, now))
      project.files.set({ ...file, record: now });
    return settled.lost;
  }

  /** A file that a power cut left empty, full of zeros or cut off is not an edit: what was there before counts. */
  #withoutDebris(project: Project, collection: Collection, chain: Chain): FileState | undefined {
    const { id, base, values } = chain;
    const ours = values.at(-1);
    const file = project.files.served(id) ?? this.#debrisOf(project, collection, ours);
    if (file === undefined || ours === undefined || file.sha256 === '') return file;
    if (file.unreadable === undefined && isOneOf(collection, file, [base, ...values])) return file;
    const bytes = this.#parts.disk.readIfThere(`${this.#parts.directoryOf(project)}/${file.path}`);
    if (bytes === undefined || !this.#isDebris(project, collection, ours, bytes)) return file;
    const { unreadable: _, ...rest } = file;
    const mended: FileState = { ...rest, id, record: base, debris: true };
    project.files.set(mended);
    return mended;
  }

  /** A file that was cut off in the middle of its id is known under another one: it is found among the unreadable ones. */
  #debrisOf(project: Project, collection: Collection, ours: StoredRecord | undefined): FileState | undefined {
    for (const path of ours === undefined ? [] : project.files.unreadable) {
      const state = project.files.at(path);
      const bytes = this.#parts.disk.readIfThere(`${this.#parts.directoryOf(project)}/${path}`);
      if (state?.collection !== collection.name || bytes === undefined || bytes.length === 0) continue;
      if (ours !== undefined && !bytes.every((byte) => byte === 0) && this.#isDebris(project, collection, ours, bytes))
        return state;
    }
    return undefined;
  }

  #isDebris(project: Project, collection: Collection, ours: StoredRecord, bytes: Buffer): boolean {
    if (bytes.every((byte) => byte === 0)) return true;
    const whole = encodeFields(collection.shape, project.code, ours.id, filed(collection, ours));
    return bytes.length < whole.length && whole.subarray(0, bytes.length).equals(bytes);
  }

  /** Marks are durable before the files they speak of are: a power cut may leave debris behind one. */
  #rewriteDebris(project: Project, { collection: name, id, values, position, sha256 }: Written): void {
    const collection = this.#parts.collections.get(name);
    const [value] = values;
    const file = project.files.served(id);
    if (collection === undefined || value === undefined || file === undefined || file.sha256 === sha256) return;
    if (this.#withoutDebris(project, collection, { collection: name, id, base: undefined, values, position }) === file)
      return;
    project.index.apply({ collection: name, id, from: project.index.record(id), to: value });
    project.await(id, name, position);
  }

  /**
   * A crash between writing a file under its new name and removing the old one leaves both: the one with the older value goes. The new
   * one may hold any of the values, later changes may have been acknowledged meanwhile. A copy that a person made bears a name of its own
   * and stays.
   */
  #removeFormerFile(project: Project, collection: Collection, { id, base, values }: Chain): void {
    const known = [base, ...values];
    const ages = project.files.of(id).map((state) => ({ state, age: lastIndexOf(collection, state, known) }));
    const newest = ages.reduce((a, b) => (b.age > a.age ? b : a), ages[0] ?? { state: undefined, age: -1 });
    for (const { state, age } of ages) {
      if (state === newest.state || age < 0 || age === newest.age) continue;
      const ours = isServiceName(nameOf(state.path), serviceName(collection, state.record!));
      const stem = ({ path }: FileState): string => stemOf(collection, nameOf(path));
      if (!ours && stem(state) !== stem(newest.state!)) continue;
      this.#parts.disk.remove(`${this.#parts.directoryOf(project)}/${state.path}`);
      project.files.delete(state.path);
    }
  }
}

/** Which of the values, oldest first, the file holds; -1 for none. */
function lastIndexOf(
  collection: Collection,
  { record }: FileState,
  values: readonly (StoredRecord | undefined)[],
): number {
  return values.findLastIndex(
    (value) => record !== undefined && value !== undefined && sameOnDisk(collection, record, value),
  );
}

/** The chains of changes that no mark and no edit on disk says to be in their files. */
function chains(
  entries: readonly KeptEntry<EntryBody>[],
  marks: readonly Mark[],
): { readonly pending: Iterable<Chain>; readonly marked: Iterable<Written> } {
  const written = new Map<string, Mark>();
  const marked = new Map<string, Written>();
  for (const mark of marks) if (mark.seq >= (written.get(mark.path)?.seq ?? 0)) written.set(mark.path, mark);
  const found = new Map<string, Chain>();
  for (const { seq, position, body } of entries) {
    for (const entryChange of body.changes) {
      const { collection, id, from, to } = fromEntryChange(entryChange);
      const chain = found.get(id);
      const mark = written.get(id);
      if (mark !== undefined && seq <= mark.seq)
        marked.set(id, { collection, id, base: undefined, values: [to], position, sha256: mark.sha256 });
      else marked.delete(id);
      if (seq <= (mark?.seq ?? 0) || (body.source === 'disk' && entryChange.file === undefined)) found.delete(id);
      else if (body.source === 'disk')
        found.set(id, { collection, id, base: entryChange.file, values: [to], position });
      else if (chain === undefined) found.set(id, { collection, id, base: from, values: [to], position });
      else chain.values.push(to);
    }
  }
  return { pending: found.values(), marked: marked.values() };
}

/** The value that file and changes last had in common: a checkpoint may have written any but the last, its mark lost with the crash. */
function baseOf(
  collection: Collection,
  { base, values }: Chain,
  file: FileState | undefined,
): StoredRecord | undefined {
  return file !== undefined && isOneOf(collection, file, values) ? file.record : base;
}

function isOneOf(collection: Collection, file: FileState, values: readonly (StoredRecord | undefined)[]): boolean {
  return lastIndexOf(collection, file, values) >= 0;
}
