import { type Clock, systemClock } from '../../../base/clock.ts';
import { IdSource } from '../../../base/ids.ts';
import type { Steps } from '../../../base/slices.ts';
import { readAllDurably, readDurably } from '../../commit/read-durably.ts';
import { Fetched, Needed, untilFetched } from '../../record/look-ups.ts';
import type {
  Problem,
  ReadTransaction,
  RecordsWanted,
  ServiceReader,
  ServiceReadTransaction,
  ServiceTx,
  StagedBytes,
  Tx,
} from '../../record/read-transaction.ts';
import { identifiersFor } from '../../record/project-name.ts';
import type { Change, Collections, StoredRecord } from '../../record/record.ts';
import type { ChangeMeta } from '../../record/status.ts';
import { isExpired, type ServiceRecords } from '../../replica/service-records.ts';
import { type Transaction, typedReadTransaction, typedTx } from '../../replica/transaction.ts';
import { GoneError } from './gone-error.ts';
import { HostedEngine } from './hosted-engine.ts';
import type { HostedOptions } from './hosted-options.ts';
import { HostedProject } from './hosted-project.ts';
import type { NodeMeasures } from './node-measures.ts';
import type { NodeProject } from './node-projects.ts';
import { Holds } from './holds.ts';
import { listedProject, unlistProject } from './listed-projects.ts';
import { memoryBytesDefault } from './project-memory.ts';
import { NotingServiceRead } from './noting-service-read.ts';
import { snapshotDefaults } from './snapshot-taker.ts';

/** The status of a node. */
export interface HostedStatus {
  readonly projects: number;
  /** False while the node cannot go on: it has to be restarted. */
  readonly writable: boolean;
  /** False while the log accepts no changes, since it could lose them. */
  readonly isSafe: boolean;
}

/** The measures of a node. */
export interface HostedMeasures extends Pick<NodeMeasures, 'appends' | 'catchUps' | 'coldLoads' | 'reruns' | 'forks'> {
  /** Projects in memory. */
  readonly replicas: number;
  /** The estimated memory of the replicas, in bytes. */
  readonly replicaBytes: number;
  /** The time of the log's server less the time of this machine, in milliseconds. */
  readonly clockOffsetMs: number;
  /** Outcomes of appends that had to be looked up. */
  readonly unknown: { readonly won: number; readonly lost: number };
  /** Entries of other nodes that were applied. */
  readonly entriesApplied: number;
  /** The number of entries after the snapshot, for the log with the oldest snapshot. */
  readonly entriesBehindSnapshot: number;
}

const nothing = (): void => undefined;

const system: ChangeMeta = { author: 'system', source: 'system' };

/**
 * One node of the document database over a log that several nodes share. Projects in use are in memory; before an
 * answer they are made current, so that a read sees everything that was acknowledged before on any node. A change runs
 * on this node's state, and again if the entries of others came first.
 */
export class HostedStore<C extends Collections = Collections> {
  readonly #engine: HostedEngine;
  readonly #serviceReader: ServiceReader;

  private constructor(engine: HostedEngine) {
    this.#engine = engine;
    const { service: records, durability } = engine;
    this.#serviceReader = { records, isDurable: (collection, id) => durability.isServiceRecordDurable(collection, id) };
  }

  /** Loads the service's records, and the known facts of every project. */
  static async open<C extends Collections>(options: HostedOptions): Promise<HostedStore<C>> {
    const { clock = systemClock } = options;
    const engine = new HostedEngine({
      ...{
        derived: {},
        report: nothing,
        ids: new IdSource(clock),
        describe: undefined,
        snapshots: snapshotDefaults,
        memoryBytes: memoryBytesDefault,
      },
      ...{ ...options, clock },
    });
    await engine.open();
    return new HostedStore<C>(engine);
  }

  /** The time of the log's server. */
  get clock(): Clock {
    return this.#engine.clock;
  }

  /** A random name of this node, which distinguishes it from every other process. */
  get instance(): string {
    return this.#engine.instance;
  }

  /** Ids of all projects by created_at, then id. */
  projects(): readonly string[] {
    return this.#engine.projects.ordered().map(({ id }) => id);
  }

