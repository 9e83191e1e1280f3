import { invalid } from '../../base/errors.ts';
import { type IdSource, randomName } from '../../base/ids.ts';
import { eachInSteps, mapInSteps, type Steps } from '../../base/slices.ts';
import { type Commit, type CommitHooks, ofTransitions, revisionId } from '../commit/commit.ts';
import type { DurabilityTracker } from '../commit/durability-tracker.ts';
import { revisionOf } from '../replica/revise.ts';
import { entryId } from '../replica/transaction.ts';
import { sameOnDisk } from '../record/assemble.ts';
import type { Collection } from '../record/collection.ts';
import { differing, type EntryBody, type EntryChange, toEntryChange } from '../record/entry.ts';
import { type Change, membersOf, type Revision, type StoredRecord } from '../record/record.ts';
import type { AttachmentFiles } from './checkpoint/attachment-files.ts';
import { requireFits } from './checkpoint/fits-file.ts';
import type { ReconcileOutcome } from './edits/rescan.ts';
import type { OverriddenValue } from './edits/reconcile-record.ts';
import type { Project } from './project/project.ts';

export interface FileCommitsDeps extends Pick<CommitHooks<Project>, 'list' | 'add' | 'remove' | 'onDropped'> {
  readonly commit: () => Commit<Project>;
  readonly durability: DurabilityTracker;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly attachmentFiles: AttachmentFiles;
  readonly ids: IdSource;
  /** Returns whether git has changed the working tree since the last call. */
  readonly isChangedByGit: () => boolean;
}

const checkpoint = { kind: 'checkpoint' } as const;
/** The revisions of this many changes are built in more than one slice. */
const interruptedChanges = 16;

/**
 * The part of a commit that only files have: the files that change sets make dirty, and the change sets found in files.
 */
export class FileCommits implements CommitHooks<Project> {
  readonly #deps: FileCommitsDeps;

  constructor(deps: FileCommitsDeps) {
    this.#deps = deps;
  }

  readonly list: CommitHooks<Project>['list'] = (...listed) => this.#deps.list(...listed);

  readonly add = (project: Project): void => this.#deps.add(project);

  readonly remove = (project: Project): void => this.#deps.remove(project);

  readonly onDropped = (project: Project): Promise<void> => this.#deps.onDropped(project);

  readonly requireStorable = (project: Project, { collection, from, to }: Change): void => {
    const spec = this.#deps.collections.get(collection);
    if (spec === undefined || to === undefined) return;
    requireFits(spec, project.code, to);
    if (spec.bytes !== undefined && from === undefined) this.#requireBytes(project, spec, to);
  };

  /** A record is never acknowledged without the bytes that it references. */
  #requireBytes(project: Project, spec: Collection, to: StoredRecord): void {
    if (this.#deps.attachmentFiles.isStored(project, spec, to)) return;
    throw invalid(
      'content',
      `The bytes of the ${spec.name} ${to.id} are not stored: send the content with the request.`,
    );
  }

  readonly onSubmitted = (project: Project, changes: readonly Change[], revisions: readonly Revision[]): void => {
    const { position } = this.#deps.durability;
    for (const change of changes) this.#markDirty(project, change, position);
    for (const revision of revisions) project.history.add(revision, false, position);
    project.queue.add(checkpoint);
  };

  readonly onUndone = (project: Project, revisions: readonly Revision[]): void => {
    for (const { id } of revisions) project.history.undo(id);
  };

