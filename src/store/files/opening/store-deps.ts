import type { Checkpointer } from '../checkpoint/checkpointer.ts';
import type { Collection } from '../../record/collection.ts';
import type { Committer } from '../journal/durability-tracker.ts';
import type { GitGuard } from '../checkpoint/git-guard.ts';
import type { Journal } from '../journal/journal.ts';
import type { Loader } from './loader.ts';
import type { RootLock } from './lock.ts';
import type { StoreOptions } from '../project/options.ts';
import type { PlaceMap } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import type { Outcome, Reconciler } from '../edits/reconcile.ts';
import type { RecordFiles } from '../checkpoint/attachment-files.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { ServiceRecords } from '../../index/service-records.ts';
import type { StoreStatus } from '../../record/status.ts';
import type { Steps } from '../../../slices.ts';
import type { Staging } from '../checkpoint/staging.ts';
import type { Texts } from '../project/texts.ts';
import type { Problem } from '../../record/view.ts';

/** What looks after an open store (sweeping, maintenance, the check) needs of it. */
export interface StoreParts {
  readonly options: Required<StoreOptions>;
  readonly layout: RootLayout;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly places: PlaceMap;
  readonly projects: ReadonlyMap<string, Project>;
  readonly service: ServiceRecords;
  readonly lock: RootLock;
  readonly journal: Journal;
  readonly committer: Committer;
  readonly checkpointer: Checkpointer;
  readonly reconciler: Reconciler;
  readonly loader: Loader;
  readonly texts: Texts;
  readonly staging: Staging;
  readonly recordFiles: RecordFiles;
  readonly git: GitGuard | undefined;
  /** Problems of the root itself, by what they are about. */
  readonly problems: Map<string, Problem>;
  /** Takes up what a look at the files brought. */
  adopt(project: Project, outcome: Outcome): void;
  /** The same, interruptible: while the project is held. */
  adoptSliced(project: Project, outcome: Outcome): Steps<void>;
  /** Reads a directory that appeared. */
  loadDirectory(directory: string): void;
  /** Writes the index cache, from which the next opening takes what did not change since. */
  keepCache(): Promise<void>;
  removeProject(project: Project): void;
  /** Moves a project's directory to the trash. */
  trash(directory: string): void;
  status(): StoreStatus;
}
