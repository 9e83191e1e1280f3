import type { Clock } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import { type IdSource, randomName } from '../../ids.ts';
import type { Collection } from '../record/collection.ts';
import type { DurabilityTracker } from './journal/durability-tracker.ts';
import { type EntryBody, type EntryChange, toEntryChange } from '../record/entry.ts';
import type { LogTail } from '../index/log-tail.ts';
import { requireFits } from './checkpoint/fits-file.ts';
import type { ReconcileOutcome } from './edits/reconcile.ts';
import type { Project } from './project/project.ts';
import { type Fetched, type LookUps, Needed } from '../record/look-ups.ts';
import { type Change, membersOf, type Revision, type StoredRecord } from '../record/record.ts';
import type { AttachmentFiles } from './checkpoint/attachment-files.ts';
import { revisionOf } from '../index/revise.ts';
import type { RevisionOrigin } from '../index/revise.ts';
import type { ServiceRecords } from '../index/service-records.ts';
import type { OverriddenValue } from './edits/reconcile-record.ts';
import { eachInSteps, inSlices, mapInSteps, type Steps } from '../../slices.ts';
import type { ChangeMeta } from '../record/status.ts';
import {
  type ChangeSet,
  type TransactionContext,
  entryId,
  inverse,
  Transaction,
  type serviceTransaction,
} from '../index/transaction.ts';
import type { Versions } from '../index/versions.ts';
import { TransactionTime } from '../record/transaction-time.ts';
import type { ServiceTx } from '../record/read-transaction.ts';

export interface CommitDeps {
  readonly durability: DurabilityTracker;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly service: ServiceRecords;
  /** The end of the service's own log. */
  readonly serviceTail: LogTail;
  readonly attachmentFiles: AttachmentFiles;
  readonly lookUps: LookUps;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly contextOf: (project: Project) => TransactionContext;
  readonly add: (project: Project) => void;
  readonly remove: (project: Project) => void;
  /** Called once the project's deletion is durable: its directory can be removed. */
  readonly onDropped: (project: Project) => Promise<void>;
  /** Whether git has changed the working tree since the last call. */
  readonly isChangedByGit: () => boolean;
  /** Called when a record or revision has to be written back. */
  readonly onChanged: () => void;
}

/** A change that is applied, and that is acknowledged once it is durable. */
export interface Applied<T> {
  readonly result: T;
  /** Rejects with `unavailable` if the change was rolled back since the journal failed. */
  readonly durable: Promise<void>;
}

/** The revisions of this many changes are built in more than one slice. */
const interruptedChanges = 16;

/** A change set with its revisions and its journal entry. */
interface Composed extends ChangeSet {
  readonly revisions: readonly Revision[];
  readonly body: EntryBody;
  readonly charge: ChangeMeta['charge'];
  /** The entry's id, if the rule changed or touched a record of the project, even if it changed it back. */
  readonly entry: string | undefined;
  readonly order: number;
  readonly hasTouched: boolean;
}

/**
 * Commits transactions: runs the rule, composes the change set, appends it to the journal, and resolves when it is
 * durable.
 */
export class Commit {
  readonly #deps: CommitDeps;
  readonly #time: TransactionTime;

  constructor(deps: CommitDeps) {
    this.#deps = deps;
    this.#time = new TransactionTime(deps.clock);
  }

  /** Gives following changes later times than that of an entry of an earlier opening. */
  continueAfter(at: string): void {
    this.#time.continueAfter(at);
  }

