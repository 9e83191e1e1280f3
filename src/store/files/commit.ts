import type { Clock } from '../../clock.ts';
import { invalid } from '../../errors.ts';
import type { IdSource } from '../../ids.ts';
import type { Collection } from '../record/collection.ts';
import { type Committer, serviceProject } from './journal/durability-tracker.ts';
import { type EntryBody, toEntryChange } from '../record/entry.ts';
import { requireFits } from './checkpoint/fits-file.ts';
import type { Outcome } from './edits/reconcile.ts';
import type { Project } from './project/project.ts';
import type { Change, Revision, StoredRecord } from '../record/record.ts';
import type { RecordFiles } from './checkpoint/attachment-files.ts';
import { revisionOf } from '../index/revise.ts';
import type { Occasion } from '../index/revise.ts';
import type { ServiceRecords } from '../index/service-records.ts';
import type { Lost } from './edits/reconcile-record.ts';
import { atOnce, eachInSteps, inSlices, mapInSteps, type Steps } from '../../slices.ts';
import type { ChangeMeta } from '../record/status.ts';
import { type ChangeSet, type Ground, inverse, Transaction, type serviceTransaction } from '../index/transaction.ts';
import { TransactionTime } from '../record/transaction-time.ts';
import type { ServiceTx } from '../record/view.ts';

export interface CommitParts {
  readonly committer: Committer;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly service: ServiceRecords;
  readonly recordFiles: RecordFiles;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly groundOf: (project: Project) => Ground;
  readonly add: (project: Project) => void;
  readonly remove: (project: Project) => void;
  /** The project's deletion is durable: its directory can go. */
  readonly dropped: (project: Project) => Promise<void>;
  /** Something waits for its file. */
  readonly changed: () => void;
}

/** Of so many changes the revisions are made in more than one slice. */
const interruptedChanges = 16;

/** A change set with what is kept of it. */
interface Composed extends ChangeSet {
  readonly revisions: readonly Revision[];
  readonly body: EntryBody;
  readonly charge: ChangeMeta['charge'];
}

/** The commit recipe: run the rule, compose the change set, journal it, answer when it is durable. */
export class Commit {
  readonly #parts: CommitParts;
  readonly #time: TransactionTime;

  constructor(parts: CommitParts) {
    this.#parts = parts;
    this.#time = new TransactionTime(parts.clock);
  }