  /** Marks the record's file dirty, and those of the records that it begins to refer to. */
  #markDirty(project: Project, change: Change, position: number): void {
    const { collection, id, to } = change;
    project.dirty.mark(id, collection, position);
    const spec = this.#deps.collections.get(collection);
    if (spec?.bytes !== undefined && to !== undefined) this.#deps.attachmentFiles.markPending(project, spec, to);
    if (project.files.withoutId > 0) this.markReferenced(project, change, position);
  }

  /** Marks the files dirty that get their ids because a change begins to refer to their records. */
  markReferenced(project: Project, { collection, from, to }: Change, position: number): void {
    const spec = this.#deps.collections.get(collection);
    if (spec === undefined || to === undefined || project.files.withoutId === 0) return;
    for (const target of newReferences(spec, from, to)) {
      const file = project.files.served(target);
      if (file !== undefined && !file.hasExplicitId && file.unreadable === undefined)
        project.dirty.mark(target, file.collection, position, true);
    }
  }

  /**
   * Applies external edits as one transaction of source `disk`. The append is not awaited: readers wait for it as for
   * any change.
   */
  *commitExternalEdits(project: Project, { changes: edits, theirs, overridden }: ReconcileOutcome): Steps<void> {
    const at = this.#deps.commit().now();
    const ids = this.#idsFor(edits.length, at);
    const changes = yield* mapInSteps(edits, compared);
    const found = yield* mapInSteps(changes, (change) => this.#diskRevision(project, change, at, ids));
    const revisions = found.filter((revision) => revision !== undefined);
    for (const one of overridden) revisions.push(this.#overriddenRevision(project, one, at, ids));
    const renamed = project.index.names.takeMoved();
    if (changes.length === 0 && revisions.length === 0 && renamed.length === 0) return;
    const { versions } = project.index;
    const id = entryId(ids, at);
    project.replica.begin(id);
    yield* eachInSteps(changes, (change) => project.index.apply(change));
    project.index.meanAgain(renamed);
    if (revisions.length > 0) versions.addedRevisions();
    const touched = versions.touched(changes);
    const body: EntryBody = {
      at,
      author: 'file',
      source: 'disk',
      ...(this.#deps.isChangedByGit() && { via: 'git' }),
      changes: yield* mapInSteps(changes, (change) => toEntryChange(change, theirs.get(change.id))),
      revisions,
      ...(touched && { touched }),
      ...ofTransitions(versions),
    };
    // The files contain these changes already: if the journal fails, only the revisions are undone; the next opening
    // finds the edits again, as a change set with another version.
    const undo = (): void => {
      for (const revision of revisions) project.history.undo(revision.id);
      versions.renew(project.seq, randomName());
    };
    const appended = this.#deps.commit().append(project, id, body, undo);
    for (const revision of revisions) project.history.add(revision, true, this.#deps.durability.position);
    appended.catch(() => undefined);
    // Revisions are written to history segments; the files need no write.
    if (revisions.length > 0) project.queue.add(checkpoint);
  }

  /** Adds revisions for edits that were made while no service ran. */
  addOfflineRevisions(project: Project, changes: readonly Change[], overridden: readonly OverriddenValue[]): void {
    const at = this.#deps.commit().now();
    const { ids } = this.#deps;
    for (const change of changes) {
      const revision = this.#diskRevision(project, change, at, ids);
      if (revision !== undefined) project.history.add(revision, true, undefined);
    }
    for (const one of overridden) project.history.add(this.#overriddenRevision(project, one, at, ids), true, undefined);
  }

  /**
   * Journals edits that were made while no service ran, and that the index contains already, so that the feed has them.
   * `unknown`: the changes are not known.
   */
  journalOfflineEdits(project: Project, edits: readonly Change[] | 'unknown'): void {
    const at = this.#deps.commit().now();
    const origin = { at, author: 'file', source: 'disk' } as const;
    const body: EntryBody =
      edits === 'unknown'
        ? { ...origin, gap: true, changes: [], revisions: [] }
        : { ...origin, changes: [], revisions: [], offline: edits.map((edit) => this.#offlineChange(project, edit)) };
    this.#deps
      .commit()
      .append(project, entryId(this.#deps.ids, at), body, () => undefined)
      .catch(() => undefined);
  }

  /** An edit with the file's value, if a change that is not in the file yet was merged with it. */
  #offlineChange({ files }: Project, edit: Change): EntryChange {
    const file = files.served(edit.id)?.record;
    const collection = this.#deps.collections.get(edit.collection);
    const isMerged = file !== undefined && edit.to !== undefined && collection !== undefined;
    return toEntryChange(edit, isMerged && !sameOnDisk(collection, file, edit.to) ? file : undefined);
  }

  /** The id source for a change that may be interrupted by others. */
  #idsFor(changes: number, at: string): IdSource {
    const { ids } = this.#deps;
    return changes < interruptedChanges ? ids : ids.block(Date.parse(at));
  }

  #diskRevision(project: Project, change: Change, at: string, ids: IdSource): Revision | undefined {
    const collection = this.#deps.collections.get(change.collection);
    if (collection === undefined) return undefined;
    const incoming = change.to === undefined ? project.index.incoming(change.id) : [];
    const revision = revisionOf(collection, change, incoming, () => ({
      id: revisionId(ids, project.code, at),
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
      id: revisionId(ids, project.code, at),
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
/** An edit with the fields in which its values differ. */
function compared(edit: Change): Change {
  const { from, to } = edit;
  return from === undefined || to === undefined ? edit : { ...edit, fields: differing(from, to) };
}

/** A longer value is no id. */
const idCharactersMax = 64;

/** The values of a record that may be ids of others, if they are new: the ends of its links, and its short texts. */
function newReferences({ shape }: Collection, from: StoredRecord | undefined, to: StoredRecord): readonly string[] {
  const found: string[] = [];
  if (to.links !== from?.links) {
    const known = new Set(from?.links?.map((link) => link.to));
    for (const { to: target } of to.links ?? []) if (!known.has(target)) found.push(target);
  }
  const before = from && membersOf(from);
  const now = membersOf(to);
  for (const { name, kind } of shape.fields) {
    const value = kind === 'text' && name !== 'id' ? now[name] : undefined;
    if (typeof value === 'string' && value.length <= idCharactersMax && value !== before?.[name]) found.push(value);
  }
  return found;
}
