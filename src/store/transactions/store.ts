import { readAllDurably, readDurably } from './read-durably.ts';
import { type Fetched, Needed } from '../record/look-ups.ts';
import type {
  Problem,
  ProjectList,
  ReadTransaction,
  RecordsWanted,
  ServiceReader,
  ServiceReadTransaction,
  ServiceTx,
  StagedBytes,
  Tx,
} from '../record/read-transaction.ts';
import type { Change, Collections, StoredRecord } from '../record/record.ts';
import type { ChangeMeta } from '../record/status.ts';
import { type ProjectReadTransaction, type Transaction, typedReadTransaction } from '../replica/transaction.ts';
import type { Steps } from '../../base/slices.ts';
import { GoneError } from './gone-error.ts';
import type { EngineProject, StoreEngine, StoreHooks } from './store-engine.ts';

const nothing = (): void => undefined;

/** Functions of transactions without the types of the collections, which only the domain knows. */
type Reading<T> = (view: ProjectReadTransaction) => T;
type Rule<T> = (tx: Transaction) => T;

/**
 * The document database over an engine. Reads are served from memory. A change runs in one transaction, and is durable in the
 * engine's log before it is acknowledged.
 */
export class Store<C extends Collections = Collections> {
  readonly #engine: StoreEngine;
  readonly #hooks: StoreHooks | undefined;
  readonly #serviceReader: ServiceReader;

  constructor(engine: StoreEngine, hooks?: StoreHooks) {
    this.#engine = engine;
    this.#hooks = hooks;
    const { service: records, durability } = engine;
    this.#serviceReader = { records, isDurable: (collection, id) => durability.isServiceRecordDurable(collection, id) };
  }

  /** The same store with hooks around the transactions of projects. */
  hooked(hooks: StoreHooks): Store<C> {
    return new Store<C>(this.#engine, hooks);
  }

  /** A random name of this opening, which distinguishes it from every other process. */
  get instance(): string {
    return this.#engine.instance;
  }

  /** Ids of all projects by created_at, then id. */
  projects(): readonly string[] {
    return this.#engine.ids();
  }

  /** Ids of the projects that are in memory. */
  inMemory(): readonly string[] {
    return this.#engine.inMemory();
  }

  /**
   * Ids of the projects that contain a record, an edge or a revision with this id, as far as this process knows. Includes
   * state that is not durable yet; for an answer to a caller use `locateDurably`. Throws `Needed` if a project has to be
   * loaded.
   */
  locate(id: string): readonly string[] {
    return this.#engine.locate(id);
  }

  /**
   * Resolves the references of a call by `locate`. If `fn` throws, for example because no project has the id, the error is
   * thrown only after this process is current, and the state that the error depends on is durable.
   */
  async locateDurably<T>(fn: (locate: StoreEngine['locate']) => T): Promise<T> {
    const engine = this.#engine;
    for (let isCurrent = false; ;) {
      const before = engine.entriesApplied;
      try {
        return fn(engine.locate);
      } catch (error) {
        if (error instanceof Needed) {
          await error.fetch();
          continue;
        }
        if (await engine.whenAllSettled()) continue;
        if (!(await engine.durability.whenAllDurable())) continue;
        if (isCurrent && engine.entriesApplied === before) throw error;
        if (engine.catchUp === undefined) throw error;
        await engine.catchUp();
        isCurrent = true;
      }
    }
  }

  /**
   * Reads one project. Resolves once everything that `fn` could read is durable. Throws `not_found` for an unknown
   * project.
   */
  async read<T>(project: string, fn: (view: ReadTransaction<C>) => T): Promise<T> {
    if (this.#hooks !== undefined) await this.#hooks.beforeRead(project);
    const engine = this.#engine;
    return this.#using(project, async (found) => {
      if (engine.catchUp !== undefined) await engine.catchUp(found);
      return readDurably(engine, found, fn as unknown as Reading<T>);
    });
  }

  /**
   * Reads within this turn a part that is always durable: the events of the feed. Returns undefined if the project is being
   * changed in slices, or loaded. Throws `not_found` for an unknown project.
   */
  peek<T>(project: string, fn: (view: ReadTransaction<C>) => T): T | undefined {
    const view = this.#engine.settledView(project);
    return view && unlessNeeded(() => fn(typedReadTransaction<C>(view)));
  }

