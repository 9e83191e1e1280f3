import { notFound } from '../base/errors.ts';
import type { Commit } from './commit/commit.ts';
import { check, checking } from './files/upkeep/check.ts';
import { Engine } from './files/engine.ts';
import { allIdle } from './commit/exclusive.ts';
import { readAllDurably, readDurably } from './commit/read-durably.ts';
import { repair } from './files/upkeep/repair.ts';
import { currentFormat } from './files/disk/format.ts';
import type { Ports } from './files/projects/ports.ts';
import type { StoreOptions } from './files/project/options.ts';
import type { Project } from './files/project/project.ts';
import { type Fetched, untilFetched } from './record/look-ups.ts';
import { freeCode, identifiersFor } from './record/project-name.ts';
import type { Change, Collections, StoredRecord } from './record/record.ts';
import { checkRootFiles } from './files/root/root-check.ts';
import type { ChangeMeta, StoreStatus } from './record/status.ts';
import { isExpired } from './replica/service-records.ts';
import type { Steps } from '../base/slices.ts';
import { typedTx, typedReadTransaction } from './replica/transaction.ts';
import type { Pieces } from './files/checkpoint/staging.ts';
import { projectNotServed, unwritableId } from './record/unreadable.ts';
import { upgradesDone } from './files/root/upgrades-done.ts';
import type {
  Problem,
  RecordsWanted,
  ServiceTx,
  ServiceReader,
  ServiceReadTransaction,
  StagedBytes,
  Tx,
  ReadTransaction,
} from './record/read-transaction.ts';

/**
 * The document database over one root. Reads are served from memory. A change runs in one transaction, is durable in
 * the journal before it is acknowledged, and is written to its files a moment later. External edits become transactions
 * of their own.
 */
