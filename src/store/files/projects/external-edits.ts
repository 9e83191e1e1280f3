import type { AttachmentFiles } from '../checkpoint/attachment-files.ts';
import type { Collection } from '../../record/collection.ts';
import { closeFolders } from '../edits/close-folders.ts';
import { refreshNotes } from '../edits/refresh-notes.ts';
import { pathFieldsChanged } from '../edits/read-state.ts';
import type { Reconciler } from '../edits/reconcile.ts';
import type { ReconcileOutcome } from '../edits/rescan.ts';
import type { DurabilityTracker } from '../../commit/durability-tracker.ts';
import type { Change, StoredRecord } from '../../record/record.ts';
import type { OverriddenValue } from '../edits/reconcile-record.ts';
import type { FileState } from '../project/file-table.ts';
import type { LargeTexts } from '../project/large-texts.ts';
import type { Checkpointer } from '../checkpoint/checkpointer.ts';
import type { Project } from '../project/project.ts';
import { atOnce, eachInSteps, type Steps } from '../../../base/slices.ts';
import type { ProblemChanges } from './problem-changes.ts';
import type { ProjectTable } from '../../replica/project-table.ts';

/** Commits what was found in files. */
export interface EditCommits {
  /** Updates the index and appends to the journal. */
  commitExternalEdits(project: Project, outcome: ReconcileOutcome): Steps<void>;
  /** Marks the files dirty that get their ids because a change begins to refer to their records. */
  markReferenced(project: Project, change: Change, position: number): void;
  /** Adds revisions for edits that were made while no service ran. */
  addOfflineRevisions(project: Project, changes: readonly Change[], overridden: readonly OverriddenValue[]): void;
  /** Journals such edits for the feed. */
  journalOfflineEdits(project: Project, edits: readonly Change[] | 'unknown'): void;
}

export interface ExternalEditsDeps {
  readonly collections: ReadonlyMap<string, Collection>;
  readonly projects: ProjectTable<Project>;
  readonly reconciler: Reconciler;
  readonly attachmentFiles: AttachmentFiles;
  readonly largeTexts: LargeTexts;
  readonly durability: DurabilityTracker;
  readonly fileCommits: EditCommits;
  readonly checkpointer: Pick<Checkpointer, 'markSettled'>;
  readonly problemChanges: Pick<ProblemChanges, 'note'>;
}

/** Applies what was found in files to all that depends on it. */
export class ExternalEdits {
  readonly #deps: ExternalEditsDeps;

  constructor(deps: ExternalEditsDeps) {
    this.#deps = deps;
  }

  /**
   * Applies a reconcile outcome: updates the index, appends to the journal, and schedules a checkpoint if records are
   * still dirty.
   */
  apply(project: Project, outcome: ReconcileOutcome): void {
    atOnce(this.applySliced(project, outcome));
    this.#deps.problemChanges.note(project);
  }

  /** The same in slices, while the project is held. The caller notes what problems it has then. */
  *applySliced(project: Project, found: ReconcileOutcome): Steps<void> {
    const { collections, projects, attachmentFiles, largeTexts, durability } = this.#deps;
    const { outcome, placed } = closeFolders(project, collections, found);
    yield* this.#deps.fileCommits.commitExternalEdits(project, outcome);
    for (const id of outcome.settled ?? []) this.#deps.checkpointer.markSettled({ project, id });
    for (const id of placed) project.dirty.mark(id, project.index.collectionOf(id)!, durability.position);
    if (outcome.stillPending) project.queue.add({ kind: 'checkpoint' });
    if (outcome.changes.some(({ collection }) => collections.get(collection)?.id === 'project')) projects.reorder();
    yield* eachInSteps(outcome.changes, ({ id }) => {
      const file = project.files.served(id);
      const collection = file && collections.get(file.collection);
      if (file !== undefined && collection !== undefined) largeTexts.evictState(project, collection, file);
    });
    attachmentFiles.inspectChanged(
      project,
      outcome.changes.map(({ id }) => id),
    );
  }

  /** Merges the bytes that an editor saved into a file while it was being replaced or removed. `former`: the file before. */
  mergeRacedSave(project: Project, path: string, former: FileState | undefined, bytes: Uint8Array): void {
    const state = project.files.at(path) ?? former;
    if (state === undefined) return;
    const { durability, reconciler } = this.#deps;
    project.dirty.mark(state.id, state.collection, durability.position);
    const outcome = reconciler.reconcileRacedSave(project, path, former, bytes);
    // The file was replaced or removed: an opening finds our value in it, or none, and not the save.
    const theirs = new Map(outcome.changes.map(({ id }) => [id, inFile(project, id)]));
    this.apply(project, { ...outcome, theirs });
    project.dirty.mark(state.id, state.collection, durability.position);
    project.queue.add({ kind: 'checkpoint' });
  }

  /** Called after a record's file was written: its bytes are beside it, and its large texts can leave memory. */
  onFileWritten(project: Project, collection: Collection, state: FileState): void {
    const { attachmentFiles, largeTexts, reconciler } = this.#deps;
    if (state.record !== undefined) attachmentFiles.onRecordWritten(project, collection, state.record);
    const context = reconciler.contextOf(project);
    largeTexts.evictState(project, collection, refreshNotes(context, state));
    // Its folder was removed before the file was written: the record is in the folder that the file is in.
    if (pathFieldsChanged(context, project, collection, state))
      project.queue.add({ kind: 'rescan', paths: [state.path], afterMs: 0 });
  }
}

/** The value that a record's file has by now; null without a file. */
function inFile({ files }: Project, id: string): StoredRecord | null {
  return files.served(id)?.record ?? null;
}