  /** Peeks at all projects. Only service records that `service` reports as durable may be used. */
  peekAll<T>(fn: (views: readonly ReadTransaction<C>[], service: ServiceReader) => T): T | undefined {
    if (!this.#engine.areAllSettled) return undefined;
    return unlessNeeded(() => fn(typed<C>(this.#engine.views()), this.#serviceReader));
  }

  /**
   * Reads all projects and the service's records. Each project is as it was at one moment of the call. Projects that are
   * not in memory are loaded if `fn` reads their records; with `records`, before it runs: as many as time and memory allow.
   * `fn` gets the others only, and whether these are all that it needs. `prepare` gets them before, and resolves once `fn` can run.
   */
  async readAll<T>(
    fn: (views: readonly ReadTransaction<C>[], service: ServiceReader, isWhole: boolean) => T,
    records?: RecordsWanted,
    prepare?: (views: readonly ReadTransaction<C>[]) => Promise<void> | undefined,
  ): Promise<T> {
    const engine = this.#engine;
    const service: ServiceReader = { records: engine.service, isDurable: () => true };
    const ground = this.#ground;
    return engine.usingAll(records, async (pass) => {
      if (prepare !== undefined) await readAllDurably(ground, () => pass((views) => prepare(typed<C>(views))));
      return readAllDurably(ground, () => pass((views, isWhole) => fn(typed<C>(views), service, isWhole)));
    });
  }

  /** Reads the list of projects, as it was at one moment of the call, without their other records; undefined if none is kept. */
  readList<T>(fn: (list: ProjectList, service: ServiceReader) => T): Promise<T> | undefined {
    const engine = this.#engine;
    const { list, service: records } = engine;
    if (list === undefined) return undefined;
    const caughtUp = engine.catchUp?.() ?? Promise.resolve();
    const service: ServiceReader = { records, isDurable: () => true };
    return caughtUp.then(() => readAllDurably(this.#ground, () => fn(list, service)));
  }

  /**
   * Runs a transaction. Resolves once it is durable; a throw rolls it back. If it is rejected because a file is
   * unreadable, and the file is readable by now, the transaction is retried once.
   */
  update<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T): Promise<T> {
    const engine = this.#engine;
    return this.#changing(project, async (found, fetched) => {
      for (let settled; (settled = engine.whenSettled(found)) !== undefined;) await settled;
      engine.requirePresent(found);
      return engine.commit.run(found, meta, fn as unknown as Rule<T>, fetched);
    });
  }

  /**
   * Runs a long rule: in slices between other requests. Reads and other changes of this project wait until it is
   * complete.
   */
  updateSliced<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>): Promise<T> {
    const engine = this.#engine;
    return this.#changing(project, (found, fetched) =>
      engine.commit.runSliced(
        found,
        meta,
        (tx) => {
          engine.requirePresent(found);
          return (fn as unknown as Rule<Steps<T>>)(tx);
        },
        fetched,
      ),
    );
  }

  /**
   * Creates a project in a transaction of its own: `fn` puts the project's record under `tx.project`. `id`: the one that
   * it has elsewhere; throws `conflict` if its code is taken. Default: a new one.
   */
  async createProject<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T, id?: string): Promise<T> {
    const { project, directory } = await this.#engine.newProject(name, id);
    return this.#engine.commit.create(project, directory, meta, fn as unknown as Rule<T>);
  }

