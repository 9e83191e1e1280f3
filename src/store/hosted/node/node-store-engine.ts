import type { Commit } from '../../commit/commit.ts';
import type { DurabilityTracker } from '../../commit/durability-tracker.ts';
import type { LookUps } from '../../record/look-ups.ts';
import { identifiersFor } from '../../record/project-name.ts';
import type {
  Problem,
  ProjectList,
  RecordsWanted,
  ServiceReadTransaction,
  ServiceTx,
  StagedBytes,
} from '../../record/read-transaction.ts';
import type { StoredRecord } from '../../record/record.ts';
import type { ChooseProjects } from '../../record/title-search.ts';
import type { ChangeMeta } from '../../record/status.ts';
import type { ProjectSignals } from '../../replica/project-signals.ts';
import { unlessGone } from '../../transactions/gone-error.ts';
import { isExpired, type ServiceRecords } from '../../replica/service-records.ts';
import type { ProjectReadTransaction } from '../../replica/transaction.ts';
import type { BesideDeletion, Pass, StoreEngine } from '../../transactions/store-engine.ts';
import type { HostedEngine } from './hosted-engine.ts';
import type { HostedFeeds } from './hosted-feeds.ts';
import { HostedProject } from './hosted-project.ts';
import { Holds } from './holds.ts';
import { listedProject, unlistProject } from './listed-projects.ts';
import type { NodeProject } from './node-projects.ts';
import { NotingServiceRead } from './noting-service-read.ts';

/**
 * One node over a shared log as the engine of a store. Before an answer, the projects that it needs are made current, so that a read
 * sees everything that was acknowledged before on any node.
 */
export class NodeStoreEngine implements StoreEngine<HostedProject> {
  readonly instance: string;
  readonly commit: Commit<HostedProject>;
  readonly durability: DurabilityTracker;
  readonly lookUps: LookUps;
  readonly service: ServiceRecords;
  readonly feeds: HostedFeeds | undefined;
  readonly signals: ProjectSignals;
  readonly list: ProjectList | undefined;
  readonly #engine: HostedEngine;

  constructor(engine: HostedEngine) {
    this.#engine = engine;
    this.instance = engine.instance;
    this.commit = engine.commit;
    this.durability = engine.durability;
    this.lookUps = engine.lookUps;
    this.service = engine.service;
    this.feeds = engine.feeds;
    this.signals = engine.signals;
    this.list = engine.list;
  }

  get areAllSettled(): boolean {
    return this.#engine.areAllSettled;
  }

  get entriesApplied(): number {
    return this.#engine.entriesApplied;
  }

  ids(): readonly string[] {
    return this.#engine.projects.ordered().map(({ id }) => id);
  }