  /** Throws `Needed` if the rule looks up what is neither in memory nor fetched: then it is to be run again. */
  run<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T, fetched?: Fetched): Promise<T> {
    return this.#durably(project, meta, fn, {}, fetched);
  }

  /** Runs the rule and appends its changes within this turn. If it throws, or needs a look-up, its changes are rolled back. */
  apply<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T): Applied<T> {
    this.#deps.durability.throwIfFailed();
    return this.#apply(project, meta, fn, {});
  }

  /** A new project is listed while its first entry is being appended, and removed from the list if that fails. */
  create<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T): Promise<T> {
    return this.#durably(project, meta, fn, { directory: project.directory });
  }

  /**
   * The same for a long rule: the rule and the composition run in slices. Reads and other changes of the project wait
   * until both are complete, so that none of them reads a partial change.
   */
  async runSliced<T>(project: Project, meta: ChangeMeta, rule: (tx: Transaction) => Steps<T>): Promise<T> {
    const { result, durable } = await project.exclusive.run(() => this.#sliced(project, meta, rule, {}));
    await durable;
    return result;
  }

  /** The same for a new project, which is not visible before it is complete. */
  async createSliced<T>(project: Project, meta: ChangeMeta, rule: (tx: Transaction) => Steps<T>): Promise<T> {
    const { result, durable } = await this.#sliced(project, meta, rule, { directory: project.directory });
    await durable;
    return result;
  }

  /**
   * The transactions changed the service's own records with the deletion. Those of the service's log are an entry of it,
   * which is appended together with the project's last one.
   */
  async drop(
    project: Project,
    meta: ChangeMeta,
    ofProject: ReturnType<typeof serviceTransaction>,
    ofService: ReturnType<typeof serviceTransaction>,
  ): Promise<void> {
    const { durability, ids, serviceTail } = this.#deps;
    durability.throwIfFailed();
    const at = this.#time.now();
    const service =
      ofProject.done.length === 0 ? {} : { service: ofProject.done.map((change) => toEntryChange(change)) };
    const body: EntryBody = { at, ...meta, dropped: true, changes: [], revisions: [], ...service };
    const append = project.replica.tail.next(entryId(ids, at), body);
    const undo = (): void => {
      ofService.rollback();
      ofProject.rollback();
      this.#deps.add(project);
    };
    this.#deps.remove(project);
    const { done } = ofService;
    await (done.length === 0
      ? durability.submit(append, undo)
      : durability.submitTogether(append, serviceTail.next(entryId(ids, at), serviceBody(at, meta, done)), undo));
    await this.#deps.onDropped(project);
  }

  /** Appends an entry without changes to the service's log. */
  appendEmpty(meta: ChangeMeta): Promise<void> {
    const at = this.#time.now();
    const body: EntryBody = { at, ...meta, changes: [], revisions: [] };
    const append = this.#deps.serviceTail.next(entryId(this.#deps.ids, at), body);
    return this.#deps.durability.submit(append, () => undefined);
  }

  async service<T>(
    meta: ChangeMeta,
    transaction: ReturnType<typeof serviceTransaction>,
    fn: (tx: ServiceTx) => T,
  ): Promise<T> {
    const { durability } = this.#deps;
    durability.throwIfFailed();
    let result: T;
    try {
      result = fn(transaction.tx);
    } catch (error) {
      transaction.rollback();
      // The error may depend on which projects exist, too.
      await durability.awaitDurable(durability.whenAllDurable());
      throw error;
    }
    if (transaction.done.length === 0) {
      await durability.awaitDurable(durability.whenServiceDurable());
      return result;
    }
    const body = serviceBody(this.#time.now(), meta, transaction.done);
    const append = this.#deps.serviceTail.next(entryId(this.#deps.ids, body.at), body);
    await durability.submit(append, () => transaction.rollback());
    return result;
  }

  /**
   * Applies external edits as one transaction of source `disk`. The append is not awaited: readers wait for it as for
   * any change.
   */
  *commitExternalEdits(project: Project, { changes, theirs, overridden }: ReconcileOutcome): Steps<void> {
    const at = this.#time.now();
    const ids = this.#idsFor(changes.length, at);
    const found = yield* mapInSteps(changes, (change) => this.#diskRevision(project, change, at, ids));
    const revisions = found.filter((revision) => revision !== undefined);
    for (const one of overridden) revisions.push(this.#overriddenRevision(project, one, at, ids));
    if (changes.length === 0 && revisions.length === 0) return;
    const { versions } = project.index;
    const id = entryId(ids, at);
    project.replica.begin(id);
    yield* eachInSteps(changes, (change) => project.index.apply(change));
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
    const appended = this.#append(project, id, body, undo);
    for (const revision of revisions) project.history.add(revision, true, this.#deps.durability.position);
    appended.catch(() => undefined);
    // Revisions are written to history segments; the files need no write.
    if (revisions.length > 0) this.#deps.onChanged();
  }

  /** Adds revisions for edits that were made while no service ran. */
  addOfflineRevisions(project: Project, changes: readonly Change[], overridden: readonly OverriddenValue[]): void {
    const at = this.#time.now();
    const { ids } = this.#deps;
    for (const change of changes) {
      const revision = this.#diskRevision(project, change, at, ids);
      if (revision !== undefined) project.history.add(revision, true, Infinity);
    }
    for (const one of overridden) project.history.add(this.#overriddenRevision(project, one, at, ids), true, Infinity);
  }

  /**
   * Journals edits that were made while no service ran, and that the index contains already, so that the feed has them.
   * `unknown`: what was changed is not known.
   */
  journalOfflineEdits(project: Project, edits: readonly Change[] | 'unknown'): void {
    const at = this.#time.now();
    const origin = { at, author: 'file', source: 'disk' } as const;
    const body: EntryBody =
      edits === 'unknown'
        ? { ...origin, gap: true, changes: [], revisions: [] }
        : { ...origin, changes: [], revisions: [], offline: edits.map((change) => toEntryChange(change)) };
    this.#append(project, entryId(this.#deps.ids, at), body, () => undefined).catch(() => undefined);
  }

  /** `more`: additional members of the entry of a new project. */
  async #durably<T>(
    project: Project,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
    more: Partial<EntryBody>,
    fetched?: Fetched,
  ): Promise<T> {
    this.#deps.durability.throwIfFailed();
    let applied;
    try {
      applied = this.#apply(project, meta, fn, more, fetched);
    } catch (error) {
      if (error instanceof Needed) throw error;
      await this.#awaitDurableBeforeThrow(project, more);
      throw error;
    }
    await applied.durable;
    return applied.result;
  }

  #apply<T>(
    project: Project,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
    more: Partial<EntryBody>,
    fetched?: Fetched,
  ): Applied<T> {
    const at = this.#time.now();
    const tx = new Transaction(this.#deps.contextOf(project), at, meta);
    let executed;
    try {
      executed = this.#deps.lookUps.within(fetched, () => this.#execute(project, at, tx, meta, fn, more));
    } catch (error) {
      tx.rollback();
      throw error;
    }
    if (more.directory !== undefined) this.#deps.add(project);
    return { result: executed.result, durable: this.#submit(project, executed.composed) };
  }

  /**
   * An error may depend on state that is not durable yet, so it is thrown only after that state is durable: a refusal is
   * a read, as is an answer that changed nothing (`#submit`). Over a shared log, both have to catch up here, too, and
   * run the rule again if there were entries.
   */
  #awaitDurableBeforeThrow(project: Project, { directory }: Partial<EntryBody>): Promise<void> {
    const { durability } = this.#deps;
    return durability.awaitDurable(
      directory === undefined ? durability.whenDurable(project.id) : durability.whenServiceDurable(),
    );
  }

  /** Runs a rule and composes its change set in slices; the rest happens in the same turn. */
  async #sliced<T>(
    project: Project,
    meta: ChangeMeta,
    rule: (tx: Transaction) => Steps<T>,
    more: Partial<EntryBody>,
  ): Promise<Applied<T>> {
    const { durability, ids, contextOf } = this.#deps;
    durability.throwIfFailed();
    const at = this.#time.now();
    const tx = new Transaction({ ...contextOf(project), ids: ids.block(Date.parse(at)) }, at, meta);
    const unfinished = durability.begin(project.id, () => tx.rollback());
    let executed;
    try {
      executed = await inSlices('commit', this.#executeSliced(project, at, tx, meta, rule, more), {
        project: project.id,
        check: () => unfinished.check(),
      });
      durability.throwIfFailed();
    } catch (error) {
      if (!unfinished.end()) tx.rollback();
      await this.#awaitDurableBeforeThrow(project, more);
      throw error;
    }
    unfinished.end();
    if (more.directory !== undefined) this.#deps.add(project);
    return { result: executed.result, durable: this.#submit(project, executed.composed) };
  }

  *#executeSliced<T>(
    project: Project,
    at: string,
    tx: Transaction,
    meta: ChangeMeta,
    rule: (tx: Transaction) => Steps<T>,
    more: Partial<EntryBody>,
  ): Steps<{ result: T; composed: Composed }> {
    const result = yield* rule(tx);
    const changeSet = yield* tx.changeSetInSteps();
    yield* eachInSteps(changeSet.changes, (change) => this.#requireValid(project, change));
    const revisions = yield* mapInSteps(changeSet.changes, (change) => this.#revision(project, change, at, tx));
    const changes = yield* mapInSteps(changeSet.changes, (change) => toEntryChange(change));
    return { result, composed: this.#composed(project, tx, changeSet, { at, meta, more, revisions, changes }) };
  }

  #execute<T>(
    project: Project,
    at: string,
    tx: Transaction,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
    more: Partial<EntryBody>,
  ): { result: T; composed: Composed } {
    const result = fn(tx);
    if (result instanceof Promise)
      throw new Error('A transaction runs synchronously: its function must not return a promise.');
    const changeSet = tx.changeSet();
    for (const change of changeSet.changes) this.#requireValid(project, change);
    const revisions = changeSet.changes.map((change) => this.#revision(project, change, at, tx));
    const changes = changeSet.changes.map((change) => toEntryChange(change));
    return { result, composed: this.#composed(project, tx, changeSet, { at, meta, more, revisions, changes }) };
  }

  /**
   * Validates records before they enter the journal as they are validated when read from disk: the journal never
   * contains a record that could not be read back.
   */
  #requireValid(project: Project, { collection, id, from, to }: Change): void {
    const spec = this.#deps.collections.get(collection);
    if (to === undefined || spec === undefined) return;
    requireFits(spec, project.code, to);
    if (spec.bytes !== undefined && from === undefined) this.#requireBytes(project, spec, to);
    const [violation] = spec.validate(to);
    if (violation !== undefined)
      throw new Error(`The rules made an invalid ${collection} ${id}: ${violation.field} ${violation.message}`);
  }

  /** A record is never acknowledged without the bytes that it references. */
  #requireBytes(project: Project, spec: Collection, to: StoredRecord): void {
    if (this.#deps.attachmentFiles.isStored(project, spec, to)) return;
    throw invalid(
      'content',
      `The bytes of the ${spec.name} ${to.id} are not stored: send the content with the request.`,
    );
  }

  /** Builds the journal entry of a transaction from its parts. */
  #composed(project: Project, tx: Transaction, { changes, service }: ChangeSet, parts: EntryParts): Composed {
    const { at, meta, more } = parts;
    const made = parts.revisions.filter((revision) => revision !== undefined);
    const revisions = tx.importedRevisions.length === 0 ? made : [...tx.importedRevisions, ...made];
    const serviceChanges = service.length === 0 ? {} : { service: service.map((change) => toEntryChange(change)) };
    const { versions } = project.index;
    const touched = versions.touched(changes);
    const { charge, ...origin } = meta;
    const body: EntryBody = {
      at,
      ...origin,
      ...more,
      changes: parts.changes,
      revisions,
      ...(touched && { touched }),
      ...ofTransitions(versions),
      ...serviceChanges,
    };
    const { entry, order, hasTouched } = tx;
    return { changes, service, revisions, body, charge, entry, order, hasTouched };
  }

  /**
   * Resolves once the change set is durable. Before it returns to the event loop, the change set is in the index and in
   * the journal's queue, and its records are dirty.
   */
  #submit(project: Project, set: Composed): Promise<void> {
    const { changes, service, revisions, body, charge, entry, order } = set;
    const { versions } = project.index;
    if (changes.length === 0 && service.length === 0 && !set.hasTouched) {
      const { durability } = this.#deps;
      // Records that were changed and changed back.
      if (entry !== undefined) versions.rewind(order);
      return durability.awaitDurable(durability.whenDurable(project.id));
    }
    const undoHistory = revisions.length === 0 ? undefined : versions.addedRevisions();
    const undo = (): void => {
      this.#undo(project, set);
      undoHistory?.();
    };
    const { appended: before } = this.#deps.durability;
    const durable = this.#append(project, entry ?? entryId(this.#deps.ids, body.at), body, undo);
    const { position, appended } = this.#deps.durability;
    charge?.(appended - before);
    for (const change of changes) this.#markDirty(project, change, position);
    for (const revision of revisions) project.history.add(revision, false, position);
    this.#deps.onChanged();
    return durable;
  }

  /** Marks the record's file dirty, and the file of each newly referenced record that does not contain its id yet. */
  #markDirty(project: Project, { collection, id, from, to }: Change, position: number): void {
    project.dirty.mark(id, collection, position);
    const spec = this.#deps.collections.get(collection);
    if (spec?.bytes !== undefined && to !== undefined) this.#deps.attachmentFiles.markPending(project, spec, to);
    if (spec === undefined || to === undefined || project.files.withoutId === 0) return;
    for (const target of newReferences(spec, from, to)) {
      const file = project.files.served(target);
      if (file !== undefined && !file.hasExplicitId && file.unreadable === undefined)
        project.dirty.mark(target, file.collection, position, true);
    }
  }

  #append(project: Project, id: string, body: EntryBody, undo: () => void): Promise<void> {
    return this.#deps.durability.submit(project.replica.tail.next(id, body), undo);
  }

  #undo(project: Project, { changes, service, revisions, body, entry, order }: Composed): void {
    if (entry !== undefined)
      project.index.versions.undo(order, () => {
        for (const change of changes.toReversed()) project.index.apply(inverse(change));
      });
    for (const change of service.toReversed()) this.#deps.service.apply(inverse(change));
    for (const { id } of revisions) project.history.undo(id);
    if (body.directory !== undefined) this.#deps.remove(project);
  }

  /** The id source for a change that may be interrupted by others. */
  #idsFor(changes: number, at: string): IdSource {
    const { ids } = this.#deps;
    return changes < interruptedChanges ? ids : ids.block(Date.parse(at));
  }

  /** Uses the revision's own time: revisions of one millisecond ascend in the order of creation. */
  #revisionId({ code }: Project, at: string, ids: IdSource): string {
    return ids.next('revision', code, Date.parse(at));
  }

  #revision(
    project: Project,
    change: Change,
    at: string,
    { author, session, removedLinks, belongings, ids }: Transaction,
  ): Revision | undefined {
    const collection = this.#deps.collections.get(change.collection);
    const occasion = (): RevisionOrigin => ({ id: this.#revisionId(project, at, ids), at, author, session });
    const { id } = change;
    return collection && revisionOf(collection, change, removedLinks.get(id) ?? [], occasion, belongings.get(id));
  }

  #diskRevision(project: Project, change: Change, at: string, ids: IdSource): Revision | undefined {
    const collection = this.#deps.collections.get(change.collection);
    if (collection === undefined) return undefined;
    const incoming = change.to === undefined ? project.index.incoming(change.id) : [];
    const revision = revisionOf(collection, change, incoming, () => ({
      id: this.#revisionId(project, at, ids),
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
      id: this.#revisionId(project, at, ids),
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

function ofTransitions(versions: Versions): Pick<EntryBody, 'transitions'> {
  const transitions = versions.transitions();
  return transitions === undefined ? {} : { transitions };
}

function serviceBody(at: string, meta: ChangeMeta, changes: readonly Change[]): EntryBody {
  return { at, ...meta, changes: [], revisions: [], service: changes.map((change) => toEntryChange(change)) };
}

/** What an entry consists of, one item for each change; a change without a revision has undefined. */
interface EntryParts {
  readonly at: string;
  readonly meta: ChangeMeta;
  readonly more: Partial<EntryBody>;
  readonly revisions: readonly (Revision | undefined)[];
  readonly changes: readonly EntryChange[];
}

/** A longer value is no id. */
const idCharactersMax = 64;

/** The values of a record that may be ids of others, if they are new: the ends of its links, and its short texts. */
function newReferences({ shape }: Collection, from: StoredRecord | undefined, to: StoredRecord): readonly string[] {
  const found: string[] = [];
  for (const { to: target } of to.links ?? [])
    if (from?.links?.some((link) => link.to === target) !== true) found.push(target);
  const before = from && membersOf(from);
  const now = membersOf(to);
  for (const { name, kind } of shape.fields) {
    const value = kind === 'text' && name !== 'id' ? now[name] : undefined;
    if (typeof value === 'string' && value.length <= idCharactersMax && value !== before?.[name]) found.push(value);
  }
  return found;
}
