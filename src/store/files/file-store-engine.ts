import { notFound } from '../../base/errors.ts';
import type { Commit } from '../commit/commit.ts';
import type { DurabilityTracker } from '../commit/durability-tracker.ts';
import { allIdle } from '../commit/exclusive.ts';
import type { LookUps } from '../record/look-ups.ts';
import { identifiersFor } from '../record/project-name.ts';
import type { Problem, RecordsWanted, ServiceReadTransaction, StagedBytes } from '../record/read-transaction.ts';
import type { StoredRecord } from '../record/record.ts';
import type { ChangeMeta } from '../record/status.ts';
import { projectNotServed, unwritableId } from '../record/unreadable.ts';
import type { ProjectSignals } from '../replica/project-signals.ts';
import { isExpired, type ServiceRecords } from '../replica/service-records.ts';
import type { ProjectReadTransaction } from '../replica/transaction.ts';
import type { BesideDeletion, Pass, StoreEngine } from '../transactions/store-engine.ts';
import type { Pieces } from './checkpoint/staging.ts';
import type { Engine } from './engine.ts';
import type { Feeds } from './feed/feeds.ts';
import type { Project } from './project/project.ts';

/** The files of a root as the engine of a store: all projects are in memory, and no other process appends to the journal. */
export class FileStoreEngine implements StoreEngine<Project> {
  readonly commit: Commit<Project>;
  readonly durability: DurabilityTracker;
  readonly lookUps: LookUps;
  readonly service: ServiceRecords;
  readonly feeds: Feeds | undefined;
  readonly signals: ProjectSignals;
  readonly locate: (id: string) => readonly string[];
  readonly entriesApplied = 0;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.commit = engine.commit;
    this.durability = engine.durability;
    this.lookUps = engine.lookUps;
    this.service = engine.service;
    this.feeds = engine.feeds;
    this.signals = engine.signals;
    this.locate = engine.projects.locate;
  }

  get instance(): string {
    return this.#engine.lock.holder.instance ?? '';
  }

  get areAllSettled(): boolean {
    return this.#engine.projects.ordered().every(({ exclusive }) => exclusive.held === undefined);
  }

  ids(): readonly string[] {
    return this.#engine.projects.ordered().map(({ id }) => id);
  }

  inMemory(): readonly string[] {
    return this.ids();
  }

  requireKnown(id: string): void {
    this.#known(id);
  }

  using<T>(id: string, use: (project: Project) => Promise<T>): Promise<T> | undefined {
    const project = this.#engine.projects.get(id);
    return project && use(project);
  }

  usingAll<T>(_records: RecordsWanted | undefined, run: (pass: Pass) => Promise<T>): Promise<T> {
    return run((read) => read(this.views(), true));
  }

  requirePresent(project: Project): void {
    if (this.#engine.projects.get(project.id) !== project) throw notFound('project', project.id);
  }

  viewOf({ id }: Project): ProjectReadTransaction {
    const { projects, contexts } = this.#engine;
    return contexts.viewOf(projects.get(id) ?? this.#known(id));
  }

  views(): readonly ProjectReadTransaction[] {
    const { projects, contexts } = this.#engine;
    return projects.ordered().map((project) => contexts.viewOf(project));
  }

  settledView(id: string): ProjectReadTransaction | undefined {
    const project = this.#known(id);
    return project.exclusive.held === undefined ? this.#engine.contexts.viewOf(project) : undefined;
  }

  whenSettled({ id }: Project): Promise<void> | undefined {
    return this.#engine.projects.get(id)?.exclusive.held;
  }

  whenAllSettled(): Promise<boolean> {
    return allIdle(() => this.#engine.projects.values().map(({ exclusive }) => exclusive));
  }

  async mayRetry(project: Project, error: unknown): Promise<boolean> {
    const id = unwritableId(error);
    return id !== undefined && (await this.#engine.becameReadable(project, id));
  }

  newProject(
    name: string,
    given: string | undefined,
  ): Promise<{ readonly project: Project; readonly directory: string }> {
    return Promise.try(() => {
      const { id, directory } = identifiersFor(name, (code) => this.#engine.codeIsTaken(code), given);
      return { project: this.#engine.adoption.newProject(id, directory), directory };
    });
  }

  /** The files go to `local/trash`. */
  async drop(project: Project, meta: ChangeMeta, beside: BesideDeletion): Promise<void> {
    const { loader, contexts } = this.#engine;
    loader.leaving.add(project.directory);
    try {
      await this.commit.drop(project, meta, (ofProject, ofService, at) =>
        beside(ofProject, ofService, contexts.viewOf(project), at),
      );
    } catch (error) {
      loader.leaving.delete(project.directory);
      throw error;
    }
  }

  async readService<T>(fn: (view: ServiceReadTransaction) => T): Promise<T> {
    for (;;) {
      const result = fn(this.service);
      const durable = this.durability.whenServiceDurable();
      if (durable === undefined || (await durable)) return result;
    }
  }

  findAnswer<T extends StoredRecord>(collection: string, id: string, now: string): Promise<T | undefined> {
    return this.readService((view) => {
      const record = view.get<T>(collection, id);
      return record === undefined || isExpired(record, now) ? undefined : record;
    });
  }

  async stage(pieces: Pieces): Promise<StagedBytes> {
    this.durability.throwIfFailed();
    const staged = await this.#engine.staging.put(pieces);
    this.#engine.attachmentFiles.onStaged(this.#engine.projects.values());
    return staged;
  }

  directoryOf(project: string): string | undefined {
    return this.#engine.projects.get(project)?.directory;
  }

  isGone(project: string, directory: string): boolean {
    return this.#engine.isGone(project, directory);
  }

  unserved(): readonly Problem[] {
    return this.#engine.unserved.problems;
  }

  /** Writes everything back, truncates the journal, writes the index cache and releases the root. */
  close(): Promise<void> {
    return this.#engine.close();
  }

  #known(id: string): Project {
    const project = this.#engine.projects.get(id);
    if (project !== undefined) return project;
    const problem = this.#engine.unserved.problemOf(id);
    throw problem === undefined ? notFound('project', id) : projectNotServed(id, problem);
  }
}
