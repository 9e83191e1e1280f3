import type { Commit, Committed } from '../commit/commit.ts';
import type { DurabilityTracker } from '../commit/durability-tracker.ts';
import type { LookUps } from '../record/look-ups.ts';
import type {
  Problem,
  ProjectList,
  RecordsWanted,
  ServiceReadTransaction,
  ServiceTx,
  StagedBytes,
} from '../record/read-transaction.ts';
import type { StoredRecord } from '../record/record.ts';
import type { ChangeMeta } from '../record/status.ts';
import type { ProjectSignals } from '../replica/project-signals.ts';
import type { ServiceRecords } from '../replica/service-records.ts';
import type { ProjectReadTransaction } from '../replica/transaction.ts';

/** A project in memory. */
export interface EngineProject extends Committed {
  readonly id: string;
}

/** The part of a feed that listeners use. */
interface Followed {
  onAdded(listener: () => void): () => void;
}

/** Calls a read with the views of all projects that it may use, and whether these are all projects. */
export type Pass = <T>(read: (views: readonly ProjectReadTransaction[], isWhole: boolean) => T) => T;

/** The service's own records that are changed together with the deletion of a project, as it is deleted, and the time. */
export type BesideDeletion = (
  ofProject: ServiceTx,
  ofService: ServiceTx,
  view: ProjectReadTransaction,
  at: string,
) => void;

/** The engine of a store: the files of one root, or a log that several nodes share. */
export interface StoreEngine<P extends EngineProject = EngineProject> {
  /** A random name of this process, as it distinguishes itself from all others. */
  readonly instance: string;
  readonly commit: Pick<Commit<P>, 'run' | 'runSliced' | 'create' | 'createSliced' | 'service'>;
  readonly durability: DurabilityTracker;
  readonly lookUps: LookUps;
  readonly service: ServiceRecords;
  readonly feeds: (Followed & { of(project: string): Followed }) | undefined;
  readonly signals: ProjectSignals;
  /** True if no project has a change in progress, and none is being loaded again. */
  readonly areAllSettled: boolean;
  /** Absent if none is kept. */
  readonly list?: ProjectList | undefined;
  /** How many entries of other processes were applied. */
  readonly entriesApplied: number;
  /** Ids of all projects by created_at, then id. */
  ids(): readonly string[];
  /** Ids of the projects that are in memory. */
  inMemory(): readonly string[];
  readonly locate: (id: string) => readonly string[];
  /** Throws why a project is not served. */
  requireKnown(id: string): void;
  /**
   * Calls `use` with a project, which stays in memory until `use` ends; undefined if no such project is known. Rejects with
   * `GoneError` if it is gone meanwhile.
   */
  using<T>(id: string, use: (project: P) => Promise<T>): Promise<T> | undefined;
  /** Calls `run` with a function that passes the views of all projects; with `records`, of those that can be loaded. */
  usingAll<T>(records: RecordsWanted | undefined, run: (pass: Pass) => Promise<T>): Promise<T>;
  /** Throws why a project is not served any more. */
  requirePresent(project: P): void;
  /** Throws why the project is not served any more. */
  viewOf(project: P): ProjectReadTransaction;
  views(): readonly ProjectReadTransaction[];
  /** The view of a project that is settled; else undefined. Throws why a project is not served. */
  settledView(id: string): ProjectReadTransaction | undefined;
  /** Resolves when the project may be settled; undefined if it is. */
  whenSettled(project: P): Promise<void> | undefined;
  /** Resolves, when all projects are settled, to whether it had to wait. */
  whenAllSettled(): Promise<boolean>;
  /** Applies what other processes have appended, to one project or to all. Absent if there are no others. */
  catchUp?(project?: P): Promise<void>;
  /** Returns whether a change that was rejected with this error, for a file that was unreadable, may be retried. */
  mayRetry(project: P, error: unknown): Promise<boolean>;
  newProject(name: string, id: string | undefined): Promise<{ readonly project: P; readonly directory: string }>;
  drop(project: P, meta: ChangeMeta, beside: BesideDeletion): Promise<void>;
  /** `code`: that of the project whose records `fn` reads. */
  readService<T>(fn: (view: ServiceReadTransaction) => T, code: string | undefined): Promise<T>;
  findAnswer<T extends StoredRecord>(collection: string, id: string, now: string): Promise<T | undefined>;
  stage(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<StagedBytes>;
  directoryOf(project: string): string | undefined;
  isGone(project: string, directory: string): boolean;
  unserved(): readonly Problem[];
  close(): Promise<void>;
}

/** Hooks before and after the transactions of a project. */
export interface StoreHooks {
  readonly beforeRead: (project: string) => Promise<void>;
  readonly beforeChange: () => Promise<void>;
  /** Called also after a change that was rolled back, and after the project was deleted. */
  readonly afterChange: (project: string, isDeleted: boolean) => Promise<void>;
}
