import { dirname } from 'node:path';
import { IdSource } from '../../ids.ts';
import type { CheckpointPort } from './checkpoint/checkpoint-job.ts';
import { Checkpointer } from './checkpoint/checkpointer.ts';
import type { Collection } from '../record/collection.ts';
import { Commit } from '../commit/commit.ts';
import { DurabilityTracker, serviceProject } from '../commit/durability-tracker.ts';
import { FileCommits } from './file-commits.ts';
import type { JournalFiles } from './journal/journal-files.ts';
import type { LookUps } from '../record/look-ups.ts';
import { LogTail } from '../index/log-tail.ts';
import { Adoption } from './opening/adoption.ts';
import type { EntryBody } from '../record/entry.ts';
import { ExternalEdits } from './opening/external-edits.ts';
import { pathInOtherProject } from './opening/directory-problems.ts';
import { currentFormat, requireKnownFormat } from './disk/format.ts';
import { GitGuard, staleGitLock, untilGitEnds } from './checkpoint/git-guard.ts';
import { cacheVersion, IndexCache } from './opening/index-cache.ts';
import type { IsSynced } from './opening/served-state.ts';
import { KeptIds } from './opening/kept-ids.ts';
import { Journal } from './journal/journal.ts';
import { LastGood } from './edits/last-good.ts';
import { loadRoot } from './opening/load-root.ts';
import { Loader } from './opening/loader.ts';
import { RootLock } from './opening/lock.ts';
import { Maintenance } from './opening/maintenance.ts';
import { defaultOptions, type NoteTransition, type StoreOptions } from './project/options.ts';
import { defaultPorts, type Ports } from './opening/ports.ts';
import { LocationMap } from '../record/locations.ts';
import type { Change } from '../record/record.ts';
import type { KeptEntry } from './journal/journal.ts';
import type { Project } from './project/project.ts';
import { Reconciler } from './edits/reconcile.ts';
import { AttachmentFiles } from './checkpoint/attachment-files.ts';
import type { Append, Log } from '../log.ts';
import { openReplay, type Replayed } from './opening/replay.ts';
import { makeRoot, removeTemporaryFiles } from './disk/root-files.ts';
import { RootLayout } from './disk/root-layout.ts';
import type { ServiceRecords } from '../index/service-records.ts';
import type { ServiceSnapshot } from './opening/service-snapshot.ts';
import type { StoreStatus } from '../record/status.ts';
import type { StoreDeps } from './opening/store-deps.ts';
import { ProjectSignals } from '../index/project-signals.ts';
import { Feeds } from './feed/feeds.ts';
import { feedBounds } from './feed/feed-files.ts';
import { Staging } from './checkpoint/staging.ts';
import { Rescanner } from './opening/rescanner.ts';
import { ProjectTable } from './opening/project-table.ts';
import type { LargeTexts } from './project/large-texts.ts';
import { TransactionContexts } from './opening/transaction-contexts.ts';
import { upgradeRoot } from './opening/upgrade.ts';
import { UnservedDirectories } from './opening/unserved-directories.ts';
import { keptFileOf } from './checkpoint/file-by-person.ts';
import type { Problem } from '../record/read-transaction.ts';

