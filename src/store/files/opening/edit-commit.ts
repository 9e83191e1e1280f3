import { type IdSource, randomName } from '../../../ids.ts';
import { eachInSteps, mapInSteps, type Steps } from '../../../slices.ts';
import { type EntryBody, toEntryChange } from '../../record/entry.ts';
import type { Change, Revision } from '../../record/record.ts';
import { revisionOf } from '../../index/revise.ts';
import { entryId } from '../../index/transaction.ts';
import type { OverriddenValue } from '../edits/reconcile-record.ts';
import type { ReconcileOutcome } from '../edits/rescan.ts';
import type { Project } from '../project/project.ts';
import type { GitGuard } from '../checkpoint/git-guard.ts';
import type { DurabilityTracker } from '../journal/durability-tracker.ts';
import type { Collection } from '../../record/collection.ts';
import type { TransactionTime } from '../../record/transaction-time.ts';

/** The revisions of this many changes are built in more than one slice. */
const interruptedChanges = 16;
const origin = { author: 'file', source: 'disk' } as const;

export interface EditCommitDeps {
  readonly options: { readonly ids: IdSource };
  readonly collections: ReadonlyMap<string, Collection>;
  readonly durability: DurabilityTracker;
  readonly git: GitGuard | undefined;
  readonly time: TransactionTime;
}

/** Commits external edits: the files have them already, so that nothing waits for the journal. */
export class EditCommit {
  readonly #engine: EditCommitDeps;

  constructor(engine: EditCommitDeps) {
    this.#engine = engine;
  }

  /**
   * Applies external edits as one transaction of source `disk`. The append is not awaited: readers wait for it as for
   * any change.
   */
  *commit(project: Project, { changes, theirs, overridden }: ReconcileOutcome): Steps<void> {
    const at = this.#engine.time.now();
    const ids = this.#idsFor(changes.length, at);
    const found = yield* mapInSteps(changes, (change) => this.#revision(project, change, at, ids));
    const revisions = found.filter((revision) => revision !== undefined);
    for (const one of overridden) revisions.push(this.#overriddenRevision(project, one, at, ids));
    if (changes.length === 0 && revisions.length === 0) return;
    const { versions } = project.index;
    const id = entryId(ids, at);
    project.replica.begin(id);
    yield* eachInSteps(changes, (change) => project.index.apply(change));
    if (revisions.length > 0) versions.addedRevisions();
    const touched = versions.touched(changes);
    const entryChanges = yield* mapInSteps(changes, (change) => toEntryChange(change, theirs.get(change.id)));
    const transitions = versions.transitions();
    const body: EntryBody = {
      at,
      ...origin,
      ...(this.#engine.git?.hasChangedTree() === true && { via: 'git' }),
      changes: entryChanges,
      revisions,
      ...(touched && { touched }),
      ...(transitions && { transitions }),
    };
    // The files contain these changes already: if the journal fails, only the revisions are undone; the next opening
    // finds the edits again, as a change set with another version.
    this.#append(project, id, body, () => {
      for (const revision of revisions) project.history.undo(revision.id);
      versions.renew(project.seq, randomName());
    });
    for (const revision of revisions) project.history.add(revision, true, this.#engine.durability.position);
    // Revisions are written to history segments; the files need no write.
    if (revisions.length > 0) project.queue.add({ kind: 'checkpoint' });
  }

  /** Adds revisions for edits that were made while no service ran. */
  addOfflineRevisions(project: Project, changes: readonly Change[], overridden: readonly OverriddenValue[]): void {
    const at = this.#engine.time.now();
    const { ids } = this.#engine.options;
    for (const change of changes) {
      const revision = this.#revision(project, change, at, ids);
      if (revision !== undefined) project.history.add(revision, true, undefined);
    }
    for (const one of overridden) project.history.add(this.#overriddenRevision(project, one, at, ids), true, undefined);
  }

  /**
   * Journals edits that were made while no service ran, and that the index contains already, so that the feed has them.
   * `unknown`: what was changed is not known.
   */
  journalOfflineEdits(project: Project, edits: readonly Change[] | 'unknown'): void {
    const at = this.#engine.time.now();
    const what =
      edits === 'unknown' ? { gap: true as const } : { offline: edits.map((change) => toEntryChange(change)) };
    const body: EntryBody = { at, ...origin, changes: [], revisions: [], ...what };
    this.#append(project, entryId(this.#engine.options.ids, at), body, () => undefined);
  }

  #append(project: Project, id: string, body: EntryBody, undo: () => void): void {
    this.#engine.durability.submit(project.replica.tail.next(id, body), undo).catch(() => undefined);
  }

  /** The id source for a change that may be interrupted by others. */
  #idsFor(changes: number, at: string): IdSource {
    const { ids } = this.#engine.options;
    return changes < interruptedChanges ? ids : ids.block(Date.parse(at));
  }

  #revision(project: Project, change: Change, at: string, ids: IdSource): Revision | undefined {
    const collection = this.#engine.collections.get(change.collection);
    if (collection === undefined) return undefined;
    const incoming = change.to === undefined ? project.index.incoming(change.id) : [];
    const revision = revisionOf(collection, change, incoming, () => ({
      id: revisionId(project, at, ids),
      at,
      author: 'file',
    }));
    if (revision === undefined || !project.history.hasOutcome(change.id, revision.after)) return revision;
    // An arriving history entry already records this state as its outcome, or an earlier deletion does. The former state
    // may still have lost in a merge, or be later than that deletion, so keep its revision unless it is known too.
    const { before } = revision;
    const values = collection.versioned.map((field) => [field, before[field] ?? null] as const);
    const former = change.to === undefined ? Object.fromEntries(values) : before;
    return project.history.hasFormerValues(change.id, former) ? undefined : revision;
  }

  #overriddenRevision(
    project: Project,
    { collection, id, fields, before, after, reason }: OverriddenValue,
    at: string,
    ids: IdSource,
  ): Revision {
    const revision: Revision = {
      at,
      id: revisionId(project, at, ids),
      target: id,
      target_type: collection.name,
      author: 'system',
      fields,
      before,
      after,
    };
    const path = project.files.served(id)?.path ?? project.formerPaths.keys().next().value ?? collection.name;
    project.addNotice({
      at,
      path: project.shownPath(path),
      kind: 'overridden',
      id,
      reason: `A change of ${fields.join(', ') || id} was overridden: ${reason}.`,
      remedy: { code: 'restore_revision', revision: revision.id },
    });
    return revision;
  }
}

/** Uses the revision's own time: revisions of one millisecond ascend in the order of creation. */
export function revisionId({ code }: Project, at: string, ids: IdSource): string {
  return ids.next('revision', code, Date.parse(at));
}
