import { isoTime, type Clock } from '../clock.ts';
import { invalid } from '../errors.ts';
import type { IdSource } from '../ids.ts';
import type { Collection } from './collection.ts';
import { type Committer, serviceProject } from './committer.ts';
import { type EntryBody, toEntryChange } from './entry.ts';
import { requireFits } from './fits-file.ts';
import type { Outcome } from './reconcile.ts';
import type { Project } from './project.ts';
import type { Change, Revision, StoredRecord } from './record.ts';
import type { RecordFiles } from './record-files.ts';
import { revisionOf } from './revise.ts';
import type { Occasion } from './revise.ts';
import type { ServiceRecords } from './service-records.ts';
import type { Lost } from './settle.ts';
import type { ChangeMeta } from './status.ts';
import { type Ground, inverse, Transaction, type serviceTransaction } from './transaction.ts';
import type { ServiceTx } from './view.ts';

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

/** The commit recipe: run the rule, compose the change set, journal it, answer when it is durable. */
export class Commit {
  readonly #parts: CommitParts;
  #last = '';

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  async run<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T): Promise<T> {
    this.#parts.committer.refuseWhenFailed();
    const at = this.#now();
    let executed;
    try {
      executed = this.#execute(project, at, meta, fn);
    } catch (error) {
      // A refusal may rest on what is not durable yet: it must not be heard before that is.
      const { committer } = this.#parts;
      await committer.rest(committer.durable(project.id));
      throw error;
    }
    await this.#submit(project, executed.tx, at, meta, {});
    return executed.result;
  }

  /** A new project is in the list while its first entry is under way, and leaves it when that fails. */
  async create<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T): Promise<T> {
    this.#parts.committer.refuseWhenFailed();
    const at = this.#now();
    let executed;
    try {
      executed = this.#execute(project, at, meta, fn);
    } catch (error) {
      const { committer } = this.#parts;
      await committer.rest(committer.serviceDurable());
      throw error;
    }
    this.#parts.add(project);
    await this.#submit(project, executed.tx, at, meta, { directory: project.directory });
    return executed.result;
  }

  /** `transaction`: changes to the service's own records that belong to the deletion and ride in its entry. */
  async drop(project: Project, meta: ChangeMeta, transaction: ReturnType<typeof serviceTransaction>): Promise<void> {
    this.#parts.committer.refuseWhenFailed();
    const service = transaction.done.map((change) => toEntryChange(change));
    const rides = service.length === 0 ? {} : { service };
    const body: EntryBody = { at: this.#now(), ...meta, dropped: true, changes: [], revisions: [], ...rides };
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
    const body: EntryBody = { at: this.#now(), ...meta, changes: [], revisions: [], service: changes };
    await committer.submit(serviceProject, this.#entryId(), null, body, () => transaction.rollback());
    return result;
  }

  /** Applies what was found on disk as one transaction of source `disk`. Not awaited by anybody: readers wait for it like for any change. */
  disk(project: Project, outcome: Outcome): void {
    const { changes, theirs, lost } = outcome;
    const at = this.#now();
    const revisions = changes
      .map((change) => this.#diskRevision(project, change, at))
      .filter((revision) => revision !== undefined);
    for (const one of lost) revisions.push(this.#lostRevision(project, one, at));
    for (const change of changes) project.index.apply(change);
    if (changes.length === 0 && revisions.length === 0) return;
    const body: EntryBody = {
      at,
      author: 'file',
      source: 'disk',
      changes: changes.map((change) => toEntryChange(change, theirs.get(change.id))),
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
    const at = this.#now();
    for (const change of changes) {
      const revision = this.#diskRevision(project, change, at);
      if (revision !== undefined) project.history.add(revision, true, Infinity);
    }
    for (const one of lost) project.history.add(this.#lostRevision(project, one, at), true, Infinity);
  }

  #execute<T>(
    project: Project,
    at: string,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
  ): { tx: Transaction; result: T } {
    const tx = new Transaction(this.#parts.groundOf(project), at, meta);
    try {
      const result = fn(tx);
      if (result instanceof Promise)
        throw new Error('A transaction runs synchronously: its function must not return a promise.');
      this.#validate(project, tx);
      return { tx, result };
    } catch (error) {
      tx.rollback();
      throw error;
    }
  }

  /** Checked before the journal as after the disk: nothing that could not be read back gets in. */
  #validate(project: Project, tx: Transaction): void {
    for (const { collection, id, from, to } of tx.changeSet().changes) {
      const spec = this.#parts.collections.get(collection);
      if (to === undefined || spec === undefined) continue;
      requireFits(spec, project.code, to);
      if (spec.bytes !== undefined && from === undefined) this.#requireBytes(project, spec, to);
      const [violation] = spec.validate(to);
      if (violation !== undefined)
        throw new Error(`The rules made an invalid ${collection} ${id}: ${violation.field} ${violation.message}`);
    }
  }

  /** A record is never acknowledged without the bytes that it names. */
  #requireBytes(project: Project, spec: Collection, to: StoredRecord): void {
    if (this.#parts.recordFiles.areHere(project, spec, to)) return;
    throw invalid('content', `The bytes of the ${spec.name} ${to.id} are not here: send the content with it.`);
  }

  async #submit(
    project: Project,
    tx: Transaction,
    at: string,
    meta: ChangeMeta,
    more: Partial<EntryBody>,
  ): Promise<void> {
    const { changes, service } = tx.changeSet();
    if (changes.length === 0 && service.length === 0) {
      const { committer } = this.#parts;
      await committer.rest(committer.durable(project.id));
      return;
    }
    const made = changes
      .map((change) => this.#revision(project, change, at, tx))
      .filter((revision) => revision !== undefined);
    const revisions = [...tx.recalled, ...made];
    const rides = service.length === 0 ? {} : { service: service.map((change) => toEntryChange(change)) };
    const body: EntryBody = {
      at,
      ...meta,
      ...more,
      changes: changes.map((change) => toEntryChange(change)),
      revisions,
      ...rides,
    };
    const undo = (): void => this.#undo(project, changes, service, revisions, more.directory !== undefined);
    const durable = this.#append(project, body, undo);
    const { position } = this.#parts.committer;
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
    const id = this.#entryId();
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

  /** Of the time that the revision bears: revisions of one millisecond ascend in the order of making. */
  #revisionId({ code }: Project, at: string): string {
    return this.#parts.ids.next('revision', code, Date.parse(at));
  }

  #revision(
    project: Project,
    change: Change,
    at: string,
    { author, session, severed, belongings }: Transaction,
  ): Revision | undefined {
    const collection = this.#parts.collections.get(change.collection);
    const occasion = (): Occasion => ({ id: this.#revisionId(project, at), at, author, session });
    const { id } = change;
    return collection && revisionOf(collection, change, severed.get(id) ?? [], occasion, belongings.get(id));
  }

  #diskRevision(project: Project, change: Change, at: string): Revision | undefined {
    const collection = this.#parts.collections.get(change.collection);
    if (collection === undefined) return undefined;
    const incoming = change.to === undefined ? project.index.incoming(change.id) : [];
    const revision = revisionOf(collection, change, incoming, () => ({
      id: this.#revisionId(project, at),
      at,
      author: 'file',
    }));
    if (revision === undefined || !project.history.names(change.id, revision.after)) return revision;
    // A state that an arriving history entry names has its revision already; what was there before may have lost to it in a merge.
    const known = change.to === undefined || project.history.remembers(change.id, revision.before);
    return known ? undefined : revision;
  }

  #lostRevision(project: Project, { collection, id, fields, before, after, reason }: Lost, at: string): Revision {
    const revision: Revision = {
      at,
      id: this.#revisionId(project, at),
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

  /** Never earlier than the one before: a clock that steps back must not turn the order of records around. */
  #now(): string {
    const now = isoTime(this.#parts.clock.now());
    if (now > this.#last) this.#last = now;
    return this.#last;
  }

  #entryId(): string {
    return this.#parts.ids.next('event', '000000');
  }
}
