import { dirname } from 'node:path';
import { IdSource, randomName } from '../../ids.ts';
import { isoTime } from '../../clock.ts';
import type { CheckpointPort } from './checkpoint/checkpoint-job.ts';
import { Checkpointer } from './checkpoint/checkpointer.ts';
import { openPort } from './checkpoint/open-port.ts';
import type { Collection } from '../record/collection.ts';
import { Commit } from './commit.ts';
import { Committer } from './journal/durability-tracker.ts';
import { type EntryBody, madeDirectory } from '../record/entry.ts';
import type { FileState } from './project/file-table.ts';
import { secondDirectory, unreadableProject, whereElse } from './opening/directory-problems.ts';
import { followDirectory } from './opening/follow-directory.ts';
import { currentFormat, requireKnownFormat } from './disk/format.ts';
import { GitGuard } from './checkpoint/git-guard.ts';
import { cacheVersion, IndexCache, type IsSynced } from './opening/index-cache.ts';
import { Journal, type KeptEntry, type Mark, type OpenedJournal } from './journal/journal.ts';
import { LastGood } from './edits/last-good.ts';
import { linkedPart } from './disk/linked-path.ts';
import { Loader } from './opening/loader.ts';
import { RootLock } from './opening/lock.ts';
import { Maintenance } from './opening/maintenance.ts';
import { defaultOptions, type StoreOptions } from './project/options.ts';
import { PlaceMap } from '../record/locations.ts';
import type { Project } from './project/project.ts';
import { Reconciler, type Outcome } from './edits/reconcile.ts';
import { RecordFiles } from './checkpoint/attachment-files.ts';
import { Recovery } from './opening/recovery.ts';
import { openReplay, type Replayed } from './opening/replay.ts';
import { makeDurably, makeRoot, sweepTemporary } from './disk/root-files.ts';
import { RootLayout } from './disk/root-layout.ts';
import type { StoredRecord } from '../record/record.ts';
import type { ServiceRecords } from '../index/service-records.ts';
import type { ServiceSnapshot } from './opening/service-snapshot.ts';
import type { StoreStatus } from '../record/status.ts';
import type { StoreParts } from './opening/store-deps.ts';
import { writtenPaths } from './opening/written-paths.ts';
import { atOnce, eachInSteps, type Steps } from '../../slices.ts';
import { Staging } from './checkpoint/staging.ts';
import { Sweeper } from './opening/sweeper.ts';
import { byCreation } from '../index/table.ts';
import type { Texts } from './project/texts.ts';
import { type Ground, ProjectView } from '../index/transaction.ts';
import { upgradeRoot } from './opening/upgrade.ts';
import type { Problem } from '../record/view.ts';

/** The parts of an open store, wired. `Store` is its face. */
export class Engine implements StoreParts {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects = new Map<string, Project>();
  readonly service: ServiceRecords;
  readonly lock: RootLock;
  readonly journal: Journal;
  readonly committer: Committer;
  readonly commit: Commit;
  readonly checkpointer: Checkpointer;
  readonly reconciler: Reconciler;
  readonly loader: Loader;
  readonly texts: Texts;
  readonly staging: Staging;
  readonly recordFiles: RecordFiles;
  readonly lastGood: LastGood;
  readonly git: GitGuard | undefined;
  readonly problems = new Map<string, Problem>();
  readonly epoch = randomName();
  readonly places: PlaceMap;
  readonly #port: CheckpointPort;
  readonly #cache: IndexCache;
  readonly #snapshot: ServiceSnapshot;
  readonly #sweeper: Sweeper;
  readonly #maintenance: Maintenance;
  readonly #views = new WeakMap<Project, ProjectView>();
  readonly #grounds = new WeakMap<Project, Ground>();
  #order: Project[] | undefined;
  /** Resolves once edits on disk are heard of, and those since the opening were found. */
  watching: Promise<void> = Promise.resolve();
  #closed = false;