  run<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T): Promise<T> {
    return this.#atOnce(project, meta, fn, {});
  }

  /** A new project is in the list while its first entry is under way, and leaves it when that fails. */
  create<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T): Promise<T> {
    return this.#atOnce(project, meta, fn, { directory: project.directory });
  }

  /**
   * The same for a rule that takes long: it runs in slices, and so does what follows it. Reads and other changes of the project wait
   * meanwhile, so that nobody sees half of it.
   */
  async runSliced<T>(project: Project, meta: ChangeMeta, rule: (tx: Transaction) => Steps<T>): Promise<T> {
    const { result, durable } = await project.exclusive.run(() => this.#sliced(project, meta, rule, {}));
    await durable;
    return result;
  }

  /** The same for a new project, which nobody sees before it is complete. */
  async createSliced<T>(project: Project, meta: ChangeMeta, rule: (tx: Transaction) => Steps<T>): Promise<T> {
    const { result, durable } = await this.#sliced(project, meta, rule, { directory: project.directory });
    await durable;
    return result;
  }

  /** `transaction`: changes to the service's own records that belong to the deletion and ride in its entry. */
  async drop(project: Project, meta: ChangeMeta, transaction: ReturnType<typeof serviceTransaction>): Promise<void> {
    this.#parts.committer.refuseWhenFailed();
    const service = transaction.done.map((change) => toEntryChange(change));
    const rides = service.length === 0 ? {} : { service };
    const body: EntryBody = { at: this.#time.now(), ...meta, dropped: true, changes: [], revisions: [], ...rides };
    this.#parts.remove(project);
    await this.#append(project, body, () => {
      transaction.rollback();
      this.#parts.add(project);
    });
    await this.#parts.dropped(project);
  }

  async service<T>(
    meta: ChangeMeta,
    transaction: ReturnType<typeof serviceTransaction>,
    fn: (tx: ServiceTx) => T,
  ): Promise<T> {
    const { committer } = this.#parts;
    committer.refuseWhenFailed();
    let result: T;
    try {
      result = fn(transaction.tx);
    } catch (error) {
      transaction.rollback();
      // It may rest on which projects there are, too.
      await committer.rest(committer.allDurable());
      throw error;
    }
    if (transaction.done.length === 0) {
      await committer.rest(committer.serviceDurable());
      return result;
    }
    const changes = transaction.done.map((change) => toEntryChange(change));
    const body: EntryBody = { at: this.#time.now(), ...meta, changes: [], revisions: [], service: changes };
    await committer.submit(serviceProject, this.#entryId(body), null, body, () => transaction.rollback());
    return result;
  }

  /** Applies what was found on disk as one transaction of source `disk`. Not awaited by anybody: readers wait for it like for any change. */
  *disk(project: Project, { changes, theirs, lost }: Outcome): Steps<void> {
    const at = this.#time.now();
    const ids = this.#idsFor(changes.length, at);
    const found = yield* mapInSteps(changes, (change) => this.#diskRevision(project, change, at, ids));
    const revisions = found.filter((revision) => revision !== undefined);
    for (const one of lost) revisions.push(this.#lostRevision(project, one, at, ids));
    yield* eachInSteps(changes, (change) => project.index.apply(change));
    if (changes.length === 0 && revisions.length === 0) return;
    const body: EntryBody = {
      at,
      author: 'file',
      source: 'disk',
      changes: yield* mapInSteps(changes, (change) => toEntryChange(change, theirs.get(change.id))),
      revisions,
    };
    const undo = (): void => {
      for (const revision of revisions) project.history.undo(revision.id);
    };
    // The files say it already: when the journal fails there is nothing to take back but the revisions, which are found again at the next opening.
    const appended = this.#append(project, body, undo);
    for (const revision of revisions) project.history.add(revision, true, this.#parts.committer.position);
    appended.catch(() => undefined);
  }

  /** Revisions of edits that were made while no service ran. */
  offline(project: Project, changes: readonly Change[], lost: readonly Lost[]): void {
    const at = this.#time.now();
    const { ids } = this.#parts;
    for (const change of changes) {
      const revision = this.#diskRevision(project, change, at, ids);
      if (revision !== undefined) project.history.add(revision, true, Infinity);
    }
    for (const one of lost) project.history.add(this.#lostRevision(project, one, at, ids), true, Infinity);
  }

  /** `more`: what the entry of a new project says besides. */
  async #atOnce<T>(
    project: Project,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
    more: Partial<EntryBody>,
  ): Promise<T> {
    this.#parts.committer.refuseWhenFailed();
    const at = this.#time.now();
    let executed;
    try {
      executed = this.#execute(project, at, meta, fn);
    } catch (error) {
      await this.#restBeforeRefusal(project, more);
      throw error;
    }
    const { tx, changeSet, result } = executed;
    if (more.directory !== undefined) this.#parts.add(project);
    await this.#submit(project, atOnce(this.#compose(project, tx, changeSet, at, { meta, more })));
    return result;
  }

  /** A refusal may rest on what is not durable yet: it must not be heard before that is. */
  #restBeforeRefusal(project: Project, { directory }: Partial<EntryBody>): Promise<void> {
    const { committer } = this.#parts;
    return committer.rest(directory === undefined ? committer.durable(project.id) : committer.serviceDurable());
  }

  /** Runs a rule and composes its change set in slices; what follows is done before anything else gets its turn. */
  async #sliced<T>(
    project: Project,
    meta: ChangeMeta,
    rule: (tx: Transaction) => Steps<T>,
    more: Partial<EntryBody>,
  ): Promise<{ readonly result: T; readonly durable: Promise<void> }> {
    const { committer, ids, groundOf } = this.#parts;
    committer.refuseWhenFailed();
    const at = this.#time.now();
    const tx = new Transaction({ ...groundOf(project), ids: ids.block(Date.parse(at)) }, at, meta);
    const unfinished = committer.begin(project.id, () => tx.rollback());
    let executed;
    try {
      executed = await inSlices('commit', this.#executeSliced(project, at, tx, meta, rule, more), {
        project: project.id,
        check: () => unfinished.check(),
      });
      committer.refuseWhenFailed();
    } catch (error) {
      if (!unfinished.end()) tx.rollback();
      await this.#restBeforeRefusal(project, more);
      throw error;
    }
    unfinished.end();
    if (more.directory !== undefined) this.#parts.add(project);
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
    yield* eachInSteps(changeSet.changes, (change) => this.#requireSound(project, change));
    return { result, composed: yield* this.#compose(project, tx, changeSet, at, { meta, more }) };
  }

  #execute<T>(
    project: Project,
    at: string,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
  ): { tx: Transaction; changeSet: ChangeSet; result: T } {
    const tx = new Transaction(this.#parts.groundOf(project), at, meta);
    try {
      const result = fn(tx);
      if (result instanceof Promise)
        throw new Error('A transaction runs synchronously: its function must not return a promise.');
      const changeSet = tx.changeSet();
      for (const change of changeSet.changes) this.#requireSound(project, change);
      return { tx, changeSet, result };
    } catch (error) {
      tx.rollback();
      throw error;
    }
  }

  /** Checked before the journal as after the disk: nothing that could not be read back gets in. */
  #requireSound(project: Project, { collection, id, from, to }: Change): void {
    const spec = this.#parts.collections.get(collection);
    if (to === undefined || spec === undefined) return;
    requireFits(spec, project.code, to);
    if (spec.bytes !== undefined && from === undefined) this.#requireBytes(project, spec, to);
    const [violation] = spec.validate(to);
    if (violation !== undefined)
      throw new Error(`The rules made an invalid ${collection} ${id}: ${violation.field} ${violation.message}`);
  }

  /** A record is never acknowledged without the bytes that it names. */
  #requireBytes(project: Project, spec: Collection, to: StoredRecord): void {
    if (this.#parts.recordFiles.areHere(project, spec, to)) return;
    throw invalid('content', `The bytes of the ${spec.name} ${to.id} are not here: send the content with it.`);
  }

  /** The revisions and the journal entry of what a transaction did. */
  *#compose(
    project: Project,
    tx: Transaction,
    { changes, service }: ChangeSet,
    at: string,
    { meta, more }: { readonly meta: ChangeMeta; readonly more: Partial<EntryBody> },
  ): Steps<Composed> {
    const made = yield* mapInSteps(changes, (change) => this.#revision(project, change, at, tx));
    const revisions = [...tx.recalled, ...made.filter((revision) => revision !== undefined)];
    const rides = service.length === 0 ? {} : { service: service.map((change) => toEntryChange(change)) };
    const { charge, ...said } = meta;
    const body: EntryBody = {
      at,
      ...said,
      ...more,
      changes: yield* mapInSteps(changes, (change) => toEntryChange(change)),
      revisions,
      ...rides,
    };
    return { changes, service, revisions, body, charge };
  }

  /** Resolves once the change set is durable. It is in the index, in the journal's queue and awaits its files before anything else happens. */
  async #submit(project: Project, { changes, service, revisions, body, charge }: Composed): Promise<void> {
    if (changes.length === 0 && service.length === 0) {
      const { committer } = this.#parts;
      await committer.rest(committer.durable(project.id));
      return;
    }
    const undo = (): void => this.#undo(project, changes, service, revisions, body.directory !== undefined);
    const { appended: before } = this.#parts.committer;
    const durable = this.#append(project, body, undo);
    const { position, appended } = this.#parts.committer;
    charge?.(appended - before);
    for (const change of changes) this.#awaitFile(project, change, position);
    for (const revision of revisions) project.history.add(revision, false, position);
    this.#parts.changed();
    await durable;
  }

  /** The record's file, and that of a record that something begins to refer to and whose id is not written down yet. */
  #awaitFile(project: Project, { collection, id, from, to }: Change, position: number): void {
    project.await(id, collection, position);
    const spec = this.#parts.collections.get(collection);
    if (spec?.bytes !== undefined && to !== undefined) this.#parts.recordFiles.await(project, spec, to);
    for (const { to: target } of to?.links ?? []) {
      if (from?.links?.some((link) => link.to === target) === true) continue;
      const file = project.files.served(target);
      if (file !== undefined && !file.saysId && file.unreadable === undefined)
        project.await(target, file.collection, position, true);
    }
  }

  #append(project: Project, body: EntryBody, undo: () => void): Promise<void> {
    const id = this.#entryId(body);
    const previous = project.lastEntry;
    project.lastEntry = id;
    project.seq++;
    return this.#parts.committer.submit(project.id, id, previous, body, undo);
  }

  #undo(
    project: Project,
    changes: readonly Change[],
    service: readonly Change[],
    revisions: readonly Revision[],
    created: boolean,
  ): void {
    for (const change of changes.toReversed()) project.index.apply(inverse(change));
    for (const change of service.toReversed()) this.#parts.service.apply(inverse(change));
    for (const { id } of revisions) project.history.undo(id);
    if (created) this.#parts.remove(project);
  }

  /** For ids of a change that may be interrupted by others. */
  #idsFor(changes: number, at: string): IdSource {
    const { ids } = this.#parts;
    return changes < interruptedChanges ? ids : ids.block(Date.parse(at));
  }

  /** Of the time that the revision bears: revisions of one millisecond ascend in the order of making. */
  #revisionId({ code }: Project, at: string, ids: IdSource): string {
    return ids.next('revision', code, Date.parse(at));
  }

  #revision(
    project: Project,
    change: Change,
    at: string,
    { author, session, severed, belongings, ids }: Transaction,
  ): Revision | undefined {
    const collection = this.#parts.collections.get(change.collection);
    const occasion = (): Occasion => ({ id: this.#revisionId(project, at, ids), at, author, session });
    const { id } = change;
    return collection && revisionOf(collection, change, severed.get(id) ?? [], occasion, belongings.get(id));
  }

  #diskRevision(project: Project, change: Change, at: string, ids: IdSource): Revision | undefined {
    const collection = this.#parts.collections.get(change.collection);
    if (collection === undefined) return undefined;
    const incoming = change.to === undefined ? project.index.incoming(change.id) : [];
    const revision = revisionOf(collection, change, incoming, () => ({
      id: this.#revisionId(project, at, ids),
      at,
      author: 'file',
    }));
    if (revision === undefined || !project.history.names(change.id, revision.after)) return revision;
    // A state that an arriving history entry names has its revision already; what was there before may have lost to it in a merge.
    const known = change.to === undefined || project.history.remembers(change.id, revision.before);
    return known ? undefined : revision;
  }

  #lostRevision(
    project: Project,
    { collection, id, fields, before, after, reason }: Lost,
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
    const remedy = `POST /api/v1/revisions/${revision.id}/restore brings the other value back.`;
    project.note({
      at,
      path: project.shownPath(path),
      kind: 'overridden',
      id,
      reason: `A change of ${fields.join(', ') || id} gave way: ${reason}.`,
      remedy,
    });
    return revision;
  }

  /** Of the transaction's time, as its records' ids: an id of a later moment would begin a new order, below ids given before. */
  #entryId({ at }: EntryBody): string {
    return this.#parts.ids.next('event', '000000', Date.parse(at));
  }
}