/** The components of an open store, wired together. `Store` is its public interface. */
export class Engine implements StoreDeps {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly ports: Ports;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects = new ProjectTable();
  readonly service: ServiceRecords;
  readonly lock: RootLock;
  readonly journal: JournalFiles & Pick<Journal, 'close'>;
  readonly durability: DurabilityTracker;
  readonly commit: Commit<Project>;
  readonly feeds: Feeds | undefined;
  readonly checkpointer: Checkpointer;
  readonly reconciler: Reconciler;
  readonly edits: ExternalEdits;
  readonly adoption: Adoption;
  readonly contexts: TransactionContexts;
  readonly loader: Loader;
  readonly largeTexts: LargeTexts;
  readonly lookUps: LookUps;
  readonly staging: Staging;
  readonly attachmentFiles: AttachmentFiles;
  readonly lastGood: LastGood;
  readonly git: GitGuard | undefined;
  readonly problems = new Map<string, Problem>();
  readonly signals = new ProjectSignals();
  readonly unserved: UnservedDirectories;
  readonly locations: LocationMap;
  readonly #port: CheckpointPort;
  readonly #fileCommits: FileCommits;
  readonly #serviceTail = new LogTail(serviceProject);
  readonly #cache: IndexCache;
  readonly #keptIds: KeptIds;
  readonly #snapshot: ServiceSnapshot;
  readonly #rescanner: Rescanner;
  readonly #maintenance: Maintenance;
  readonly #parked = new WeakSet<Project>();
  #closed = false;