  static async open(options: StoreOptions): Promise<Engine> {
    const clock = options.clock ?? defaultOptions.clock;
    const whole: Required<StoreOptions> = { ...defaultOptions, derived: {}, ids: new IdSource(clock), ...options };
    const layout = new RootLayout(whole.root, whole.local);
    requireKnownFormat(whole.disk, layout, whole.migrations);
    makeRoot(whole.disk, layout, { known: whole.migrations, signLocal: whole.signLocal });
    const lock = RootLock.acquire({ disk: whole.disk, directory: layout.local, clock });
    const { tookOver } = lock;
    if (tookOver !== undefined)
      whole.log(
        `The root was taken over from process ${tookOver.pid} on ${tookOver.host}, which gave no sign of life since ${tookOver.beat}.`,
      );
    let engine: Engine | undefined;
    try {
      sweepTemporary(whole.disk, layout);
      upgradeRoot({ ...whole, layout });
      const replayed = openReplay(whole, layout);
      const { disk, segmentBytes } = whole;
      const opened = Journal.open({ disk, directory: layout.journal, segmentBytes, keep: replayed.keep });
      engine = new Engine(whole, layout, lock, opened.journal, openPort(whole, layout), replayed);
      engine.#load(opened);
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
    { service, snapshot, texts }: Replayed,
  ) {
    const { disk, clock, collections } = options;
    this.options = options;
    this.layout = layout;
    this.lock = lock;
    this.journal = journal;
    this.#port = port;
    this.collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.service = service;
    this.committer = new Committer(journal);
    this.git = GitGuard.find(disk, dirname(layout.root), clock);
    this.texts = texts;
    this.lastGood = new LastGood(disk, layout.local);
    this.staging = new Staging(disk, layout.local, clock);
    this.recordFiles = new RecordFiles({
      disk,
      projectsDirectory: layout.projects,
      collections: this.collections,
      staging: this.staging,
      position: () => this.committer.position,
      changed: () => this.checkpointer.schedule(),
    });
    this.places = new PlaceMap(collections);
    this.reconciler = new Reconciler({
      disk,
      clock,
      projectsDirectory: layout.projects,
      collections: this.collections,
      places: this.places,
      lastGood: this.lastGood,
      log: options.log,
    });
    this.#cache = new IndexCache(disk, layout.indexCache, cacheVersion(collections, currentFormat(options.migrations)));
    this.loader = new Loader({
      disk,
      layout,
      collections,
      reconciler: this.reconciler,
      lastGood: this.lastGood,
      cache: this.#cache,
      elsewhere: (project, id) => whereElse(this.projects.values(), project, id),
    });
    this.#snapshot = snapshot;
    this.commit = this.#makeCommit();
    this.checkpointer = this.#makeCheckpointer();
    this.#sweeper = new Sweeper(this);
    this.#maintenance = new Maintenance(this, this.#snapshot);
  }

  /** Projects by created_at, then id. */
  ordered(): readonly Project[] {
    this.#order ??= [...this.projects.values()].sort((a, b) => byCreation(positionOf(a), positionOf(b)));
    return this.#order;
  }

  viewOf(project: Project): ProjectView {
    let view = this.#views.get(project);
    if (view === undefined) {
      view = new ProjectView(this.groundOf(project), () => isoTime(this.options.clock.now()));
      this.#views.set(project, view);
    }
    return view;
  }

  groundOf(project: Project): Ground {
    let ground = this.#grounds.get(project);
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
        bytes: (name, record) => this.recordFiles.open(project, name, record),
        storedBytes: () => project.storedBytes,
        problems: () => project.problems(),
        problemOf: (record) => project.problemOf(record),
        pathOf: (record) => project.pathOf(record),
      };
      this.#grounds.set(project, ground);
    }
    return ground;
  }

  make(id: string, directory: string): Project {
    const project = this.loader.make(id, directory);
    this.#derive(project);
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
    const problems = [...this.problems.values(), ...this.#gitProblem()];
    return {
      root: this.layout.root,
      projects: this.projects.size,
      pending,
      journalBytes: this.journal.bytes,
      written: this.checkpointer.written,
      writable: !this.committer.failed,
      git: this.checkpointer.git ?? null,
      problems,
    };
  }

  async flush(): Promise<void> {
    await this.#maintenance.flush();
  }

  async rescan(): Promise<void> {
    await this.#sweeper.all();
  }

  /** Takes up an outcome of reconciling: index, journal, and files where something remains to be written. */
  adopt(project: Project, outcome: Outcome): void {
    atOnce(this.adoptSliced(project, outcome));
  }

  *adoptSliced(project: Project, outcome: Outcome): Steps<void> {
    yield* this.commit.disk(project, outcome);
    if (outcome.changes.some(({ collection }) => this.collections.get(collection)?.id === 'project'))
      this.#order = undefined;
    yield* eachInSteps(outcome.changes, ({ id }) => {
      const file = project.files.served(id);
      const collection = file && this.collections.get(file.collection);
      if (file !== undefined && collection !== undefined) this.#letGo(project, collection, file);
    });
    this.recordFiles.changed(
      project,
      outcome.changes.map(({ id }) => id),
    );
    if (outcome.stillPending) this.checkpointer.schedule();
  }

  /** A directory that appeared: a project, unless its id is one that is served already. */
  loadDirectory(
    directory: string,
    entries: readonly KeptEntry<EntryBody>[] = [],
    marks: readonly Mark[] = [],
    id = this.loader.idOf(directory),
  ): Project | undefined {
    if (id === undefined) {
      this.problems.set(directory, unreadableProject(directory));
      return undefined;
    }
    const known = this.projects.get(id);
    if (known !== undefined) {
      if (known.directory === directory) return undefined;
      if (this.loader.isProject(known.directory)) known.otherProblems.set(directory, secondDirectory(known, directory));
      else if (followDirectory(this, known, directory))
        this.#sweeper.soon(known, [...[...known.files.values()].map(({ path }) => path), '']);
      return undefined;
    }
    this.problems.delete(directory);
    const { project, outcome, known: cached } = this.loader.load(id, directory);
    project.seq = this.journal.lastSeq(id);
    this.#remember(project, entries);
    for (const change of outcome.changes) project.index.apply(change);
    const { lost, found, debris } = this.#recoveryOf(directory).recover(project, entries, marks);
    // What differs from the index cache was edited while no service ran: it has its revision like any edit.
    const edits = outcome.changes.filter((change) => !debris.has(change.id));
    if (cached) this.commit.offline(project, edits, outcome.lost);
    this.commit.offline(project, [], lost);
    this.journal.written(found);
    for (const file of [...project.files.values()]) {
      const collection = this.collections.get(file.collection);
      if (collection !== undefined && file.stamp.size > 0) this.#letGo(project, collection, file);
    }
    if (entries.length > 0) this.checkpointer.doubt(writtenPaths(this, project, entries));
    this.#derive(project);
    this.addProject(project);
    this.recordFiles.inspectAll(project, { again: true });
    return project;
  }

  addProject(project: Project): void {
    this.projects.set(project.id, project);
    this.#order = undefined;
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
    await this.#sweeper.stop();
    await this.#maintenance.stop();
    await this.checkpointer.stop();
    await this.journal.close();
    await this.keepCache();
    await this.#port.close();
    this.staging.close();
    this.lock.release();
    this.#closed = true;
  }

  /** Lets go of everything at once and writes nothing more, as the end of the process would. */
  abandon(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.checkpointer.abandon();
    this.#maintenance.abandon();
    void this.#sweeper.stop();
    void this.#port.close();
    this.staging.close();
    try {
      this.lock.release();
    } catch (error) {
      this.options.log(`The lock's note could not be removed: ${(error as Error).message}`);
    }
  }

  /** The cache may be lost: that it cannot be written stops nothing else. */
  async keepCache(): Promise<void> {
    const { committer, checkpointer, layout } = this;
    if (committer.failed || checkpointer.syncFailed) return;
    const isSynced: IsSynced = ({ directory }, path) =>
      checkpointer.isSynced(`${layout.projects}/${directory}/${path}`);
    try {
      await this.#cache.write(this.projects.values(), this.options.clock, isSynced);
    } catch (error) {
      this.options.log(`The index cache could not be written: ${(error as Error).message}`);
    }
  }

  /** Opening: every project directory, then what the journal knows and no directory has. The service's records were replayed with the journal. */
  #load({ entries, marks, problems }: OpenedJournal): void {
    for (const { path, line, reason } of problems) this.options.log(`journal: ${path}, line ${line}: ${reason}`);
    const byProject = new Map<string, KeptEntry<EntryBody>[]>();
    for (const entry of entries as readonly KeptEntry<EntryBody>[]) {
      const list = byProject.get(entry.project);
      if (list === undefined) byProject.set(entry.project, [entry]);
      else list.push(entry);
    }
    const dropped = new Set(
      [...byProject].filter(([, list]) => list.some(({ body }) => body.dropped)).map(([id]) => id),
    );
    this.#cache.open();
    for (const directory of this.loader.directories()) this.#loadOrTrash(directory, byProject, marks, dropped);
    this.#cache.forget();
    for (const [id, list] of byProject) this.#loadFromJournal(id, list, marks, dropped);
  }

  #loadOrTrash(
    directory: string,
    byProject: ReadonlyMap<string, KeptEntry<EntryBody>[]>,
    marks: readonly Mark[],
    dropped: ReadonlySet<string>,
  ): void {
    const id = this.loader.idOf(directory) ?? '';
    if (dropped.has(id)) return this.trash(directory);
    this.loadDirectory(
      directory,
      byProject.get(id) ?? [],
      marks.filter(({ project }) => project === id),
    );
  }

  /** A project whose creation was acknowledged and whose directory is not there yet. */
  #loadFromJournal(
    id: string,
    entries: readonly KeptEntry<EntryBody>[],
    marks: readonly Mark[],
    dropped: ReadonlySet<string>,
  ): void {
    const directory = madeDirectory(entries.map(({ body }) => body));
    if (directory === undefined || this.projects.has(id) || dropped.has(id)) return;
    const ofProject = marks.filter((mark) => mark.project === id);
    // A crash came before its project.json was written, or left debris of that: the files that are there already are its own.
    const isThere = this.options.disk.stat(`${this.layout.projects}/${directory}`)?.kind === 'directory';
    if (isThere) return void this.loadDirectory(directory, entries, ofProject, id);
    const project = this.loader.make(id, directory);
    project.seq = this.journal.lastSeq(id);
    this.#remember(project, entries);
    const { lost, found } = this.#recoveryOf(directory).recover(project, entries, ofProject);
    this.commit.offline(project, [], lost);
    this.journal.written(found);
    this.#derive(project);
    this.addProject(project);
    this.recordFiles.inspectAll(project, { again: true });
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

  /** Revisions of the journal that are not in a segment yet. */
  #remember(project: Project, entries: readonly KeptEntry<EntryBody>[]): void {
    for (const { body, position } of entries)
      for (const revision of body.revisions) project.history.add(revision, body.source === 'disk', position);
    project.lastEntry = entries.at(-1)?.id ?? null;
  }

  trash(directory: string): void {
    const { disk, clock } = this.options;
    makeDurably(disk, this.layout.trash);
    const stamp = isoTime(clock.now()).replace(/[:.]/g, '-');
    disk.rename(`${this.layout.projects}/${directory}`, `${this.layout.trash}/${stamp}.${directory}`);
    this.checkpointer.doubt([this.layout.projects, this.layout.trash]);
  }

  #begin(): void {
    this.#maintenance.start();
    this.watching = this.#sweeper.start();
    this.checkpointer.schedule();
  }

  #derive(project: Project): void {
    const touch = (collection: string, id: string): void => project.index.touch(collection, id);
    for (const [name, make] of Object.entries(this.options.derived))
      project.index.derive(name, make(this.viewOf(project), touch));
  }

  #makeCommit(): Commit {
    const { clock, ids } = this.options;
    return new Commit({
      committer: this.committer,
      collections: this.collections,
      service: this.service,
      recordFiles: this.recordFiles,
      clock,
      ids,
      groundOf: (project) => this.groundOf(project),
      add: (project) => this.addProject(project),
      remove: (project) => this.removeProject(project),
      dropped: (project) => this.#maintenance.dropped(project),
      changed: () => this.checkpointer.schedule(),
    });
  }

  #makeCheckpointer(): Checkpointer {
    return new Checkpointer({
      layout: this.layout,
      port: this.#port,
      journal: this.journal,
      clock: this.options.clock,
      collections: this.collections,
      projects: () => this.projects.values(),
      lookAgain: (project, paths) => this.#sweeper.soon(project, paths),
      lookOnceGitRests: (project, paths) => this.#sweeper.onceGitRests(project, paths),
      log: (message) => this.options.log(message),
      parkedRetryMs: this.options.parkedRetryMs,
      durablePosition: () => this.committer.durablePosition,
      exists: (path) => this.options.disk.stat(path) !== undefined,
      lastCommit: () => this.git?.lastCommit() ?? '',
      raced: (project, path, base, bytes) => this.#raced(project, path, base, bytes),
      filed: (project, collection, state) => this.#filed(project, collection, state),
    });
  }

  /** Whether a record's file, unreadable at the last look, can be read now: an editor was in the middle of writing it. */
  async isMended(project: Project, id: string): Promise<boolean> {
    const state = project.files.served(id);
    if (state?.unreadable !== undefined) await this.#sweeper.now(project, state.path);
    // Or it has been looked at since.
    return project.files.served(id)?.unreadable === undefined;
  }

  #raced(project: Project, path: string, base: StoredRecord | undefined, bytes: Uint8Array): void {
    const state = project.files.at(path);
    if (state === undefined) return;
    project.await(state.id, state.collection, this.committer.position);
    const outcome = this.reconciler.lookAtRaced(project, path, base, bytes);
    this.adopt(project, outcome);
    project.await(state.id, state.collection, this.committer.position);
    this.checkpointer.schedule();
  }

  #filed(project: Project, collection: Collection, state: FileState): void {
    if (state.record !== undefined) this.recordFiles.written(project, collection, state.record);
    this.#letGo(project, collection, state);
  }

  /** Large texts are read from their copies from now on. */
  #letGo(project: Project, collection: Collection, state: FileState): void {
    const light = state.record && this.texts.lighten(collection, state.record);
    if (state.record === undefined || light === undefined || light === state.record) return;
    project.files.set({ ...state, record: light });
    if (project.index.record(state.id) === state.record)
      project.index.table(collection.name).substitute(state.id, light);
  }

  #gitProblem(): Problem[] {
    const work = this.git?.atWork();
    if (work?.stale !== true) return [];
    return [
      {
        path: work.path,
        kind: 'stale_git_lock',
        reason: `${work.what} has held this file for more than a minute; nothing is written to record files meanwhile.`,
        remedy: 'Remove the lock once no git command runs any more.',
      },
    ];
  }
}

function positionOf(project: Project): { readonly created_at: string; readonly id: string } {
  return { created_at: project.index.record(project.id)?.created_at ?? '', id: project.id };
}
