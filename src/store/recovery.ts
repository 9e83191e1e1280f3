import type { Clock } from '../clock.ts';
import { sameOnDisk } from './assemble.ts';
import type { Collection } from './collection.ts';
import { Debris } from './debris.ts';
import type { Disk } from './disk.ts';
import { type EntryBody, fromEntryChange } from './entry.ts';
import { titleName } from './file-name.ts';
import type { FileState } from './file-table.ts';
import type { KeptEntry, Mark } from './journal.ts';
import { directoryOf, isServiceName, nameOf, serviceName, stemOf } from './places.ts';
import { mergeRecords } from './merge.ts';
import type { Project } from './project.ts';
import { membersOf, type StoredRecord } from './record.ts';
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
  /** Of the last change. */
  seq: number;
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

/** What recovery brought to light. */
export interface Recovered {
  readonly lost: readonly Lost[];
  /** Records whose file holds the last change already: the next recovery need not find it out again, when a person may have edited it. */
  readonly found: readonly Mark[];
  /** Ids for which a file was read that was no edit but debris. */
  readonly debris: ReadonlySet<string>;
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

  recover(project: Project, entries: readonly KeptEntry<EntryBody>[], marks: readonly Mark[]): Recovered {
    const lost: Lost[] = [];
    const found: Mark[] = [];
    const { pending, marked } = chains(entries, marks);
    const unwritten = [...pending];
    const debris = new Debris(this.#parts.disk, project, this.#parts.directoryOf(project));
    for (const written of marked) this.#rewriteDebris(project, debris, written);
    for (const chain of unwritten) {
      const collection = this.#parts.collections.get(chain.collection);
      if (collection === undefined) continue;
      debris.clear(collection, chain);
      this.#removeFormerFile(project, collection, chain);
      const settled = this.#recoverRecord(project, collection, chain, project.files.served(chain.id));
      if (settled !== undefined) lost.push(settled);
      const file = project.files.served(chain.id);
      if (!project.pending.has(chain.id))
        found.push({ project: project.id, path: chain.id, seq: chain.seq, sha256: file?.sha256 ?? null });
    }
    debris.removeEmptied();
    removeLeftDirectories(this.#parts, project, unwritten);
    return { lost, found, debris: debris.ids };
  }

  #recoverRecord(
    project: Project,
    collection: Collection,
    chain: Chain,
    file: FileState | undefined,
  ): Lost | undefined {
    const { id, position } = chain;
    const ours = chain.values.at(-1);
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

  /** Marks are durable before the files they speak of are: a power cut may leave debris behind one. */
  #rewriteDebris(project: Project, debris: Debris, { collection: name, id, values, position, sha256 }: Written): void {
    const collection = this.#parts.collections.get(name);
    const [value] = values;
    if (collection === undefined || value === undefined || project.files.served(id)?.sha256 === sha256) return;
    if (debris.clear(collection, { id, base: undefined, values })?.debris !== true) return;
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

/**
 * A crash between the two steps of a folder's removal, or of its making, leaves an empty directory, which would pass for a folder that
 * somebody made. The deepest first: where a folder went with those in it, all of them are left.
 */
function removeLeftDirectories(parts: RecoveryParts, project: Project, pending: readonly Chain[]): void {
  const without = pending.filter(
    ({ id, values }) => values.at(-1) === undefined || project.files.served(id) === undefined,
  );
  const nameless = [...project.files.values()].filter(({ saysId, sha256 }) => !saysId && sha256 === '');
  for (const state of nameless.sort((a, b) => b.path.length - a.path.length)) {
    const collection = parts.collections.get(state.collection);
    if (collection?.place.kind !== 'folder') continue;
    const { directory: top, parent } = collection.place;
    const directory = directoryOf(state.path);
    const wasHere = (value: StoredRecord | undefined): boolean => {
      const { name, [parent]: above } = value === undefined ? {} : (membersOf(value) as Record<string, unknown>);
      if (typeof name !== 'string' || titleName(name) !== nameOf(directory)) return false;
      const isKnown = typeof above !== 'string' || project.files.served(above) !== undefined;
      return !isKnown || project.directoryOfFolder(above, top) === directoryOf(directory);
    };
    if (!without.some((chain) => chain.collection === collection.name && [chain.base, ...chain.values].some(wasHere)))
      continue;
    if (!parts.disk.removeDirectoryIfEmpty(`${parts.directoryOf(project)}/${directory}`)) continue;
    const record = project.index.record(state.id);
    project.files.delete(state.path);
    if (record !== undefined)
      project.index.apply({ collection: collection.name, id: state.id, from: record, to: undefined });
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
  for (const { seq, position, body, rebooted } of entries) {
    // An edit stands in its file, unless the machine went down before its editor, or we, had synced that.
    const isInFile = body.source === 'disk' && !rebooted;
    for (const entryChange of body.changes) {
      const { collection, id, from, to } = fromEntryChange(entryChange);
      const chain = found.get(id);
      const mark = written.get(id);
      if (mark !== undefined && seq <= mark.seq)
        marked.set(id, { collection, id, base: undefined, values: [to], position, seq, sha256: mark.sha256 });
      else marked.delete(id);
      if (seq <= (mark?.seq ?? 0) || (isInFile && entryChange.file === undefined)) found.delete(id);
      else if (isInFile) found.set(id, { collection, id, base: entryChange.file, values: [to], position, seq });
      else if (chain === undefined) found.set(id, { collection, id, base: from, values: [to], position, seq });
      else {
        chain.values.push(...(entryChange.file === undefined ? [to] : [entryChange.file, to]));
        chain.seq = seq;
      }
    }
  }
  return { pending: found.values(), marked: marked.values() };
}

/**
 * The value that file and changes last had in common. A checkpoint may have written any but the last, its mark lost with the crash; where
 * a person edited what it wrote, it was the one from which least is in dispute. Of several the oldest: nothing acknowledged is then taken
 * for what the person changed back.
 */
function baseOf(
  collection: Collection,
  { base, values }: Chain,
  file: FileState | undefined,
): StoredRecord | undefined {
  if (file?.record === undefined) return base;
  if (lastIndexOf(collection, file, values) >= 0) return file.record;
  const ours = values.at(-1);
  const written = [base, ...values.slice(0, -1)].filter((value) => value !== undefined);
  if (ours === undefined || written.length < 2) return written[0];
  const theirs = file.record;
  const disputes = written.map((value) => mergeRecords(collection, value, ours, theirs).conflicts.length);
  return written[disputes.indexOf(Math.min(...disputes))];
}