  static async open(options: StoreOptions, ports: Ports = defaultPorts): Promise<Engine> {
    const clock = options.clock ?? defaultOptions.clock;
    const whole: Required<StoreOptions> = { ...defaultOptions, derived: {}, ids: new IdSource(clock), ...options };
    const layout = new RootLayout(whole.root, whole.local);
    requireKnownFormat(whole.disk, layout, whole.migrations);
    makeRoot(whole.disk, layout, { known: whole.migrations, signLocal: whole.signLocal });
    const lock = RootLock.acquire({ disk: whole.disk, directory: layout.local, clock });
    const { takenOverFrom } = lock;
    if (takenOverFrom !== undefined)
      whole.log(
        `The root was taken over from process ${takenOverFrom.pid} on ${takenOverFrom.host}, whose last heartbeat was ${takenOverFrom.beat}.`,
      );
    let engine: Engine | undefined;
    try {
      removeTemporaryFiles(whole.disk, layout);
      upgradeRoot({ ...whole, layout });
      const replayed = openReplay(whole, layout);
      const { disk, segmentBytes } = whole;
      const opened = Journal.open({ disk, directory: layout.journal, segmentBytes, keep: replayed.keep });
      engine = new Engine(whole, layout, lock, opened.journal, ports, replayed);
      if (engine.git !== undefined) await untilGitEnds(engine.git, clock);
      loadRoot(engine, engine.#cache, engine.#keptIds, opened);
      engine.#begin();
      return engine;
    } catch (error) {
      engine?.abandon();
      lock.release();
      throw error;
    }
  }

  private constructor(
    options: Required<StoreOptions>,
    layout: RootLayout,
    lock: RootLock,
    journal: Journal,
    ports: Ports,
    { service, snapshot, largeTexts, lookUps }: Replayed,
  ) {
    const { disk, clock, collections } = options;
    this.options = options;
    this.layout = layout;
    this.lock = lock;
    this.journal = journal;
    this.ports = ports;
    this.#port = ports.openPort(options, layout);
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.service = service;
    this.lookUps = lookUps;
    this.feeds = this.#makeFeeds();
    this.durability = new DurabilityTracker(journal as Log<EntryBody>, journal, (append) => this.#onDurable(append));
    this.#serviceTail.continueAfter(journal.headOf(serviceProject));
    this.git = GitGuard.find(disk, dirname(layout.root), clock);
    this.largeTexts = largeTexts;
    this.lastGood = new LastGood(disk, layout.local);
    this.staging = new Staging(disk, layout.local, clock);
    this.attachmentFiles = new AttachmentFiles({
      ...{ disk, lookUps, projectsDirectory: layout.projects, collections: this.collections, staging: this.staging },
      position: () => this.durability.position,
      onChanged: () => this.checkpointer.schedule(),
    });
    this.locations = new LocationMap(collections);
    this.reconciler = new Reconciler({
      disk,
      clock,
      projectsDirectory: layout.projects,
      collections: this.collections,
      locations: this.locations,
      lastGood: this.lastGood,
      log: options.log,
    });
    const version = cacheVersion(collections, currentFormat(options.migrations));
    this.#cache = new IndexCache(disk, clock, layout.indexCache, version);
    this.#keptIds = new KeptIds({ disk, clock, path: layout.keptIds, projects: this.projects, log: options.log });
    const { reconciler, lastGood } = this;
    this.loader = new Loader({
      ...{ disk, layout, collections, reconciler, lastGood, lookUps, cache: this.#cache, keptIds: this.#keptIds },
      pathInOtherProject: (project, id) => pathInOtherProject(this.projects.values(), project, id),
    });
    this.unserved = new UnservedDirectories({ disk, layout, collections });
    this.#snapshot = snapshot;
    this.contexts = new TransactionContexts(this);
    this.#fileCommits = this.#makeFileCommits();
    this.commit = this.#makeCommit();
    this.adoption = this.#makeAdoption();
    this.edits = this.#makeEdits();
    this.checkpointer = this.#makeCheckpointer();
    this.#rescanner = new Rescanner(this);
    this.#maintenance = new Maintenance(this, this.#snapshot, () => this.#cache.freezeRestored());
  }

  codeIsTaken(code: string): boolean {
    for (const project of this.projects.values()) if (project.code === code) return true;
    return this.options.disk.list(this.layout.projects).some(({ name }) => name.endsWith(`-${code}`));
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

  async flush(): Promise<void> {
    await this.#maintenance.flush();
    await this.#keptIds.write();
  }

  findDirectories(): void {
    this.#rescanner.findDirectories();
  }

  /** Resolves once the watcher is ready and the edits made since the opening are found. */
  readonly watching = (): Promise<void> => this.#rescanner.watching();

  readonly rescan = async (): Promise<void> => void (await this.#rescanner.rescanAll());

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
    await this.journal.close();
    await this.#port.close();
    this.staging.close();
    this.lock.release();
    this.#closed = true;
  }

  /** Releases everything at once without writing, as if the process ended. */
  abandon(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.checkpointer.abandon();
    this.#keptIds.abandon();
    this.#maintenance.abandon();
    void this.#rescanner.stop();
    void this.#port.close();
    this.staging.close();
    try {
      this.lock.release();
    } catch (error) {
      this.options.log(`The lock's note could not be removed: ${(error as Error).message}`);
    }
  }

  /** The cache may be lost: a failure to write it has no other effect, but that the journal keeps what is not in it. */
  async writeIndexCache(): Promise<boolean> {
    const { durability, checkpointer, layout, projects } = this;
    await this.#keptIds.write();
    if (durability.failed || checkpointer.syncFailed) return false;
    const isSynced: IsSynced = ({ directory, files }, path) =>
      checkpointer.isSynced(`${layout.projects}/${directory}/${path}`, files.at(path)?.id);
    try {
      await this.#cache.write(projects.values(), isSynced);
      return true;
    } catch (error) {
      this.options.log(`The index cache could not be written: ${(error as Error).message}`);
      return false;
    }
  }

  #begin(): void {
    this.#maintenance.start();
    this.#rescanner.start();
    this.checkpointer.schedule();
  }

  #addDerivedIndexes(project: Project): void {
    const touch = (collection: string, id: string): void => project.index.touch(collection, id);
    const transition: NoteTransition = (type, record, isSo) => project.index.versions.transition(type, record, isSo);
    for (const [name, make] of Object.entries(this.options.derived))
      project.index.derive(name, make(this.contexts.viewOf(project), touch, transition));
  }

  #onDurable(append: Append<EntryBody>): void {
    this.feeds?.add(append);
    this.signals.note(append.project);
  }

  /** Signals the projects with changes that are parked, or were so before. */
  #signalParked(): void {
    for (const project of this.projects.values()) {
      const isParked = project.dirty.hasParked;
      if (isParked || this.#parked.has(project)) this.signals.note(project.id);
      if (isParked) this.#parked.add(project);
      else this.#parked.delete(project);
    }
  }

  #makeFeeds(): Feeds | undefined {
    const { describe, disk, clock, log } = this.options;
    if (describe === false) return undefined;
    return new Feeds({ disk, clock, describe, log, directory: this.layout.events, bounds: feedBounds });
  }