  /** The ids of the projects in memory. */
  inMemory(): readonly string[] {
    return Array.from(this.#engine.projects.residents(), ({ id }) => id);
  }

  /** The views of the projects in memory. Their state may not be durable yet. */
  viewsInMemory(): readonly ReadTransaction<C>[] {
    return this.#views([...this.#engine.projects.residents()]);
  }

  /** Loads projects in the background, the last changed ones first, until half of the memory is used. */
  warm(): void {
    this.#engine.residents.warm();
  }

  /**
   * Ids of the projects that contain a record, an edge or a revision with this id, as far as this node knows. Throws
   * `Needed` if one of them has to be loaded.
   */
  locate(id: string): readonly string[] {
    return this.#engine.locate(id);
  }

  /**
   * Resolves the references of a call by `locate`. If `fn` throws, for example because no project has the id, the error
   * is thrown only after the node is current, and the state it depends on is durable.
   */
  async locateDurably<T>(fn: (locate: (id: string) => readonly string[]) => T): Promise<T> {
    for (let isCurrent = false; ;) {
      const before = this.#engine.entriesApplied;
      try {
        return fn((id) => this.#engine.locate(id));
      } catch (error) {
        if (error instanceof Needed) {
          await error.fetch();
          continue;
        }
        if (await this.#engine.whenAllSettled()) continue;
        if (!(await this.#engine.durability.whenAllDurable())) continue;
        if (isCurrent && this.#engine.entriesApplied === before) throw error;
        await this.#engine.catchUp();
        isCurrent = true;
      }
    }
  }

  /** Reads one project. Throws `not_found` for an unknown project. */
  read<T>(project: string, fn: (view: ReadTransaction<C>) => T): Promise<T> {
    const engine = this.#engine;
    return this.#using(project, async (found) => {
      await engine.catchUp(found);
      return readDurably(
        {
          lookUps: engine.lookUps,
          held: () => engine.whenSettled(found),
          whenDurable: () => engine.durability.whenDurable(project),
        },
        () => {
          this.#requirePresent(found);
          return fn(typedReadTransaction<C>(engine.viewOf(found)));
        },
      );
    });
  }

  /**
   * Reads within this turn a part that is always durable: the events of the feed. Returns undefined if the project is
   * being changed in slices, or loaded. Throws `not_found` for a project that this node does not know.
   */
  peek<T>(project: string, fn: (view: ReadTransaction<C>) => T): T | undefined {
    const found = this.#engine.projects.get(project);
    if (found === undefined) throw this.#engine.whyAbsent(project);
    if (!this.#engine.isSettled(found)) return undefined;
    return unlessNeeded(() => fn(typedReadTransaction<C>(this.#engine.viewOf(found))));
  }

  /** Peeks at all projects. Only service records that `service` reports as durable may be used. */
  peekAll<T>(fn: (views: readonly ReadTransaction<C>[], service: ServiceReader) => T): T | undefined {
    if (!this.#engine.areAllSettled) return undefined;
    return unlessNeeded(() => fn(this.#views(), this.#serviceReader));
  }

  /**
   * Reads all projects and the service's records. Each project is as it was at one moment of the call. Projects that are
   * not in memory are loaded if `fn` reads their records; with `records`, before it runs: as many as time and memory allow.
   * `fn` gets the others only, and whether these are all.
   */
  async readAll<T>(
    fn: (views: readonly ReadTransaction<C>[], service: ServiceReader, isWhole: boolean) => T,
    records?: RecordsWanted,
  ): Promise<T> {
    const engine = this.#engine;
    const service: ServiceReader = { records: engine.service, isDurable: () => true };
    const holds = new Holds(engine.residents);
    try {
      await engine.catchUp();
      if (records !== undefined) await engine.residents.loadSome(records, holds);
      const { lookUps, durability, projects } = engine;
      const ground = {
        lookUps,
        whenIdle: () => engine.whenAllSettled(),
        whenDurable: () => durability.whenAllDurable(),
      };
      return await readAllDurably(ground, () => {
        if (records === undefined) return holds.holding(() => fn(this.#views(), service, true));
        const views = projects.ordered().filter((project) => project instanceof HostedProject);
        return fn(this.#views(views), service, views.length === projects.size);
      });
    } finally {
      holds.release();
    }
  }

  /** Runs a transaction. Resolves once it is durable; a throw rolls it back. */
  update<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T): Promise<T> {
    return this.#using(project, (found) =>
      untilFetched(async (fetched) => {
        await this.#settled(found);
        return this.#engine.commit.run(found, meta, this.#ruleOf(found, fn), fetched);
      }),
    );
  }

  /** Updates a project by a long rule, which runs in slices between other requests. */
  updateSliced<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>): Promise<T> {
    return this.#using(project, (found) =>
      untilFetched((fetched = new Fetched()) =>
        this.#engine.commit.runSliced(found, meta, this.#ruleOf(found, fn), fetched),
      ),
    );
  }

  /**
   * Creates a project in a transaction of its own: `fn` puts the project's record under `tx.project`. `id`: the one that
   * it has elsewhere; throws `conflict` if its code is taken. Default: a new one.
   */
  async createProject<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T, id?: string): Promise<T> {
    if (id !== undefined) await this.#engine.makeRoom(id);
    const { project, directory } = this.#newProject(name, id);
    return this.#engine.commit.create(project, directory, meta, (tx) => fn(typedTx<C>(tx)));
  }

  /** Creates a project by a long rule. The project is not visible before it is complete. */
  async createProjectSliced<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => Steps<T>, id?: string): Promise<T> {
    if (id !== undefined) await this.#engine.makeRoom(id);
    const { project, directory } = this.#newProject(name, id);
    return this.#engine.commit.createSliced(project, directory, meta, (tx) => fn(typedTx<C>(tx)));
  }

  /**
   * Deletes a project. `beside` changes the service's own records together with the deletion: `ofProject` the records
   * in the project's log, `ofService` the records in the service's. `view` is the project as it is deleted, `at` the
   * time.
   */
  async deleteProject(
    project: string,
    meta: ChangeMeta,
    beside: (ofProject: ServiceTx, ofService: ServiceTx, view: ReadTransaction<C>, at: string) => void = nothing,
  ): Promise<void> {
    await this.#using(project, async (found) => {
      await this.#settled(found);
      await this.#engine.commit.drop(found, meta, (ofProject, ofService, at) => {
        this.#requirePresent(found);
        const view = typedReadTransaction<C>(this.#engine.viewOf(found));
        beside(outliving(this.#engine.service, ofProject, ofService), ofService, view, at);
        unlistProject(ofService, project);
      });
    });
  }

  /** Calls the listener in a later turn after events were added to the feed of a project; without one: to any feed. */
  onEvents(project: string | undefined, listener: () => void): () => void {
    const { feeds } = this.#engine;
    if (feeds === undefined) return nothing;
    return project === undefined ? feeds.onAdded(listener) : feeds.of(project).onAdded(listener);
  }

  /** Calls the listener in a later turn with the names of the service's collections that changed, and `projects`. */
  onServiceNames(listener: (changed: ReadonlySet<string>) => void): () => void {
    return this.#engine.service.listeners.add(listener);
  }

  /** Calls the listener in a later turn with the id of a project that appeared or was changed. */
  onProjects(listener: (project: string) => void): () => void {
    return this.#engine.signals.add(listener);
  }

  /** Calls the listener with each change of a service collection, and with the inverse of one that is rolled back. */
  onServiceChange(collection: string, listener: (change: Change) => void): () => void {
    return this.#engine.service.onChange(collection, listener);
  }

  /**
   * Reads the service's own records. Records in the logs of projects need all of these logs, or with `code` the log of
   * the project with the code. A throw of `fn` depends on its reads as a result does.
   */
  async readService<T>(fn: (view: ServiceReadTransaction) => T, code?: string): Promise<T> {
    const { service, durability } = this.#engine;
    const noting = new NotingServiceRead(service);
    await this.#engine.catchUpService();
    for (let isCurrent = false; ;) {
      const read = attempted(() => fn(noting));
      if (noting.hasReadOfProjects && !isCurrent) {
        await (code === undefined ? this.#engine.catchUp() : this.#engine.catchUpProjectWith(code));
        isCurrent = true;
        continue;
      }
      const durable = durability.whenServiceDurable();
      if (durable !== undefined && !(await durable)) continue;
      if ('error' in read) throw read.error;
      return read.value;
    }
  }

  /**
   * The answer that a call was given, from a collection that is placed with it; undefined for no answer, or an expired
   * one: by the log's clock, or at `now` if an earlier release has stored it among the service's records.
   */
  async findAnswer<T extends StoredRecord>(collection: string, id: string, now: string): Promise<T | undefined> {
    this.#engine.requireWhole();
    const kept = await this.#engine.answers.find(id);
    if (kept !== undefined) return JSON.parse(kept) as T;
    const record = this.#engine.service.get<T>(collection, id);
    return record === undefined || isExpired(record, now) ? undefined : record;
  }

  async updateService<T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T): Promise<T> {
    return this.#engine.commit.service(meta, fn);
  }

  /** Stores bytes as they arrive. Resolves once they are durable; a record may reference them from then on. */
  stage(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes> {
    return this.#engine.blobs.put(pieces);
  }

  /** There are no files. */
  unserved(): readonly Problem[] {
    return [];
  }

  /** The name of a project's directory where it is kept as files; undefined for an unknown project. */
  directoryOf(project: string): string | undefined {
    if (!this.#engine.projects.has(project)) return undefined;
    return listedProject(this.#engine.service, project)?.directory;
  }

  /** The call that deletes a project notes it with the deletion. */
  isGone(_project: string, _directory: string): boolean {
    return false;
  }

  status(): HostedStatus {
    const { projects, lost, durability, log } = this.#engine;
    return { projects: projects.size, writable: lost === undefined && !durability.failed, isSafe: log.isSafe };
  }

  /** Neither asks the log nor loads a project. */
  measures(): HostedMeasures {
    const { residents, clock, measures, unknown, entriesApplied, entriesBehindSnapshot } = this.#engine;
    const { appends, catchUps, coldLoads, reruns, forks } = measures;
    return {
      ...{ appends, catchUps, coldLoads, reruns, forks, unknown, entriesApplied, entriesBehindSnapshot },
      ...{ replicas: this.inMemory().length, replicaBytes: residents.bytes, clockOffsetMs: clock.offsetMs },
    };
  }

  /** Throws `unavailable` unless the log answers and accepts changes. */
  async ready(): Promise<void> {
    this.#engine.requireWhole();
    // Nothing about any log: it costs the same whatever the number of projects.
    const { unsafe } = await this.#engine.log.catchUp(new Map());
    if (unsafe !== undefined) throw unsafe;
  }

  /**
   * Removes expired records, the remains of projects that were deleted long ago, and the entries of logs that are no
   * longer needed; one node does that from time to time. Resolves to the number of entries.
   */
  async trim(): Promise<number> {
    await this.#engine.answers.sweep();
    await this.#engine.removeDeleted();
    await this.#engine.blobs.sweep();
    const removed = await this.#engine.trim();
    await this.#engine.removeExpired((project, change) =>
      project === undefined
        ? this.updateService(system, change)
        : this.update(project, system, (tx) => change(tx.service)),
    );
    return removed;
  }

  /** Resolves when no snapshot is being taken. */
  whenSnapshotsTaken(): Promise<void> {
    return this.#engine.whenSnapshotsTaken();
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  #views(projects: readonly NodeProject[] = this.#engine.projects.ordered()): readonly ReadTransaction<C>[] {
    return projects.map((project) => typedReadTransaction<C>(this.#engine.viewOf(project)));
  }

  async #settled(project: HostedProject): Promise<void> {
    while (!this.#engine.isSettled(project)) await this.#engine.whenSettled(project);
  }

  /**
   * Runs `use` with a project in memory, which may lack entries of other nodes. Throws `not_found` if it does not
   * exist.
   */
  async #using<T>(id: string, use: (project: HostedProject) => Promise<T>): Promise<T> {
    const engine = this.#engine;
    engine.requireWhole();
    for (;;) {
      const resident = engine.projects.resident(id);
      if (resident !== undefined) return engine.residents.use(resident, use);
      await this.locateDurably(() => {
        if (!engine.projects.has(id)) throw engine.whyAbsent(id);
      });
      try {
        return await engine.residents.using(id, use);
      } catch (error) {
        if (!(error instanceof GoneError)) throw error;
      }
    }
  }

  /** Refused with `not_found` if the project was deleted before it runs. */
  #ruleOf<T>(project: HostedProject, fn: (tx: Tx<C>) => T): (tx: Transaction) => T {
    return (tx) => {
      this.#requirePresent(project);
      return fn(typedTx<C>(tx));
    };
  }

  #requirePresent({ id }: HostedProject): void {
    if (!this.#engine.projects.has(id)) throw this.#engine.whyAbsent(id);
  }

  #newProject(name: string, given?: string): { readonly project: HostedProject; readonly directory: string } {
    this.#engine.requireWhole();
    const { id, code, directory } = identifiersFor(name, (one) => this.#engine.isTaken(one), given);
    return { project: this.#engine.newProject(id, code), directory };
  }
}

/** The log of a deleted project is not loaded any more, so records that may be in any log go to the service's log. */
function outliving(records: ServiceRecords, ofProject: ServiceTx, ofService: ServiceTx): ServiceTx {
  const placed = (collection: string): ServiceTx =>
    records.placementOf(collection) === 'call' ? ofService : ofProject;
  return {
    get: (collection, id) => ofProject.get(collection, id),
    list: (collection) => ofProject.list(collection),
    by: (collection, index, key) => ofProject.by(collection, index, key),
    put: (collection, record) => placed(collection).put(collection, record),
    remove: (collection, id) => placed(collection).remove(collection, id),
  };
}

function attempted<T>(run: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

/** Undefined if something has to be loaded, which begins now. */
function unlessNeeded<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Needed)) throw error;
    // The next read reports the problem.
    error.fetch().catch(nothing);
    return undefined;
  }
}
