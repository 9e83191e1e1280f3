import type { Clock } from '../../../clock.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import { type Chain, chains, type Written } from '../journal/chains.ts';
import type { Collection } from '../../record/collection.ts';
import { Debris } from './torn-writes.ts';
import type { Disk } from '../disk/disk.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { FileState } from '../project/file-table.ts';
import type { KeptEntry, Mark } from '../journal/journal.ts';
import { LeftFolders } from './orphan-directories.ts';
import { isServiceName, nameOf, serviceName, stemOf } from '../../record/locations.ts';
import { mergeRecords } from '../../merge/merge.ts';
import type { Project } from '../project/project.ts';
import type { StoredRecord } from '../../record/record.ts';
import { type Lost, settle } from '../edits/reconcile-record.ts';

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
    const left = new LeftFolders(this.#parts, project, unwritten);
    left.takeBack();
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
    left.removeEmpty();
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