  /** Creates a project by a long rule, in slices. The project is not visible before it is complete. */
  async createProjectSliced<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>, id?: string): Promise<T> {
    const { project, directory } = await this.#engine.newProject(name, id);
    return this.#engine.commit.createSliced(project, directory, meta, fn as unknown as Rule<Steps<T>>);
  }

  /**
   * Deletes a project; its files are moved to `local/trash`. `beside` changes the service's own records together with the
   * deletion: `ofProject` those that are placed in the project's log, `ofService` those in the service's. `view` is the
   * project as it is deleted, `at` the time.
   */
  async deleteProject(
    project: string,
    meta: ChangeMeta,
    beside: (ofProject: ServiceTx, ofService: ServiceTx, view: ReadTransaction<C>, at: string) => void = nothing,
  ): Promise<void> {
    const engine = this.#engine;
    await this.#using(project, async (found) => {
      for (let settled; (settled = engine.whenSettled(found)) !== undefined;) await settled;
      engine.requirePresent(found);
      await engine.drop(found, meta, (ofProject, ofService, view, at) =>
        beside(ofProject, ofService, typedReadTransaction<C>(view), at),
      );
    });
    await this.#hooks?.afterChange(project, true);
  }

  /**
   * Calls the listener in a later turn after events were added to the feed of a project; without one: to any feed, or
   * beside the feeds, by a service collection with events. Returns the function that removes it.
   */
  onEvents(project: string | undefined, listener: () => void): () => void {
    const { feeds } = this.#engine;
    if (feeds === undefined) return nothing;
    return project === undefined ? feeds.onAdded(listener) : feeds.of(project).onAdded(listener);
  }

  /**
   * Calls the listener in a later turn with changes beside the records of projects: names of the service's
   * collections, `projects` (one came, went or was changed elsewhere) and `problems` (of files). Reads wait until such a
   * change is durable. Returns the function that removes it.
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

  /**
   * Reads the service's own records. Records that are placed in the logs of projects need all of these, or with `code` that
   * of the project which has it.
   */
  readService<T>(fn: (view: ServiceReadTransaction) => T, code?: string): Promise<T> {
    return this.#engine.readService(fn, code);
  }

  /**
   * The answer that a call was given, from a collection that is placed with it; undefined if there is none, or if it has
   * expired at `now`. Resolves once it is durable.
   */
  findAnswer<T extends StoredRecord>(collection: string, id: string, now: string): Promise<T | undefined> {
    return this.#engine.findAnswer<T>(collection, id, now);
  }

  async updateService<T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T): Promise<T> {
    return this.#engine.commit.service(meta, fn);
  }

  /**
   * Stores bytes as they arrive. Resolves once they are durable. A record put within an hour may reference them; bytes
   * that no record references by then are removed. If `pieces` throws, the error is rethrown and nothing is left
   * behind.
   */
  stage(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes> {
    return this.#engine.stage(pieces);
  }

  /** The name of the directory of a project where it is kept as files; undefined if it is not served. */
  directoryOf(project: string): string | undefined {
    return this.#engine.directoryOf(project);
  }

  /**
   * Returns whether a project that was served from this directory is gone from the disk. False if its directory has a problem for
   * which it is not served, and while git changes files. Searches for new directories first.
   */
  isGone(project: string, directory: string): boolean {
    return this.#engine.isGone(project, directory);
  }

  /** The problems of directories whose records are not served, by path: their project's file is missing or unreadable. */
  unserved(): readonly Problem[] {
    return this.#engine.unserved();
  }

  /** Ends the work in progress, and writes all changes to their files. */
  close(): Promise<void> {
    return this.#engine.close();
  }

  /**
   * Runs a change. If it needs data that is not in memory, runs it again once the data is fetched. If it is rejected because a
   * file is unreadable, and the file is readable by now, retries it once.
   */
  async #changing<T>(
    project: string,
    run: (found: EngineProject, fetched: Fetched | undefined) => Promise<T>,
  ): Promise<T> {
    if (this.#hooks !== undefined) await this.#hooks.beforeChange();
    try {
      return await this.#using(project, async (found) => {
        let fetched: Fetched | undefined;
        for (let isRetried = false; ;)
          try {
            return await run(found, fetched);
          } catch (error) {
            if (error instanceof Needed) fetched = await error.fetch(fetched);
            else if (isRetried || !(await this.#engine.mayRetry(found, error))) throw error;
            else [isRetried, fetched] = [true, undefined];
          }
      });
    } finally {
      if (this.#hooks !== undefined) await this.#hooks.afterChange(project, false);
    }
  }

  get #ground(): Parameters<typeof readAllDurably>[0] {
    const engine = this.#engine;
    return {
      lookUps: engine.lookUps,
      whenIdle: () => engine.whenAllSettled(),
      whenDurable: () => engine.durability.whenAllDurable(),
    };
  }

  /** Calls `use` with a project in memory. Throws `not_found` if there is none. */
  async #using<T>(id: string, use: (project: EngineProject) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const used = this.#engine.using(id, use);
        if (used !== undefined) return await used;
      } catch (error) {
        if (!(error instanceof GoneError)) throw error;
      }
      // A missing project may be one whose deletion is not durable yet.
      await this.locateDurably(() => this.#engine.requireKnown(id));
    }
  }
}

function typed<C extends Collections>(views: readonly ProjectReadTransaction[]): readonly ReadTransaction<C>[] {
  return views as unknown as readonly ReadTransaction<C>[];
}

/** Returns undefined if something has to be loaded, which begins now. */
function unlessNeeded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Needed)) throw error;
    // The next read shows the error.
    error.fetch().catch(nothing);
    return undefined;
  }
}
