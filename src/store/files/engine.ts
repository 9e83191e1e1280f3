import { dirname } from 'node:path';
import { IdSource, randomName } from '../../ids.ts';
import { isoTime } from '../../clock.ts';
import type { CheckpointPort } from './checkpoint/checkpoint-job.ts';
import { Checkpointer } from './checkpoint/checkpointer.ts';
import { openPort } from './checkpoint/open-port.ts';
import type { Collection } from '../record/collection.ts';
import { Commit } from './commit.ts';
import { DurabilityTracker } from './journal/durability-tracker.ts';
import { type EntryBody, createdDirectory } from '../record/entry.ts';
import type { FileState } from './project/file-table.ts';
import { secondDirectory, pathInOtherProject } from './opening/directory-problems.ts';
import { followDirectory } from './opening/follow-directory.ts';
import { currentFormat, requireKnownFormat } from './disk/format.ts';
import { GitGuard, staleGitLock } from './checkpoint/git-guard.ts';
import { cacheVersion, IndexCache, type IsSynced } from './opening/index-cache.ts';
import { KeptIds } from './opening/kept-ids.ts';
import { Journal, type KeptEntry, type Mark } from './journal/journal.ts';
import { LastGood } from './edits/last-good.ts';
import { linkedPart } from './disk/linked-path.ts';
import { loadRoot } from './opening/load-root.ts';
import { Loader } from './opening/loader.ts';
import { RootLock } from './opening/lock.ts';
import { Maintenance } from './opening/maintenance.ts';
import { defaultOptions, type StoreOptions } from './project/options.ts';
import { LocationMap } from '../record/locations.ts';
import type { Project } from './project/project.ts';
import { refreshNotes } from './edits/refresh-notes.ts';
import { Reconciler, type ReconcileOutcome } from './edits/reconcile.ts';
import { AttachmentFiles } from './checkpoint/attachment-files.ts';
import { Recovery } from './opening/recovery.ts';
import { openReplay, type Replayed } from './opening/replay.ts';
import { makeDirectoryDurably, makeRoot, removeTemporaryFiles } from './disk/root-files.ts';
import { RootLayout } from './disk/root-layout.ts';
import type { StoredRecord } from '../record/record.ts';
import type { ServiceRecords } from '../index/service-records.ts';
import type { ServiceSnapshot } from './opening/service-snapshot.ts';
import type { StoreStatus } from '../record/status.ts';
import type { StoreDeps } from './opening/store-deps.ts';
import { writtenPaths } from './opening/written-paths.ts';
import { atOnce, eachInSteps, type Steps } from '../../slices.ts';
import { Staging } from './checkpoint/staging.ts';
import { Rescanner } from './opening/rescanner.ts';
import { byCreation } from '../index/table.ts';
import { largeFiles } from './project/large-texts.ts';
import type { LargeTexts } from './project/large-texts.ts';
import { type TransactionContext, ProjectReadTransaction } from '../index/transaction.ts';
import { upgradeRoot } from './opening/upgrade.ts';
import { UnservedDirectories } from './opening/unserved-directories.ts';
import { fileByPerson, keptFileOf } from './checkpoint/file-by-person.ts';
import type { WrittenFile } from '../record/read-transaction.ts';
import type { Problem } from '../record/read-transaction.ts';

/** The components of an open store, wired together. `Store` is its public interface. */
export class Engine implements StoreDeps {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects = new Map<string, Project>();
  readonly service: ServiceRecords;
  readonly lock: RootLock;
  readonly journal: Journal;
  readonly durability: DurabilityTracker;
  readonly commit: Commit;
  readonly checkpointer: Checkpointer;
  readonly reconciler: Reconciler;
  readonly loader: Loader;
  readonly largeTexts: LargeTexts;
  readonly staging: Staging;
  readonly attachmentFiles: AttachmentFiles;
  readonly lastGood: LastGood;
  readonly git: GitGuard | undefined;
  readonly problems = new Map<string, Problem>();
  readonly unserved: UnservedDirectories;
  readonly epoch = randomName();
  readonly locations: LocationMap;
  readonly #port: CheckpointPort;
  readonly #cache: IndexCache;
  readonly #keptIds: KeptIds;
  readonly #snapshot: ServiceSnapshot;
  readonly #rescanner: Rescanner;
  readonly #maintenance: Maintenance;
  readonly #views = new WeakMap<Project, ProjectReadTransaction>();
  readonly #contexts = new WeakMap<Project, TransactionContext>();
  #order: Project[] | undefined;
  #closed = false;

