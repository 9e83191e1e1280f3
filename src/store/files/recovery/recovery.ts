import type { Clock } from '../../../base/clock.ts';
import { sameOnDisk } from '../../record/assemble.ts';
import { closeFolders } from '../edits/close-folders.ts';
import { baseOf, lastIndexOf } from '../edits/common-value.ts';
import { noOutcome } from '../edits/rescan.ts';
import type { Chain, Chains, Edited, MarkedChain } from '../journal/chains.ts';
import type { Collection } from '../../record/collection.ts';
import { TornWrites } from './torn-writes.ts';
import type { Disk } from '../disk/disk.ts';
import { type FileState, valuesIn } from '../project/file-table.ts';
import type { Mark } from '../journal/journal.ts';
import { folderMember, isServiceName, type LocationMap, nameOf, serviceName, stemOf } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { type Change, membersOf, type StoredRecord } from '../../record/record.ts';
import { type OverriddenValue, type ReconcileResult, reconcileRecord } from '../edits/reconcile-record.ts';
import { noteUnread } from './unread-files.ts';

export interface RecoveryDeps {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly locations: LocationMap;
  /** Absolute path of a project's directory. */
  readonly directoryOf: (project: Project) => string;
  /** Whether a git operation is in progress: nothing that may be its work is removed. */
  readonly isDuringGit: boolean;
}

/** The result of recovery. */
export interface Recovered {
  readonly overridden: readonly OverriddenValue[];
  /**
   * Records whose file already contains the last change: marked, so that the next recovery need not compare them again
   * after a person may have edited the file.
   */
  readonly upToDate: readonly Mark[];
  /** Edits of files whose changes the journal has: from the journal's value to the one with the edit. */
  readonly edits: readonly Change[];
  /** Moves of records out of folders that are gone, after all edits. */
  readonly moved: readonly Change[];
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

