import type { Checkpointer } from '../checkpoint/checkpointer.ts';
import type { Collection } from '../../record/collection.ts';
import type { DurabilityTracker } from '../journal/durability-tracker.ts';
import type { GitGuard } from '../checkpoint/git-guard.ts';
import type { Journal } from '../journal/journal.ts';
import type { Loader } from './loader.ts';
import type { RootLock } from './lock.ts';
import type { StoreOptions } from '../project/options.ts';
import type { LocationMap } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import type { ReconcileOutcome, Reconciler } from '../edits/reconcile.ts';
import type { AttachmentFiles } from '../checkpoint/attachment-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { ServiceRecords } from '../../index/service-records.ts';
import type { StoreStatus } from '../../record/status.ts';
import type { Steps } from '../../../slices.ts';
import type { Staging } from '../checkpoint/staging.ts';
import type { LastGood } from '../edits/last-good.ts';
import type { LargeTexts } from '../project/large-texts.ts';
import type { Problem } from '../../record/read-transaction.ts';
import type { UnservedDirectories } from './unserved-directories.ts';

/** The members of an open store that rescans, maintenance and the consistency check need. */
export interface StoreDeps {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly locations: LocationMap;
  readonly projects: ReadonlyMap<string, Project>;
  readonly service: ServiceRecords;
  readonly lock: RootLock;
  readonly journal: Journal;
  readonly durability: DurabilityTracker;
  readonly checkpointer: Checkpointer;
  readonly reconciler: Reconciler;
  readonly loader: Loader;
  readonly largeTexts: LargeTexts;
  readonly lastGood: LastGood;
  readonly staging: Staging;
  readonly attachmentFiles: AttachmentFiles;
  readonly git: GitGuard | undefined;
  /** Problems of the root itself, by subject. */
  readonly problems: Map<string, Problem>;
  /** Applies the outcome of a reconciliation. */
  applyOutcome(project: Project, outcome: ReconcileOutcome): void;
  /** The same in slices, while the project is held. */
  applyOutcomeSliced(project: Project, outcome: ReconcileOutcome): Steps<void>;
  /** Directories whose records are not served. */
  readonly unserved: UnservedDirectories;
  /** Searches for directories that appeared, or that can be served by now. */
  findDirectories(): void;
  /** Loads a directory that appeared. */
  loadDirectory(directory: string): void;
  /** Writes the index cache, so that the next opening reads only files that changed since. */
  writeIndexCache(): Promise<void>;
  removeProject(project: Project): void;
  /** Moves a project's directory to the trash. */
  moveToTrash(directory: string): void;
  status(): StoreStatus;
}
