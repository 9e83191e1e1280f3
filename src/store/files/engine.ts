import { dirname } from 'node:path';
import type { CheckpointPort } from './checkpoint/checkpoint-job.ts';
import { AttachmentFiles } from './checkpoint/attachment-files.ts';
import { Checkpointer } from './checkpoint/checkpointer.ts';
import { GitGuard, staleGitLock, untilGitEnds } from './checkpoint/git-guard.ts';
import { Staging } from './checkpoint/staging.ts';
import type { Collection } from '../record/collection.ts';
import { LocationMap } from '../record/locations.ts';
import { requireFree } from '../record/project-name.ts';
import type { Problem } from '../record/read-transaction.ts';
import type { LookUps } from '../record/look-ups.ts';
import type { StoreStatus } from '../record/status.ts';
import { LogTail } from '../replica/log-tail.ts';
import type { ServiceRecords } from '../replica/service-records.ts';
import type { Append, Log } from '../record/log.ts';
import type { EntryBody } from '../record/entry.ts';
import { Commit } from '../commit/commit.ts';
import { DurabilityTracker, serviceProject } from '../commit/durability-tracker.ts';
import { ProjectSignals } from '../replica/project-signals.ts';
import { FileCommits } from './file-commits.ts';
import { currentFormat } from './disk/format.ts';
import type { RootLayout } from './disk/root-layout.ts';
import { LastGood } from './edits/last-good.ts';
import { Reconciler } from './edits/reconcile.ts';
import { feedBounds } from './feed/feed-files.ts';
import { Feeds } from './feed/feeds.ts';
import type { JournalFiles } from './journal/journal-files.ts';
import type { Journal } from './journal/journal.ts';
import { Adoption } from './projects/adoption.ts';
import { ExternalEdits } from './projects/external-edits.ts';
import { cacheVersion, IndexCache } from './recovery/index-cache.ts';
import { loadRoot } from './projects/load-root.ts';
import { Loader } from './projects/loader.ts';
import type { RootLock } from './lock/lock.ts';
import { Maintenance } from './upkeep/maintenance.ts';
import { type OpenedRoot, openRoot } from './root/open-root.ts';
import { defaultPorts, type Ports } from './projects/ports.ts';
import { ProblemChanges } from './projects/problem-changes.ts';
import { Rescanner } from './upkeep/rescanner.ts';
import type { IsSynced } from './recovery/served-state.ts';
import type { StoreDeps } from './projects/store-deps.ts';
import { TransactionContexts } from './projects/transaction-contexts.ts';
import { UnservedDirectories } from './projects/unserved-directories.ts';
import type { LargeTexts } from './project/large-texts.ts';
import type { StoreOptions } from './project/options.ts';
import type { Effect } from './project/project-queue.ts';
import { ProjectTable } from '../replica/project-table.ts';
import type { Project } from './project/project.ts';

/** The components of an open store, wired together. `Store` is its public interface. */
export class Engine implements StoreDeps {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly ports: Ports;
  readonly port: CheckpointPort;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly locations: LocationMap;
  readonly projects = new ProjectTable<Project>(() => this.service.listeners.note('projects'));
  readonly problems = new Map<string, Problem>();
  readonly signals = new ProjectSignals();
  readonly service: ServiceRecords;
  readonly serviceTail = new LogTail(serviceProject);
  readonly lock: RootLock;
  readonly journal: JournalFiles & Pick<Journal, 'close'>;
  readonly feeds: Feeds | undefined;
  readonly durability: DurabilityTracker;
  readonly git: GitGuard | undefined;
  readonly largeTexts: LargeTexts;
  readonly lookUps: LookUps;
  readonly lastGood: LastGood;
  readonly staging: Staging;
  readonly cache: IndexCache;
  readonly unserved: UnservedDirectories;
  readonly problemChanges: ProblemChanges;
  readonly attachmentFiles: AttachmentFiles;
  readonly reconciler: Reconciler;
  readonly contexts: TransactionContexts;
  readonly loader: Loader;
  readonly fileCommits: FileCommits;
  readonly edits: ExternalEdits;
  readonly adoption: Adoption;
  readonly commit: Commit<Project>;
  readonly checkpointer: Checkpointer;
  readonly #rescanner: Rescanner;
  readonly #maintenance: Maintenance;
  readonly #parked = new WeakSet<Project>();
  #closed = false;