  inMemory(): readonly string[] {
    return Array.from(this.#engine.projects.residents(), ({ id }) => id);
  }

  readonly locate = (id: string): readonly string[] => this.#engine.locate(id);

  requireKnown(id: string): void {
    if (!this.#engine.projects.has(id)) throw this.#engine.whyAbsent(id);
  }

  using<T>(id: string, use: (project: HostedProject) => Promise<T>): Promise<T> | undefined {
    const { projects, residents } = this.#engine;
    this.#engine.requireWhole();
    const resident = projects.resident(id);
    if (resident !== undefined) return residents.use(resident, use);
    if (projects.has(id)) return residents.using(id, use);
    return this.#engine.whenBegun(id)?.then(() => residents.using(id, use));
  }

  async usingAll<T>(records: RecordsWanted | undefined, run: (pass: Pass) => Promise<T>): Promise<T> {
    const { projects, residents } = this.#engine;
    const holds = new Holds(residents);
    try {
      await this.#engine.catchUp();
      if (records === undefined) return await run((read) => holds.holding(() => read(this.views(), true)));
      const chosen = await this.#chosen(records, holds);
      if (chosen === undefined || records.others !== false) await residents.loadSome(records, holds);
      const isRead = (project: NodeProject): boolean =>
        project instanceof HostedProject && (records.others !== false || chosen?.projects.has(project.id) !== false);
      return await run((read) => {
        const views = this.#viewsOf(projects.ordered().filter(isRead));
        return read(views, (chosen?.isWhole === true && records.others === false) || views.length === projects.size);
      });
    } finally {
      holds.release();
    }
  }

  /** Holds the projects that are chosen by titles; undefined if none are kept here. */
  async #chosen({ choose }: RecordsWanted, holds: Holds): Promise<Awaited<ReturnType<ChooseProjects>> | undefined> {
    const { projects, titles } = this.#engine;
    if (choose === undefined || titles === undefined) return undefined;
    const chosen = await titles.choose(choose);
    if (chosen === undefined) return undefined;
    // One may be deleted in between.
    const held = [...chosen.projects].filter((id) => projects.has(id)).map((id) => holds.hold(id).catch(unlessGone));
    await Promise.all(held);
    return chosen;
  }

  requirePresent({ id }: HostedProject): void {
    this.requireKnown(id);
  }

  viewOf(project: HostedProject): ProjectReadTransaction {
    this.requireKnown(project.id);
    return this.#engine.viewOf(project);
  }

  views(): readonly ProjectReadTransaction[] {
    return this.#viewsOf(this.#engine.projects.ordered());
  }

  settledView(id: string): ProjectReadTransaction | undefined {
    this.requireKnown(id);
    const project = this.#engine.projects.get(id);
    return project !== undefined && this.#engine.isSettled(project) ? this.#engine.viewOf(project) : undefined;
  }

  whenSettled(project: HostedProject): Promise<void> | undefined {
    return this.#engine.whenSettled(project);
  }

  whenAllSettled(): Promise<boolean> {
    return this.#engine.whenAllSettled();
  }

  catchUp(project?: HostedProject): Promise<void> {
    return this.#engine.catchUp(project);
  }

  mayRetry(): Promise<boolean> {
    return Promise.resolve(false);
  }

  async newProject(
    name: string,
    given: string | undefined,
  ): Promise<{ readonly project: HostedProject; readonly directory: string }> {
    if (given !== undefined) await this.#engine.makeRoom(given);
    this.#engine.requireWhole();
    const { id, code, directory } = identifiersFor(name, (one) => this.#engine.isTaken(one), given);
    return { project: this.#engine.newProject(id, code), directory };
  }

  async drop(project: HostedProject, meta: ChangeMeta, beside: BesideDeletion): Promise<void> {
    await this.commit.drop(project, meta, (ofProject, ofService, at) => {
      this.requirePresent(project);
      beside(outliving(this.service, ofProject, ofService), ofService, this.#engine.viewOf(project), at);
      unlistProject(ofService, project.id);
    });
  }

  /** An error of `fn` depends on its reads, as its result does. */
  async readService<T>(fn: (view: ServiceReadTransaction) => T, code: string | undefined): Promise<T> {
    const noting = new NotingServiceRead(this.service);
    await this.#engine.catchUpService();
    for (let isCurrent = false; ;) {
      const read = attempted(() => fn(noting));
      if (noting.hasReadOfProjects && !isCurrent) {
        await (code === undefined ? this.#engine.catchUp() : this.#engine.catchUpProjectWith(code));
        isCurrent = true;
        continue;
      }
      const durable = this.durability.whenServiceDurable();
      if (durable !== undefined && !(await durable)) continue;
      if ('error' in read) throw read.error;
      return read.value;
    }
  }

  /** An answer expires by the log's clock, or at `now` if an earlier release has stored it among the service's records. */
  async findAnswer<T extends StoredRecord>(collection: string, id: string, now: string): Promise<T | undefined> {
    this.#engine.requireWhole();
    const kept = await this.#engine.answers.find(id);
    if (kept !== undefined) return JSON.parse(kept) as T;
    const record = this.service.get<T>(collection, id);
    return record === undefined || isExpired(record, now) ? undefined : record;
  }

  stage(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes> {
    return this.#engine.blobs.put(pieces);
  }

  directoryOf(project: string): string | undefined {
    if (!this.#engine.projects.has(project)) return undefined;
    return listedProject(this.service, project)?.directory;
  }

  /** The call that deletes a project notes it with the deletion. */
  isGone(_project: string, _directory: string): boolean {
    return false;
  }

  /** There are no files. */
  unserved(): readonly Problem[] {
    return [];
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  #viewsOf(projects: readonly NodeProject[]): readonly ProjectReadTransaction[] {
    return projects.map((project) => this.#engine.viewOf(project));
  }
}

/** The log of a deleted project is not loaded any more: records that may be in any log go to that of the service. */
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