  /** Continues the feed of a loaded project. `edits`: made since the log's last entry; undefined if they are unknown. */
  #openFeed(project: Project, entries: readonly KeptEntry<EntryBody>[], edits: readonly Change[] | undefined): void {
    if (this.feeds === undefined) return;
    const { head } = project.replica.tail;
    const isKnown = edits !== undefined;
    const opened = this.feeds.open(project.id, { head, entries, isKnown, epoch: project.index.versions.epoch });
    if (!opened) this.#fileCommits.journalOfflineEdits(project, 'unknown');
    else if (edits !== undefined && edits.length > 0) this.#fileCommits.journalOfflineEdits(project, edits);
  }

  #makeCommit(): Commit<Project> {
    const { clock, ids } = this.options;
    const { durability, collections, service, lookUps } = this;
    return new Commit({
      ...{ durability, collections, service, lookUps, clock, ids, serviceTail: this.#serviceTail },
      contextOf: (project) => this.contexts.of(project),
      hooks: this.#fileCommits,
    });
  }

  #makeFileCommits(): FileCommits {
    const { durability, collections, attachmentFiles } = this;
    return new FileCommits({
      ...{ durability, collections, attachmentFiles, ids: this.options.ids },
      commit: () => this.commit,
      add: (project) => this.adoption.add(project),
      remove: (project) => this.adoption.remove(project),
      onDropped: (project) => this.#maintenance.trashProject(project),
      isChangedByGit: () => this.git?.hasChangedTree() === true,
      onChanged: () => this.checkpointer.schedule(),
    });
  }

  #makeAdoption(): Adoption {
    return new Adoption({
      engine: this,
      keptIds: this.#keptIds,
      derive: (project) => this.#addDerivedIndexes(project),
      openFeed: (project, entries, edits) => this.#openFeed(project, entries, edits),
      addOfflineRevisions: (project, changes, overridden) =>
        this.#fileCommits.addOfflineRevisions(project, changes, overridden),
      rescan: (project, paths) => this.#rescanner.schedule(project, paths),
      onAdded: () => this.#rescanner.watchProjects(),
    });
  }

  #makeEdits(): ExternalEdits {
    const { collections, projects, reconciler, attachmentFiles, largeTexts, durability } = this;
    return new ExternalEdits({
      ...{ collections, projects, reconciler, attachmentFiles, largeTexts, durability, keptIds: this.#keptIds },
      commit: (project, outcome) => this.#fileCommits.commitExternalEdits(project, outcome),
      schedule: () => this.checkpointer.schedule(),
      rescan: (project, paths) => this.#rescanner.schedule(project, paths),
    });
  }

  #makeCheckpointer(): Checkpointer {
    return new Checkpointer({
      layout: this.layout,
      port: this.#port,
      journal: this.journal,
      clock: this.options.clock,
      collections: this.collections,
      keptFile: (project, id) => keptFileOf(this.service, project.id, id),
      projects: () => this.projects.values(),
      rescan: (project, paths) => this.#rescanner.schedule(project, paths),
      rescanAfterGit: (project, paths) => this.#rescanner.scheduleAfterGit(project, paths),
      log: (message) => this.options.log(message),
      parkedRetryMs: this.options.parkedRetryMs,
      durablePosition: () => this.durability.durablePosition,
      stat: (path) => this.options.disk.stat(path),
      lastCommit: () => this.git?.lastCommit() ?? '',
      onRacedSave: (project, path, former, bytes) => this.edits.mergeRacedSave(project, path, former, bytes),
      onOrphan: (project, id) => this.edits.placeOrphan(project, id),
      onCycleEnd: () => this.#signalParked(),
      onFileWritten: (project, collection, state) => this.edits.onFileWritten(project, collection, state),
    });
  }

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
}