  static async open(options: StoreOptions, ports: Ports = defaultPorts): Promise<Engine> {
    const root = openRoot(options);
    let engine: Engine | undefined;
    try {
      engine = new Engine(root, ports);
      if (engine.git !== undefined) await untilGitEnds(engine.git, root.options.clock);
      loadRoot(engine, root.opened);
      engine.#begin();
      return engine;
    } catch (error) {
      engine?.abandon();
      root.lock.release();
      throw error;
    }
  }

  private constructor({ options, layout, lock, replayed, opened: { journal } }: OpenedRoot, ports: Ports) {
    const { disk, clock, collections, describe, log } = options;
    this.options = options;
    this.layout = layout;
    this.ports = ports;
    this.port = ports.openPort(options, layout);
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.locations = new LocationMap(collections);
    this.service = replayed.service;
    this.serviceTail.continueAfter(journal.headOf(serviceProject));
    this.lock = lock;
    this.journal = journal;
    if (describe !== false)
      this.feeds = new Feeds({ disk, clock, describe, log, directory: layout.events, bounds: feedBounds });
    this.durability = new DurabilityTracker(journal as Log<EntryBody>, journal, this.#onDurable);
    this.git = GitGuard.find(disk, dirname(layout.root), clock);
    this.largeTexts = replayed.largeTexts;
    this.lookUps = replayed.lookUps;
    this.lastGood = new LastGood(disk, layout.local);
    this.staging = new Staging(disk, layout.local, clock);
    const version = cacheVersion(collections, currentFormat(options.migrations));
    this.cache = new IndexCache(disk, clock, layout.indexCache, version);
    const onChanged = (): void => this.service.listeners.note('problems');
    this.problemChanges = new ProblemChanges({ clock, projects: this.projects, problems: this.problems, onChanged });
    this.unserved = new UnservedDirectories({ disk, layout, collections, onChanged });
    const shared = { disk, projectsDirectory: layout.projects, collections: this.collections };
    const { staging, durability, lookUps, locations, lastGood } = this;
    this.attachmentFiles = new AttachmentFiles({ ...shared, staging, durability, lookUps });
    this.reconciler = new Reconciler({ ...shared, clock, locations, lastGood, log });
    this.contexts = new TransactionContexts(this);
    this.loader = new Loader(this);
    const { ids } = options;
    this.fileCommits = new FileCommits({
      ...{ durability, collections: this.collections, attachmentFiles: this.attachmentFiles, ids },
      commit: () => this.commit,
      list: (project) => requireFree(project, (code) => this.codeIsTaken(code)),
      add: (project) => this.adoption.add(project),
      remove: (project) => this.adoption.remove(project),
      onDropped: (project) => this.#maintenance.trashProject(project),
      isChangedByGit: () => this.git?.hasChangedTree() === true,
    });
    this.edits = new ExternalEdits(this);
    this.adoption = new Adoption(this);
    const { service, serviceTail } = this;
    this.commit = new Commit({
      ...{ durability, collections: this.collections, service, lookUps, clock, ids, serviceTail },
      contextOf: this.contexts.of,
      hooks: this.fileCommits,
      describe: describe === false ? undefined : describe,
    });
    this.checkpointer = new Checkpointer(this);
    this.#rescanner = new Rescanner(this);
    this.#maintenance = new Maintenance(this, replayed.snapshot);
  }

  /**
   * Returns whether a project has this code, or the directory of one that was deleted is still to be moved to the
   * trash.
   */
  codeIsTaken(code: string): boolean {
    for (const project of this.projects.values()) if (project.code === code) return true;
    const names = [...this.loader.leaving, ...this.options.disk.list(this.layout.projects).map(({ name }) => name)];
    return names.some((name) => name.endsWith(`-${code}`));
  }

  status(): StoreStatus {
    let pending = 0;
    for (const project of this.projects.values()) pending += project.dirty.size + project.history.waiting;
    const problems = [...this.problems.values(), ...this.unserved.problems, ...staleGitLock(this.git)];
    return {
      root: this.layout.root,
      projects: this.projects.size,
      pending,
      journalBytes: this.journal.bytes,
      written: this.checkpointer.written,
      writable: !this.durability.failed,
      git: this.checkpointer.git ?? null,
      watch: this.#rescanner.watch,
      problems,
    };
  }

  /** Carries out the effects of the tasks of a project: one component decides, another acts. */
  readonly carryOut = (project: Project, effect: Effect): void => {
    switch (effect.kind) {
      case 'checkpoint':
        return this.checkpointer.schedule();
      case 'rescan':
        return this.#rescanner.request(project, effect);
      case 'retryLater':
        return this.checkpointer.retryLater(project, effect.id);
      case 'mergeSave':
        return this.edits.mergeRacedSave(project, effect.path, effect.former, effect.bytes);
      case 'written':
        return this.edits.onFileWritten(project, effect.collection, effect.state);
    }
  };

  async flush(): Promise<void> {
    await this.#maintenance.flush();
  }

  findDirectories(): void {
    this.#rescanner.findDirectories();
  }

  /**
   * Returns whether a project that was served from this directory is gone: neither served nor in the directory any
   * more. False while git changes files, as it may be back at the end.
   */
  isGone(project: string, directory: string): boolean {
    if (this.projects.has(project) || this.git?.currentOperation() !== undefined) return false;
    this.findDirectories();
    const { projects, unserved } = this;
    return !projects.has(project) && unserved.problemOf(project) === undefined && !unserved.names.includes(directory);
  }

  onProjectAdded(): void {
    this.#rescanner.watchProjects();
  }

  /** Signals the projects with changes that are parked, or were so before. */
  onCheckpointed(): void {
    for (const project of this.projects.values()) {
      const isParked = project.dirty.hasParked;
      if (isParked || this.#parked.has(project)) {
        this.signals.note(project.id);
        this.problemChanges.note(project);
      }
      if (isParked) this.#parked.add(project);
      else this.#parked.delete(project);
    }
  }

  readonly #onDurable = (append: Append<EntryBody>): void => {
    if (append.project === serviceProject) {
      if (append.body.service?.some(({ c }) => this.service.hasEvents(c)) === true) this.feeds?.notify();
      return;
    }
    this.feeds?.add(append);
    this.signals.note(append.project);
  };