  static async open(options: StoreOptions): Promise<Engine> {
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
      engine = new Engine(whole, layout, lock, opened.journal, openPort(whole, layout), replayed);
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
    port: CheckpointPort,
    { service, snapshot, largeTexts }: Replayed,
  ) {
    const { disk, clock, collections } = options;
    this.options = options;
    this.layout = layout;
    this.lock = lock;
    this.journal = journal;
    this.#port = port;
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.service = service;
    this.durability = new DurabilityTracker(journal);
    this.git = GitGuard.find(disk, dirname(layout.root), clock);
    this.largeTexts = largeTexts;
    this.lastGood = new LastGood(disk, layout.local);
    this.staging = new Staging(disk, layout.local, clock);
    this.attachmentFiles = new AttachmentFiles({
      disk,
      projectsDirectory: layout.projects,
      collections: this.collections,
      staging: this.staging,
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
    this.#cache = new IndexCache(disk, layout.indexCache, cacheVersion(collections, currentFormat(options.migrations)));
    this.#keptIds = new KeptIds({ disk, path: layout.keptIds, projects: this.projects, log: options.log });
    this.loader = new Loader({
      disk,
      layout,
      collections,
      reconciler: this.reconciler,
      lastGood: this.lastGood,
      cache: this.#cache,
      keptIds: this.#keptIds,
      pathInOtherProject: (project, id) => pathInOtherProject(this.projects.values(), project, id),
    });
    this.unserved = new UnservedDirectories({ disk, layout, collections });
    this.#snapshot = snapshot;
    this.commit = this.#makeCommit();
    this.checkpointer = this.#makeCheckpointer();
    this.#rescanner = new Rescanner(this);
    this.#maintenance = new Maintenance(this, this.#snapshot);
  }

  /** Projects by created_at, then id. */
  ordered(): readonly Project[] {
    this.#order ??= [...this.projects.values()].sort((a, b) => byCreation(positionOf(a), positionOf(b)));
    return this.#order;
  }

  viewOf(project: Project): ProjectReadTransaction {
    let view = this.#views.get(project);
    if (view === undefined) {
      view = new ProjectReadTransaction(this.contextOf(project), () => isoTime(this.options.clock.now()));
      this.#views.set(project, view);
    }
    return view;
  }

  contextOf(project: Project): TransactionContext {
    let ground = this.#contexts.get(project);
    if (ground === undefined) {
      const { id, code, index, history } = project;
      const { collections, service, epoch, options } = this;
      ground = {
        project: id,
        code,
        index,
        history,
        collections,
        service,
        epoch,
        ids: options.ids,
        linkedPart: (path) => linkedPart(options.disk, dirname(this.layout.root), path),
        bytes: (name, record) => this.attachmentFiles.open(project, name, record),
        storedBytes: () => project.storedBytes,
        problems: () => project.problems(),
        problemOf: (record) => project.problemOf(record),
        sharing: (shared) => project.sharing(shared),
        pathOf: (record) => project.pathOf(record),
        fileByPerson: (record) => this.#fileByPerson(project, record),
      };
      this.#contexts.set(project, ground);
    }
    return ground;
  }

  #fileByPerson(project: Project, id: string): WrittenFile | undefined {
    const directory = `${this.layout.projects}/${project.directory}`;
    const collection = this.collections.get(project.index.collectionOf(id) ?? '');
    return fileByPerson(this.options.disk, directory, project, collection, id);
  }

  newProject(id: string, directory: string): Project {
    const project = this.loader.newProject(id, directory);
    this.#addDerivedIndexes(project);
    return project;
  }

  locate(id: string): readonly string[] {
    return this.ordered()
      .filter((project) => project.holds(id))
      .map((project) => project.id);
  }

  codeIsTaken(code: string): boolean {
    for (const project of this.projects.values()) if (project.code === code) return true;
    return this.options.disk.list(this.layout.projects).some(({ name }) => name.endsWith(`-${code}`));
  }

  status(): StoreStatus {
    let pending = 0;
    for (const project of this.projects.values()) pending += project.pending.size + project.history.waiting;
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

  /**
   * Applies a reconcile outcome: updates the index, appends to the journal, and schedules a checkpoint if records are
   * still dirty.
   */
  applyOutcome(project: Project, outcome: ReconcileOutcome): void {
    atOnce(this.applyOutcomeSliced(project, outcome));
  }

  *applyOutcomeSliced(project: Project, outcome: ReconcileOutcome): Steps<void> {
    yield* this.commit.commitExternalEdits(project, outcome);
    if (outcome.changes.some(({ collection }) => this.collections.get(collection)?.id === 'project'))
      this.#order = undefined;
    yield* eachInSteps(outcome.changes, ({ id }) => {
      const file = project.files.served(id);
      const collection = file && this.collections.get(file.collection);
      if (file !== undefined && collection !== undefined) this.#evictLargeTexts(project, collection, file);
    });
    this.attachmentFiles.inspectChanged(
      project,
      outcome.changes.map(({ id }) => id),
    );
    this.#keptIds.note(project);
    if (outcome.stillPending) this.checkpointer.schedule();
  }

  /** Loads a new directory as a project, unless its id is already served. */
  loadDirectory(
    directory: string,
    entries: readonly KeptEntry<EntryBody>[] = [],
    marks: readonly Mark[] = [],
    journaledId?: string,
  ): Project | undefined {
    const stamp = this.unserved.stampOf(directory);
    const id = journaledId ?? this.loader.idOf(directory);
    if (id === undefined) {
      this.unserved.inspect(directory, stamp);
      return undefined;
    }
    const known = this.projects.get(id);
    if (known !== undefined) {
      if (known.directory === directory) return undefined;
      if (this.loader.isProject(known.directory)) known.otherProblems.set(directory, secondDirectory(known, directory));
      else if (followDirectory(this, known, directory))
        this.#rescanner.schedule(known, [...[...known.files.values()].map(({ path }) => path), '']);
      return undefined;
    }
    const { project, outcome, known: cached } = this.loader.load(id, directory);
    project.seq = this.journal.lastSeq(id);
    this.#addUnwrittenRevisions(project, entries);
    for (const change of outcome.changes) project.index.apply(change);
    const { overridden, upToDate, tornIds } = this.#recoveryOf(directory).recover(project, entries, marks);
    // What differs from the index cache was edited while no service ran: it gets a revision like any edit.
    const edits = outcome.changes.filter((change) => !tornIds.has(change.id));
    if (cached) this.commit.addOfflineRevisions(project, edits, outcome.overridden);
    this.commit.addOfflineRevisions(project, [], overridden);
    this.journal.appendMarks(upToDate);
    for (const file of largeFiles(project)) {
      const collection = this.collections.get(file.collection);
      if (collection !== undefined) this.#evictLargeTexts(project, collection, file);
    }
    if (entries.length > 0) this.checkpointer.markUnsynced(writtenPaths(this, project, entries));
    if (project.index.record(id) === undefined && project.pending.size === 0) {
      const { id: _, ...problem } = project.problemOf(id) ?? {};
      this.unserved.inspect(directory, stamp, 'path' in problem ? problem : undefined);
      return undefined;
    }
    this.#addDerivedIndexes(project);
    this.addProject(project);
    this.#keptIds.note(project);
    this.attachmentFiles.inspectAll(project, { restoreMissing: true });
    return project;
  }

  addProject(project: Project): void {
    this.projects.set(project.id, project);
    this.unserved.remove(project.directory);
    this.#order = undefined;
    this.#rescanner.watchProjects();
  }

  removeProject(project: Project): void {
    this.projects.delete(project.id);
    this.#order = undefined;
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
    await this.journal.close();
    await this.writeIndexCache();
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

  /** The cache may be lost: a failure to write it has no other effect. */
  async writeIndexCache(): Promise<void> {
    const { durability, checkpointer, layout } = this;
    await this.#keptIds.write();
    if (durability.failed || checkpointer.syncFailed) return;
    const isSynced: IsSynced = ({ directory }, path) =>
      checkpointer.isSynced(`${layout.projects}/${directory}/${path}`);
    try {
      await this.#cache.write(this.projects.values(), this.options.clock, isSynced);
    } catch (error) {
      this.options.log(`The index cache could not be written: ${(error as Error).message}`);
    }
  }

  /** Loads a project whose creation was acknowledged and whose directory does not exist yet. */
  loadFromJournal(id: string, entries: readonly KeptEntry<EntryBody>[], marks: readonly Mark[]): void {
    const directory = createdDirectory(entries.map(({ body }) => body));
    if (directory === undefined) return;
    // A crash happened before project.json was written, or tore it: existing files belong to the project.
    const isThere = this.options.disk.stat(`${this.layout.projects}/${directory}`)?.kind === 'directory';
    if (isThere) return void this.loadDirectory(directory, entries, marks, id);
    const project = this.loader.newProject(id, directory);
    project.seq = this.journal.lastSeq(id);
    this.#addUnwrittenRevisions(project, entries);
    const { overridden, upToDate } = this.#recoveryOf(directory).recover(project, entries, marks);
    this.commit.addOfflineRevisions(project, [], overridden);
    this.journal.appendMarks(upToDate);
    this.#addDerivedIndexes(project);
    this.addProject(project);
    this.attachmentFiles.inspectAll(project, { restoreMissing: true });
  }

  #recoveryOf(directory: string): Recovery {
    const { disk, clock } = this.options;
    return new Recovery({
      disk,
      clock,
      collections: this.collections,
      directoryOf: () => `${this.layout.projects}/${directory}`,
    });
  }

  /** Adds the journal's revisions that are not in a history segment yet. */
  #addUnwrittenRevisions(project: Project, entries: readonly KeptEntry<EntryBody>[]): void {
    for (const { body, position } of entries)
      for (const revision of body.revisions) project.history.add(revision, body.source === 'disk', position);
    project.lastEntry = entries.at(-1)?.id ?? null;
  }

  moveToTrash(directory: string): void {
    const { disk, clock } = this.options;
    makeDirectoryDurably(disk, this.layout.trash);
    const stamp = isoTime(clock.now()).replace(/[:.]/g, '-');
    disk.rename(`${this.layout.projects}/${directory}`, `${this.layout.trash}/${stamp}.${directory}`);
    this.loader.leaving.delete(directory);
    this.checkpointer.markUnsynced([this.layout.projects, this.layout.trash]);
  }

  #begin(): void {
    this.#maintenance.start();
    this.#rescanner.start();
    this.checkpointer.schedule();
  }

