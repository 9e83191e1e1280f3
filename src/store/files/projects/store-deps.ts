import type { EntryBody } from '../../record/entry.ts';
import type { KeptEntry, Mark } from '../journal/journal.ts';
import type { Project } from '../project/project.ts';
import type { ProjectReadTransaction, TransactionContext } from '../../replica/transaction.ts';
import type { IndexCache } from '../recovery/index-cache.ts';
import type { ProblemChanges } from './problem-changes.ts';
import type { EditCommits, ExternalEdits } from './external-edits.ts';
import type { ProjectTable } from '../../replica/project-table.ts';
import type { Checkpointer } from '../checkpoint/checkpointer.ts';
import type { Collection } from '../../record/collection.ts';
import type { ProjectSignals } from '../../replica/project-signals.ts';
import type { DurabilityTracker } from '../../commit/durability-tracker.ts';
import type { Feeds } from '../feed/feeds.ts';
import type { GitGuard } from '../checkpoint/git-guard.ts';
import type { JournalFiles } from '../journal/journal-files.ts';
import type { Loader } from './loader.ts';
import type { RootLock } from '../lock/lock.ts';
import type { StoreOptions } from '../project/options.ts';
import type { Ports } from './ports.ts';
import type { LocationMap } from '../../record/locations.ts';
import type { Reconciler } from '../edits/reconcile.ts';
import type { AttachmentFiles } from '../checkpoint/attachment-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { ServiceRecords } from '../../replica/service-records.ts';
import type { ChangeMeta, StoreStatus } from '../../record/status.ts';
import type { Staging } from '../checkpoint/staging.ts';
import type { LastGood } from '../edits/last-good.ts';
import type { LookUps } from '../../record/look-ups.ts';
import type { LargeTexts } from '../project/large-texts.ts';
import type { Problem } from '../../record/read-transaction.ts';
import type { UnservedDirectories } from './unserved-directories.ts';

/** Loads directories that appeared, and removes projects. */
export interface ProjectAdoption {
  /** Loads a new directory as a project, unless its id is already served. */
  load(
    directory: string,
    entries?: readonly KeptEntry<EntryBody>[],
    marks?: readonly Mark[],
    journaledId?: string,
  ): Project | undefined;
  /** Loads a project whose creation was acknowledged and whose directory may not exist yet. */
  loadFromJournal(id: string, entries: readonly KeptEntry<EntryBody>[], marks: readonly Mark[]): void;
  /** Serves a project. */
  add(project: Project): void;
  remove(project: Project): void;
  /** Moves a project's directory to the trash. */
  moveToTrash(directory: string): void;
}

/** The components of an open store, of which each component names those that it needs. */
export interface StoreDeps {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly ports: Ports;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly locations: LocationMap;
  readonly projects: ProjectTable<Project>;
  readonly service: ServiceRecords;
  readonly lock: RootLock;
  readonly journal: JournalFiles;
  readonly commit: { appendEmpty(meta: ChangeMeta): Promise<void>; continueAfter(at: string): void };
  /** What transactions on a project need, and what reads of it see. */
  readonly contexts: { of(project: Project): TransactionContext; viewOf(project: Project): ProjectReadTransaction };
  readonly durability: DurabilityTracker;
  /** The projects' feeds, if the store has any. */
  readonly feeds: Feeds | undefined;
  /** Notes projects whose problems may be others. */
  readonly signals: ProjectSignals;
  readonly checkpointer: Checkpointer;
  readonly reconciler: Reconciler;
  readonly loader: Loader;
  readonly largeTexts: LargeTexts;
  readonly lookUps: LookUps;
  readonly lastGood: LastGood;
  readonly staging: Staging;
  readonly attachmentFiles: AttachmentFiles;
  readonly git: GitGuard | undefined;
  /** Problems of the root itself, by subject. */
  readonly problems: Map<string, Problem>;
  readonly problemChanges: ProblemChanges;
  readonly edits: ExternalEdits;
  readonly fileCommits: EditCommits;
  readonly cache: IndexCache;
  /** Directories whose records are not served. */
  readonly unserved: UnservedDirectories;
  /** Searches for directories that appeared, or that can be served by now. */
  findDirectories(): void;
  /** Called when another project is served. */
  onProjectAdded(): void;
  readonly adoption: ProjectAdoption;
  /** Writes the index cache, so that the next opening reads only files that changed since. Resolves to whether it is. */
  writeIndexCache(): Promise<boolean>;
  /** Leaves the history that is synced to its index on disk. */
  writeHistoryIndexes(): Promise<void>;
  status(): StoreStatus;
}