  /** Resolves once the watcher is ready and the edits made since the opening are found. */
  readonly watching = (): Promise<void> => this.#rescanner.watching();

  readonly rescan = async (): Promise<void> => void (await this.#rescanner.rescanAll());

  /**
   * Returns whether a record's file that was unreadable at the last scan is readable now: an editor may have been in
   * the middle of a write.
   */
  async becameReadable(project: Project, id: string): Promise<boolean> {
    const state = project.files.served(id);
    if (state?.unreadable !== undefined) await this.#rescanner.rescanNow(project, state.path);
    // A rescan in between may have read it already.
    return project.files.served(id)?.unreadable === undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#stop();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  async #stop(): Promise<void> {
    await this.#rescanner.stop();
    await this.#maintenance.stop();
    await this.checkpointer.stop();
    this.problemChanges.stop();
    await this.journal.close();
    await this.port.close();
    this.staging.close();
    this.lock.release();
    this.#closed = true;
  }

  /** Releases everything immediately, without writing, as if the process ended. */
  abandon(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.checkpointer.abandon();
    this.#maintenance.abandon();
    void this.#rescanner.stop();
    this.problemChanges.stop();
    void this.port.close();
    this.staging.close();
    try {
      this.lock.release();
    } catch (error) {
      this.options.log(`The lock's note could not be removed: ${(error as Error).message}`);
    }
  }

  /** The cache may be lost: a failure to write it has no other effect, except that the journal keeps the rest. */
  async writeIndexCache(): Promise<boolean> {
    const { durability, checkpointer, layout, projects } = this;
    if (durability.failed || checkpointer.syncFailed) return false;
    const isSynced: IsSynced = ({ directory, files }, path) =>
      checkpointer.isSynced(`${layout.projects}/${directory}/${path}`, files.at(path)?.id);
    try {
      await this.cache.write(projects.values(), isSynced);
      return true;
    } catch (error) {
      this.options.log(`The index cache could not be written: ${(error as Error).message}`);
      return false;
    }
  }

  /** They are derived: a failure to write them has no other effect than that memory keeps more. */
  async writeHistoryIndexes(): Promise<void> {
    const { checkpointer, projects } = this;
    if (checkpointer.syncFailed) return;
    try {
      for (const { history } of [...projects.values()])
        await history.leaveToFiles((file) => checkpointer.isFinished(file));
    } catch (error) {
      this.options.log(`The index of the history could not be written: ${(error as Error).message}`);
    }
  }

  #begin(): void {
    this.#maintenance.start();
    this.#rescanner.start();
    this.checkpointer.schedule();
  }
}
