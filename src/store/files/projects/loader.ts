import { idPattern } from '../../../base/ids.ts';
import { limits } from '../../../base/limits.ts';
import { decode } from '../codec/codec.ts';
import { type Chains, type LastValue, lastValues, noChains, presentIds, removedByUs } from '../journal/chains.ts';
import { HistoryIndex } from '../project/history.ts';
import { HistoryBlocks } from '../project/history-blocks.ts';
import type { GitGuard } from '../checkpoint/git-guard.ts';
import type { IndexCache } from '../recovery/index-cache.ts';
import type { Collection } from '../../record/collection.ts';
import { isServiceName, nameOf, serviceName } from '../../record/locations.ts';
import { codeOf } from '../../record/project-name.ts';
import type { LookUps } from '../../record/look-ups.ts';
import type { LastGood } from '../edits/last-good.ts';
import { Project } from '../project/project.ts';
import type { Effect } from '../project/project-queue.ts';
import type { Cached } from '../recovery/served-state.ts';
import { ProjectIndex } from '../../replica/project-index.ts';
import { Replica } from '../../replica/replica.ts';
import type { FileStat } from '../disk/disk.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import type { Reconciler } from '../edits/reconcile.ts';
import type { ReconcileOutcome } from '../edits/rescan.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { StoreOptions } from '../project/options.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { ProjectTable } from '../../replica/project-table.ts';
import { pathInOtherProject } from './directory-problems.ts';

export interface LoaderDeps {
  readonly options: Pick<Required<StoreOptions>, 'disk' | 'clock' | 'collections' | 'historyIndex'>;
  readonly layout: RootLayout;
  readonly git: GitGuard | undefined;
  readonly projects: ProjectTable<Project>;
  readonly reconciler: Reconciler;
  readonly lastGood: LastGood;
  readonly cache: IndexCache;
  readonly lookUps: LookUps;
  /** Carries out the effects of a project's tasks. */
  readonly carryOut: (project: Project, effect: Effect) => void;
}

/** A project read from its directory, and the edits since the index cache was written. */
export interface Loaded {
  readonly project: Project;
  readonly outcome: ReconcileOutcome;
  /** False without an index cache: the outcome is then the whole project rather than edits. */
  readonly known: boolean;
  /** What the index cache had, if there is one. */
  readonly cached: Cached | undefined;
}

/** What the journal knows of files that may have changed after the index cache was written. */
interface FilesBefore {
  readonly values: ReadonlyMap<string, LastValue>;
  /** The records whose files were removed. */
  readonly removed: ReadonlySet<string>;
  /** The records that the journal has. */
  readonly present: ReadonlySet<string>;
}

/** Reads project directories. */
export class Loader {
  /** Directories of deleted projects until they are in the trash: a rescan in between finds no new project there. */
  readonly leaving = new Set<string>();
  readonly #deps: LoaderDeps;
  readonly #blocks: HistoryBlocks;

  constructor(deps: LoaderDeps) {
    this.#deps = deps;
    this.#blocks = new HistoryBlocks(deps.options.disk, deps.lookUps);
  }

  /** Names of directories below `projects/` that may contain a project: no link, no leading dot. */
  directories(): string[] {
    const { layout } = this.#deps;
    const { disk } = this.#deps.options;
    if (!new RealDirectories(disk, layout.root).has(layout.projects)) return [];
    return disk
      .list(layout.projects)
      .filter(({ name, kind }) => kind === 'directory' && this.mayBeProject(name))
      .map(({ name }) => name);
  }

  mayBeProject(directory: string): boolean {
    return !directory.startsWith('.') && !this.leaving.has(directory);
  }

  isProject(directory: string): boolean {
    return this.#projectFile(directory) !== undefined;
  }