export class Store<C extends Collections = Collections> {
  readonly #engine: Engine;
  readonly #commit: Commit<Project>;
  readonly #serviceReader: ServiceReader;

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.#commit = engine.commit;
    const { service: records, durability } = engine;
    this.#serviceReader = { records, isDurable: (collection, id) => durability.isServiceRecordDurable(collection, id) };
  }

  /**
   * Locks the root, reads its files, replays the journal, and starts the watcher. Throws `conflict` if another service
   * holds the root.
   */
  static async open<C extends Collections>(options: StoreOptions, ports?: Ports): Promise<Store<C>> {
    return new Store<C>(await Engine.open(options, ports));
  }

  /** Ids of all projects by created_at, then id. */
  projects(): readonly string[] {
    return this.#engine.projects.ordered().map(({ id }) => id);
  }

  /** All projects, since every project is in memory. */
  inMemory(): readonly string[] {
    return this.projects();
  }

  /**
   * Ids of the projects that contain a record, an edge or a revision with this id. Includes state that is not durable
   * yet; for an answer to a caller use `locateDurably`.
   */
  locate(id: string): readonly string[] {
    return this.#engine.projects.locate(id);
  }

  /**
   * Resolves the references of a call by `locate`. If `fn` throws, for example because no project has the id, the error
   * is thrown only after the state it depends on is durable.
   */
  async locateDurably<T>(fn: (locate: (id: string) => readonly string[]) => T): Promise<T> {
    for (;;) {
      try {
        return fn((id) => this.#engine.projects.locate(id));
      } catch (error) {
        if (!(await this.#whenIdle()) && (await this.#engine.durability.whenAllDurable())) throw error;
      }
    }
  }

  /**
   * Reads one project. Resolves once everything that `fn` could read is durable. Throws `not_found` for an unknown
   * project.
   */
  async read<T>(project: string, fn: (view: ReadTransaction<C>) => T): Promise<T> {
    return this.#readDurably(project, () =>
      fn(typedReadTransaction<C>(this.#engine.contexts.viewOf(this.#require(project)))),
    );
  }

  /**
   * Reads within this turn a part that is always durable: the events of the feed. Returns undefined if the project is
   * being changed in slices. Throws `not_found` for an unknown project.
   */
  peek<T>(project: string, fn: (view: ReadTransaction<C>) => T): T | undefined {
    const found = this.#require(project);
    if (found.exclusive.held !== undefined) return undefined;
    return fn(typedReadTransaction<C>(this.#engine.contexts.viewOf(found)));
  }

  /** Peeks at all projects. Only service records that `service` reports as durable may be used. */
  peekAll<T>(fn: (views: readonly ReadTransaction<C>[], service: ServiceReader) => T): T | undefined {
    const projects = this.#engine.projects.ordered();
    if (projects.some(({ exclusive }) => exclusive.held !== undefined)) return undefined;
    return fn(this.#views(), this.#serviceReader);
  }

  /** Reads all projects and the service's records at one point in time. */
  async readAll<T>(
    fn: (views: readonly ReadTransaction<C>[], service: ServiceReader, isWhole: boolean) => T,
    _records?: RecordsWanted,
  ): Promise<T> {
    const { service: records, lookUps, durability } = this.#engine;
    const service: ServiceReader = { records, isDurable: () => true };
    const ground = { lookUps, whenIdle: () => this.#whenIdle(), whenDurable: () => durability.whenAllDurable() };
    return readAllDurably(ground, () => fn(this.#views(), service, true));
  }

  /**
   * Runs a transaction. Resolves once it is durable; a throw rolls it back. If it is rejected because a file is
   * unreadable, and the file is readable by now, the transaction is retried once.
   */
  async update<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T): Promise<T> {
    const found = this.#engine.projects.get(project) ?? (await this.#findDurably(project));
    return this.#retry(found, async (fetched) => {
      while (found.exclusive.held !== undefined) await found.exclusive.held;
      this.#requirePresent(found);
      return this.#commit.run(found, meta, (tx) => fn(typedTx<C>(tx)), fetched);
    });
  }

  /**
   * Updates a project by a long rule, which runs in slices between other requests. Reads and other changes of this
   * project wait until it is complete.
   */
  async updateSliced<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>): Promise<T> {
    const found = this.#engine.projects.get(project) ?? (await this.#findDurably(project));
    return this.#retry(found, () =>
      this.#commit.runSliced(found, meta, (tx) => {
        this.#requirePresent(found);
        return fn(typedTx<C>(tx));
      }),
    );
  }

  /**
   * Creates a project in a transaction of its own: `fn` puts the project's record under `tx.project`. `id`: the one that
   * it has elsewhere; throws `conflict` if its code is taken. Default: a new one.
   */
  async createProject<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T, id?: string): Promise<T> {
    const project = this.#newProject(name, id);
    return this.#commit.create(project, project.directory, meta, (tx) => fn(typedTx<C>(tx)));
  }

  /**
   * Creates a project by a long rule, which runs in slices between other requests. The project is not visible before it
   * is complete.
   */
  async createProjectSliced<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>, id?: string): Promise<T> {
    const project = this.#newProject(name, id);
    return this.#commit.createSliced(project, project.directory, meta, (tx) => fn(typedTx<C>(tx)));
  }

  /**
   * Deletes a project and moves its directory to `local/trash`. `beside` changes the service's own records together
   * with the deletion: `ofProject` the records in the project's log, `ofService` the records in the service's. `view`
   * is the project as it is deleted, `at` the time.
   */
  async deleteProject(
    project: string,
    meta: ChangeMeta,
    beside: (ofProject: ServiceTx, ofService: ServiceTx, view: ReadTransaction<C>, at: string) => void = () =>
      undefined,
  ): Promise<void> {
    const found = this.#engine.projects.get(project) ?? (await this.#findDurably(project));
    while (found.exclusive.held !== undefined) await found.exclusive.held;
    this.#requirePresent(found);
    const { leaving } = this.#engine.loader;
    leaving.add(found.directory);
    try {
      await this.#commit.drop(found, meta, (ofProject, ofService, at) =>
        beside(ofProject, ofService, typedReadTransaction<C>(this.#engine.contexts.viewOf(found)), at),
      );
    } catch (error) {
      leaving.delete(found.directory);
      throw error;
    }
  }

  /**
   * Calls the listener in a later turn after events were added to the feed of a project; without one: to any feed, or
   * outside the feeds, to a service collection with events. Returns the function that removes it.
   */
  onEvents(project: string | undefined, listener: () => void): () => void {
    const { feeds } = this.#engine;
    if (feeds === undefined) return () => undefined;
    return project === undefined ? feeds.onAdded(listener) : feeds.of(project).onAdded(listener);
  }

  /**
   * Calls the listener in a later turn with the changes outside the records of projects: names of the service's
   * collections, `projects` (one came, went or was changed on the disk) and `problems` (of files). Reads wait until
   * such a change is durable. Returns the function that removes it.
   */
  onServiceNames(listener: (changed: ReadonlySet<string>) => void): () => void {
    return this.#engine.service.listeners.add(listener);
  }

  /**
   * Calls the listener in a later turn with the id of a project that appeared, was changed, or whose files were examined:
   * its problems may be others. Returns the function that removes it.
   */
  onProjects(listener: (project: string) => void): () => void {
    return this.#engine.signals.add(listener);
  }

  /**
   * Calls the listener with each change of a service collection before it is durable, and with the inverse of one that
   * is rolled back. Returns the function that removes it.
   */
  onServiceChange(collection: string, listener: (change: Change) => void): () => void {
    return this.#engine.service.onChange(collection, listener);
  }

  async readService<T>(fn: (view: ServiceReadTransaction) => T, _code?: string): Promise<T> {
    for (;;) {
      const result = fn(this.#engine.service);
      const durable = this.#engine.durability.whenServiceDurable();
      if (durable === undefined || (await durable)) return result;
    }
  }

  /**
   * The answer that a call was given, from a collection that is placed with it; undefined for no answer, or one that
   * has expired at `now`. Resolves once it is durable.
   */
  findAnswer<T extends StoredRecord>(collection: string, id: string, now: string): Promise<T | undefined> {
    return this.readService((view) => {
      const record = view.get<T>(collection, id);
      return record === undefined || isExpired(record, now) ? undefined : record;
    });
  }

  async updateService<T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T): Promise<T> {
    return this.#commit.service(meta, fn);
  }

  /**
   * Stores bytes as they arrive. Resolves once they are durable. A record put within an hour may reference them; bytes
   * that no record references by then are removed. If `pieces` throws, the error is rethrown and nothing remains.
   */
  async stage(pieces: Pieces): Promise<StagedBytes> {
    this.#engine.durability.throwIfFailed();
    const staged = await this.#engine.staging.put(pieces);
    this.#engine.attachmentFiles.onStaged(this.#engine.projects.values());
    return staged;
  }

  /** Resolves when every acknowledged change that can be written is in its file. */
  async flush(): Promise<void> {
    await this.#engine.flush();
  }

  /** Resolves when the watcher is ready and external edits are noticed. */
  watching(): Promise<void> {
    return this.#engine.watching();
  }

  /** Rescans every file, regardless of events. */
  async rescan(): Promise<void> {
    await this.#engine.rescan();
  }

  /** Writes everything back, truncates the journal, writes the index cache and releases the root. */
  async close(): Promise<void> {
    await this.#engine.close();
  }

  /**
   * Releases the root immediately without writing anything: the next opening recovers pending changes from the journal.
   */
  abandon(): void {
    this.#engine.abandon();
  }

  /** A random name of this opening, which distinguishes it from every other process. */
  get instance(): string {
    return this.#engine.lock.holder.instance ?? '';
  }

  /** Publishes the service's address to processes that find the root locked. */
  setAddress(url: string): void {
    this.#engine.lock.setAddress(url);
  }

  /** Compares index, files and journal and returns each inconsistency as a problem, or an empty list. */
  check(): readonly Problem[] {
    return check(this.#engine);
  }

  /** Checks without the problems that reads have, too, in steps between which the service continues. */
  checking(): Iterator<unknown, readonly Problem[]> {
    return checking(this.#engine);
  }

  /**
   * Checks the root's own files: settings, git's attributes and ignore files, the token. `isKey` says whether a key has a
   * secret. Empty if all is well.
   */
  checkRoot(isKey?: (secret: string) => boolean): readonly Problem[] {
    const { options, layout, projects, unserved } = this.#engine;
    const format = currentFormat(options.migrations);
    const found = checkRootFiles(options.disk, layout, new Set(projects.keys()), format, unserved.names, isKey);
    return found.filter(({ harmless }) => harmless !== true).map(({ problem }) => problem);
  }

  /**
   * Repairs everything that can be repaired without losing data, then rescans every file. Returns one sentence for each
   * repair. Throws `conflict` while a git operation is in progress.
   */
  async repair(): Promise<readonly string[]> {
    await this.flush();
    await this.#whenIdle();
    const done = repair(this.#engine, () => freeCode((code) => this.#engine.codeIsTaken(code)));
    await this.rescan();
    await this.flush();
    return done;
  }

  /** The name of the directory that a project is served from; undefined if it is not served. */
  directoryOf(project: string): string | undefined {
    return this.#engine.projects.get(project)?.directory;
  }

  /**
   * Returns whether a project that was served from this directory is gone from the disk. False if its directory has a
   * problem for which it is not served, and while git changes files. Searches for new directories first.
   */
  isGone(project: string, directory: string): boolean {
    return this.#engine.isGone(project, directory);
  }

  /** The problems of directories whose records are not served, by path: their project's file is missing or unreadable. */
  unserved(): readonly Problem[] {
    return this.#engine.unserved.problems;
  }

  /** The upgrades from older formats whose backup still exists, one sentence each. */
  upgrades(): readonly string[] {
    return upgradesDone(this.#engine.options.disk, this.#engine.layout);
  }

  status(): StoreStatus {
    return this.#engine.status();
  }

  #readDurably<T>(project: string, read: () => T): Promise<T> {
    const { lookUps, projects, durability } = this.#engine;
    const held = (): Promise<void> | undefined => projects.get(project)?.exclusive.held;
    return readDurably({ lookUps, held, whenDurable: () => durability.whenDurable(project) }, read);
  }

  /**
   * Runs a change. If it needs data that is not in memory, runs it again once the data is fetched. If it is rejected
   * because a file is unreadable, and the file is readable by now, retries it once.
   */
  async #retry<T>(project: Project, run: (fetched: Fetched | undefined) => Promise<T>): Promise<T> {
    try {
      return await untilFetched(run);
    } catch (error) {
      const id = unwritableId(error);
      if (id === undefined || !(await this.#engine.becameReadable(project, id))) throw error;
      return untilFetched(run);
    }
  }

  #views(): readonly ReadTransaction<C>[] {
    return this.#engine.projects
      .ordered()
      .map((project) => typedReadTransaction<C>(this.#engine.contexts.viewOf(project)));
  }

  /** Resolves when no project has a change in progress. Returns whether it had to wait. */
  #whenIdle(): Promise<boolean> {
    return allIdle(() => this.#engine.projects.values());
  }

  #newProject(name: string, given?: string): Project {
    const { id, directory } = identifiersFor(name, (code) => this.#engine.codeIsTaken(code), given);
    return this.#engine.adoption.newProject(id, directory);
  }

  /** A project may be deleted while a change to it waits. */
  #requirePresent(project: Project): void {
    if (this.#engine.projects.get(project.id) !== project) throw notFound('project', project.id);
  }

  /** A missing project may be one whose deletion is not durable yet. */
  #findDurably(id: string): Promise<Project> {
    return this.locateDurably(() => this.#require(id));
  }

  #require(id: string): Project {
    const project = this.#engine.projects.get(id);
    if (project !== undefined) return project;
    const problem = this.#engine.unserved.problemOf(id);
    throw problem === undefined ? notFound('project', id) : projectNotServed(id, problem);
  }
}