  /** `unread`: the paths of files that could not be read. */
  recover(project: Project, chains: Chains, unread: readonly string[] = []): Recovered {
    const { pending, marked, edited } = chains;
    noteUnread(project, this.#deps.locations, chains, unread);
    const overridden: OverriddenValue[] = [];
    const upToDate: Mark[] = [];
    const { disk, isDuringGit } = this.#deps;
    const torn = new TornWrites(disk, project, this.#deps.directoryOf(project), isDuringGit);
    const edits = marked.flatMap((written) => this.#rewriteTorn(project, torn, written) ?? []);
    for (const chain of pending) {
      const collection = this.#deps.collections.get(chain.collection);
      if (collection === undefined) continue;
      torn.clear(collection, chain);
      if (!isDuringGit) this.#removeFormerFile(project, collection, chain);
      const recovered = this.#recoverRecord(project, collection, chain, project.files.served(chain.id));
      if (recovered.overridden !== undefined) overridden.push(recovered.overridden);
      edits.push(...recovered.changes);
      const file = project.files.served(chain.id);
      if (!project.dirty.has(chain.id))
        upToDate.push({ project: project.id, path: chain.id, seq: chain.seq, sha256: file?.sha256 ?? null });
    }
    for (const one of edited) if (!torn.ids.has(one.id)) edits.push(...this.#editedAgain(project, one));
    const moved = this.#closeFolders(project, pending);
    return { overridden, upToDate, edits, moved, tornIds: torn.ids };
  }

  /** A person may have removed the folder of a record that was not written into it yet. */
  #closeFolders(project: Project, pending: readonly Chain[]): readonly Change[] {
    const { outcome, placed } = closeFolders(project, this.#deps.collections, noOutcome, true);
    for (const change of outcome.changes) project.index.apply(change);
    const position = pending.at(-1)?.position ?? 0;
    for (const id of placed) project.dirty.mark(id, project.index.collectionOf(id)!, position);
    return outcome.changes;
  }

  /** A file that was edited while the service ran, and again since. */
  #editedAgain(project: Project, { collection: name, id, value }: Edited): Change[] {
    const collection = this.#deps.collections.get(name);
    if (value !== undefined && isUnread(project, id)) {
      serveWritten(project, name, id, value);
      return [];
    }
    const now = project.index.record(id);
    const isSame = collection === undefined || value === undefined || (now && sameOnDisk(collection, value, now));
    return isSame ? [] : [{ collection: name, id, from: value, to: now }];
  }

  #recoverRecord(project: Project, collection: Collection, chain: Chain, file: FileState | undefined): ReconcileResult {
    const { id, position } = chain;
    const ours = chain.values.at(-1);
    const present = project.index.record(id);
    project.index.apply({ collection: collection.name, id, from: present, to: ours });
    project.dirty.mark(id, collection.name, position);
    const base = baseOf(collection, inFolderOf(project, collection, chain, file), file);
    const result = reconcileRecord({ project, collection, id, base, file, now: this.#deps.clock.now() });
    for (const change of result.changes) project.index.apply(change);
    // A torn file has none of the values: it is written, even if its record has the value from before. An unread one may.
    if (!result.pending && (file?.content === undefined || file.content === 'stale'))
      project.dirty.on(id, { kind: 'settled' });
    const now = project.index.record(id);
    if (file?.record !== undefined && now !== undefined && sameOnDisk(collection, file.record, now))
      project.files.set({ ...file, record: now });
    return result;
  }

  /**
   * Marks are durable before their files are: a power failure may leave a torn write behind a mark. Any other difference
   * is an edit, which is returned.
   */
  #rewriteTorn(
    project: Project,
    torn: TornWrites,
    { collection: name, id, values, position, sha256, rebooted }: MarkedChain,
  ): Change | undefined {
    const collection = this.#deps.collections.get(name);
    const [value] = values;
    if (collection === undefined || value === undefined || project.files.served(id)?.sha256 === sha256)
      return undefined;
    if (isUnread(project, id)) return serveWritten(project, name, id, value);
    if (torn.clear(collection, { id, base: undefined, values, rebooted })?.content !== 'unknown')
      return { collection: name, id, from: value, to: project.index.record(id) };
    project.index.apply({ collection: name, id, from: project.index.record(id), to: value });
    project.dirty.mark(id, name, position);
    return undefined;
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
      // A folder's directory is none of these.
      if (state === newest.state || state.sha256 === null || age < 0 || age === newest.age) continue;
      if (valuesIn(state) !== undefined) continue;
      const ours = isServiceName(nameOf(state.path), serviceName(collection, state.record!));
      const stem = ({ path }: FileState): string => stemOf(collection, nameOf(path));
      if (!ours && stem(state) !== stem(newest.state!)) continue;
      this.#deps.disk.remove(`${this.#deps.directoryOf(project)}/${state.path}`);
      project.files.delete(state.path);
    }
    if (newest.state !== undefined) project.files.serve(project.files.served(id)!);
  }
}

/** The values of a chain, in which a folder that is gone is the one that the file is in: its directory is another folder now. */
function inFolderOf({ files }: Project, collection: Collection, chain: Chain, file: FileState | undefined): Chain {
  const member = folderMember(collection);
  if (member === undefined || file?.record === undefined) return chain;
  const present = membersOf(file.record)[member];
  const placed = (value: StoredRecord | undefined): StoredRecord | undefined => {
    const folder = value && membersOf(value)[member];
    return typeof folder !== 'string' || files.served(folder) !== undefined ? value : { ...value!, [member]: present };
  };
  // The last value is what clients and people have made of it.
  const values = chain.values.map((value, i) => (i === chain.values.length - 1 ? value : placed(value)));
  return { ...chain, base: placed(chain.base), values };
}

function isUnread({ files }: Project, id: string): boolean {
  const file = files.served(id);
  return file !== undefined && valuesIn(file) !== undefined;
}

/** Until the file is read, its record has the value that the journal has of it; the cached one is older. */
function serveWritten({ index }: Project, collection: string, id: string, to: StoredRecord): undefined {
  index.apply({ collection, id, from: index.record(id), to });
}
