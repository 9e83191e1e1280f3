import type { Clock } from '../../../clock.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import { type Chain, chains, type MarkedChain } from '../journal/chains.ts';
import type { Collection } from '../../record/collection.ts';
import { TornWrites } from './torn-writes.ts';
import type { Disk } from '../disk/disk.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { FileState } from '../project/file-table.ts';
import type { KeptEntry, Mark } from '../journal/journal.ts';
import { OrphanDirectories } from './orphan-directories.ts';
import { isServiceName, nameOf, serviceName, stemOf } from '../../record/locations.ts';
import { mergeRecords } from '../../merge/merge.ts';
import type { Project } from '../project/project.ts';
import type { StoredRecord } from '../../record/record.ts';
import { type OverriddenValue, reconcileRecord } from '../edits/reconcile-record.ts';

export interface RecoveryDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly collections: ReadonlyMap<string, Collection>;
  /** Absolute path of a project's directory. */
  readonly directoryOf: (project: Project) => string;
}

/** The result of recovery. */
export interface Recovered {
  readonly overridden: readonly OverriddenValue[];
  /**
   * Records whose file already contains the last change: marked, so that the next recovery need not compare them again
   * after a person may have edited the file.
   */
  readonly upToDate: readonly Mark[];
  /** Ids for which a torn write was read instead of an edit. */
  readonly tornIds: ReadonlySet<string>;
}

/**
 * Replays the journal onto a project that was just read from its files. For each record the file has the last value
 * (done), the value before it (write), nothing or a torn write (write), or an external edit (merge).
 */
export class Recovery {
  readonly #deps: RecoveryDeps;

  constructor(deps: RecoveryDeps) {
    this.#deps = deps;
  }

  recover(project: Project, entries: readonly KeptEntry<EntryBody>[], marks: readonly Mark[]): Recovered {
    const overridden: OverriddenValue[] = [];
    const upToDate: Mark[] = [];
    const { pending: unwritten, marked } = chains(entries, marks);
    const pending = [...unwritten];
    const torn = new TornWrites(this.#deps.disk, project, this.#deps.directoryOf(project));
    for (const written of marked) this.#rewriteTorn(project, torn, written);
    const orphans = new OrphanDirectories(this.#deps, project, pending);
    orphans.reattach();
    for (const chain of pending) {
      const collection = this.#deps.collections.get(chain.collection);
      if (collection === undefined) continue;
      torn.clear(collection, chain);
      this.#removeFormerFile(project, collection, chain);
      const overriddenValue = this.#recoverRecord(project, collection, chain, project.files.served(chain.id));
      if (overriddenValue !== undefined) overridden.push(overriddenValue);
      const file = project.files.served(chain.id);
      if (!project.pending.has(chain.id))
        upToDate.push({ project: project.id, path: chain.id, seq: chain.seq, sha256: file?.sha256 ?? null });
    }
    torn.removeEmptied();
    orphans.removeEmpty();
    return { overridden, upToDate, tornIds: torn.ids };
  }

  #recoverRecord(
    project: Project,
    collection: Collection,
    chain: Chain,
    file: FileState | undefined,
  ): OverriddenValue | undefined {
    const { id, position } = chain;
    const ours = chain.values.at(-1);
    const present = project.index.record(id);
    project.index.apply({ collection: collection.name, id, from: present, to: ours });
    project.markDirty(id, collection.name, position);
    const base = baseOf(collection, chain, file);
    const result = reconcileRecord({ project, collection, id, base, file, now: this.#deps.clock.now() });
    for (const change of result.changes) project.index.apply(change);
    if (!result.pending) project.pending.delete(id);
    const now = project.index.record(id);
    if (file?.record !== undefined && now !== undefined && sameOnDisk(collection, file.record, now))
      project.files.set({ ...file, record: now });
    return result.overridden;
  }

  /** Marks are durable before their files are: a power failure may leave a torn write behind a mark. */
  #rewriteTorn(
    project: Project,
    torn: TornWrites,
    { collection: name, id, values, position, sha256 }: MarkedChain,
  ): void {
    const collection = this.#deps.collections.get(name);
    const [value] = values;
    if (collection === undefined || value === undefined || project.files.served(id)?.sha256 === sha256) return;
    if (torn.clear(collection, { id, base: undefined, values })?.isTorn !== true) return;
    project.index.apply({ collection: name, id, from: project.index.record(id), to: value });
    project.markDirty(id, name, position);
  }

  /**
   * A crash between writing a file under its new name and removing the old one leaves both: the one with the older
   * value is removed. The new one may have any of the values, since later changes may have been acknowledged meanwhile.
   * A copy that a person made has a name of its own and stays.
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
      this.#deps.disk.remove(`${this.#deps.directoryOf(project)}/${state.path}`);
      project.files.delete(state.path);
    }
  }
}

/** The index of the file's value among these values, oldest first; -1 for none. */
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
 * The last common value of file and changes. A checkpoint may have written any value but the last, and the crash may
 * have lost its mark; if a person edited what it wrote, the base is the value that causes the fewest conflicts. Of
 * several it is the oldest, so that no acknowledged change is mistaken for one that the person reverted.
 */
function baseOf(
  collection: Collection,
  { base, values }: Chain,
  file: FileState | undefined,
): StoredRecord | undefined {
  // A record that was deleted and restored: the checkpoint may have removed its file, and the crash lost the mark.
  if (file === undefined && values.includes(undefined)) return undefined;
  if (file?.record === undefined) return base;
  if (lastIndexOf(collection, file, values) >= 0) return file.record;
  const ours = values.at(-1);
  const written = [base, ...values.slice(0, -1)].filter((value) => value !== undefined);
  if (ours === undefined || written.length < 2) return written[0];
  const theirs = file.record;
  const disputes = written.map((value) => mergeRecords(collection, value, ours, theirs).conflicts.length);
  return written[disputes.indexOf(Math.min(...disputes))];
}