  #addDerivedIndexes(project: Project): void {
    const touch = (collection: string, id: string): void => project.index.touch(collection, id);
    for (const [name, make] of Object.entries(this.options.derived))
      project.index.derive(name, make(this.viewOf(project), touch));
  }

  #makeCommit(): Commit {
    const { clock, ids } = this.options;
    return new Commit({
      durability: this.durability,
      collections: this.collections,
      service: this.service,
      attachmentFiles: this.attachmentFiles,
      clock,
      ids,
      contextOf: (project) => this.contextOf(project),
      add: (project) => this.addProject(project),
      remove: (project) => this.removeProject(project),
      onDropped: (project) => this.#maintenance.trashProject(project),
      onChanged: () => this.checkpointer.schedule(),
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
      exists: (path) => this.options.disk.stat(path) !== undefined,
      lastCommit: () => this.git?.lastCommit() ?? '',
      onRacedSave: (project, path, base, bytes) => this.#onRacedSave(project, path, base, bytes),
      onFileWritten: (project, collection, state) => this.#onFileWritten(project, collection, state),
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

  #onRacedSave(project: Project, path: string, base: StoredRecord | undefined, bytes: Uint8Array): void {
    const state = project.files.at(path);
    if (state === undefined) return;
    project.markDirty(state.id, state.collection, this.durability.position);
    const outcome = this.reconciler.reconcileRacedSave(project, path, base, bytes);
    this.applyOutcome(project, outcome);
    project.markDirty(state.id, state.collection, this.durability.position);
    this.checkpointer.schedule();
  }

  #onFileWritten(project: Project, collection: Collection, state: FileState): void {
    if (state.record !== undefined) this.attachmentFiles.onRecordWritten(project, collection, state.record);
    this.#evictLargeTexts(project, collection, refreshNotes(this.reconciler.contextOf(project), state));
  }

  /** Replaces large texts in memory by references: from now on they are read from their copies. */
  #evictLargeTexts(project: Project, collection: Collection, state: FileState): void {
    const light = state.record && this.largeTexts.evict(collection, state.record);
    if (state.record === undefined || light === undefined || light === state.record) return;
    project.files.set({ ...state, record: light });
    if (project.index.record(state.id) === state.record)
      project.index.table(collection.name).substitute(state.id, light);
  }
}

function positionOf(project: Project): { readonly created_at: string; readonly id: string } {
  return { created_at: project.index.record(project.id)?.created_at ?? '', id: project.id };
}