  #projectFile(directory: string): FileStat | undefined {
    if (this.leaving.has(directory)) return undefined;
    const { layout } = this.#deps;
    const { disk } = this.#deps.options;
    const stat = new RealDirectories(disk, layout.root).stat(`${layout.projects}/${directory}/project.json`);
    return stat?.kind === 'file' ? stat : undefined;
  }

  /** The project's id according to its project.json, or undefined. */
  idOf(directory: string): string | undefined {
    return this.claimOf(directory)?.id;
  }

  /** The same; `isRead`: the file is readable as such. What an unreadable one seems to contain may be cut off. */
  claimOf(directory: string): { readonly id: string; readonly isRead: boolean } | undefined {
    const { layout } = this.#deps;
    const { disk, collections } = this.#deps.options;
    const shape = collections.find(({ id }) => id === 'project')?.shape;
    const stat = this.#projectFile(directory);
    if (stat === undefined || stat.size > limits.recordFileBytesMax) return undefined;
    const cached = this.#deps.cache.idAt(directory, stat);
    if (cached !== undefined) return { id: cached, isRead: true };
    const bytes = disk.readIfExists(`${layout.projects}/${directory}/project.json`);
    if (shape === undefined || bytes === undefined) return undefined;
    const decoded = decode(shape, bytes);
    const id = decoded.ok ? decoded.fields['id'] : decoded.id;
    return typeof id === 'string' && idPattern.test(id) ? { id, isRead: decoded.ok } : undefined;
  }

  readonly #serviceNameOf = (name: string, record: StoredRecord): string | undefined => {
    const collection = this.#deps.options.collections.find((one) => one.name === name);
    return collection && serviceName(collection, record);
  };

  /** An empty project for this directory. */
  newProject(id: string, directory: string): Project {
    const { options, projects, lookUps, layout } = this.#deps;
    const index = new ProjectIndex(options.collections);
    const code = codeOf(id, directory);
    const history = new HistoryIndex(options.disk, lookUps, {
      ...{ directory: layout.historyIndex(code), temporaryDirectory: layout.temporary, bounds: options.historyIndex },
      ...{ blocks: this.#blocks, clock: options.clock },
      tops: () => ({ shared: `${layout.projects}/${made.directory}`, local: layout.localHistory(code) }),
    });
    const pathInOther = (record: string): string | undefined => pathInOtherProject(projects.values(), id, record);
    const replica = new Replica({ project: id, code, index, history });
    const made = new Project({
      ...{ replica, directory, pathInOtherProject: pathInOther },
      isMerging: () => this.#deps.git?.isMerging() === true,
      carryOut: this.#deps.carryOut,
      serviceNameOf: this.#serviceNameOf,
    });
    index.names.files = {
      nameOf: (record) => fileNameOf(made, record),
      nameByPerson: (record) => nameByPerson(made, options.collections, record),
    };
    made.files.onMoved = (record) => index.names.noteMoved(record);
    return made;
  }

  /**
   * Reads the project's history, restores its index cache, and reconciles every file. The outcome is not applied yet.
   * `journaled`: what the journal knows of files that may have changed after the cache was written. `createdAt`: a cache
   * from before this entry has the files of a project with this id that was deleted.
   */
  load(id: string, directory: string, journaled: Chains = noChains, createdAt = 0): Loaded {
    if ((this.#deps.cache.servedOf({ id, directory })?.head.seq ?? createdAt) < createdAt)
      this.#deps.cache.release({ id, directory });
    const before = { values: lastValues(journaled), removed: removedByUs(journaled), present: presentIds(journaled) };
    const tryLoad = (carefully: boolean): Loaded | undefined => this.#tryLoad(id, directory, before, carefully);
    const loaded = tryLoad(false) ?? tryLoad(true)!;
    this.#deps.cache.release(loaded.project);
    return loaded;
  }

  #tryLoad(id: string, directory: string, before: FilesBefore, carefully: boolean): Loaded | undefined {
    const project = this.newProject(id, directory);
    this.readHistory(project);
    for (const { collection, record } of before.values.values()) {
      project.lastValues.set(record.id, record);
      project.lastNames.set(this.#serviceNameOf(collection, record) ?? '', record.id);
    }
    project.journaledIds = before.present;
    const obsolete = this.#deps.cache.restore(project, before.removed);
    const known = obsolete !== undefined;
    const cached = known
      ? { served: this.#deps.cache.servedOf(project), snapshot: project.index.snapshot(), obsolete }
      : undefined;
    const paths = ['', 'project.json', ...[...project.files.values()].map(({ path }) => path)];
    const reconcile = (): ReconcileOutcome | undefined => this.#deps.reconciler.load(project, paths, carefully);
    const outcome = known ? reconcile() : project.history.withSpans(reconcile);
    project.lastValues.clear();
    project.lastNames.clear();
    project.journaledIds = new Set();
    for (const path of project.files.copies)
      if (project.files.at(path) === undefined) project.files.copies.delete(path);
    // Without an index cache it is not known whether an earlier version of the file was unreadable.
    const file = known ? undefined : project.files.served(id);
    if (file !== undefined && file.unreadable === undefined) this.#deps.lastGood.remove(project.code, id);
    return outcome && { project, outcome, known, cached };
  }

  /**
   * Reads the shared history and the history of external edits in `local/`. It is read before the records, since
   * revisions determine `updated_at`.
   */
  readHistory(project: Project): void {
    const { layout } = this.#deps;
    const { disk } = this.#deps.options;
    const local = layout.localHistory(project.code);
    project.history.files?.open();
    for (const top of [local, `${layout.projects}/${project.directory}/history`]) {
      // Most projects of a root with many have none.
      if (disk.stat(top) === undefined) continue;
      for (const month of disk.list(top)) {
        if (month.kind !== 'directory') continue;
        for (const { name, kind } of disk.list(`${top}/${month.name}`)) {
          if (kind !== 'file' || !name.endsWith('.jsonl')) continue;
          const read = (): void => {
            if (top === local) project.history.addSegment(`${top}/${month.name}/${name}`);
            else this.#deps.reconciler.reconcileSegment(project, `history/${month.name}/${name}`);
          };
          read();
          if (project.history.repair(`${top}/${month.name}/${name}`, layout.temporary)) read();
        }
      }
    }
  }
}

function fileNameOf({ files }: Project, id: string): string | undefined {
  const state = files.served(id);
  return state && nameOf(state.path);
}

/** The name of a record's file, unless it is the service's. */
function nameByPerson({ files }: Project, collections: readonly Collection[], id: string): string | undefined {
  const state = files.served(id);
  if (state === undefined) return undefined;
  const [name, collection] = [nameOf(state.path), collections.find((one) => one.name === state.collection)];
  const { record } = state;
  const isOwn =
    record !== undefined && collection !== undefined && isServiceName(name, serviceName(collection, record));
  return isOwn ? undefined : name;
}
