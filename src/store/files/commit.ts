import { invalid } from '../../errors.ts';
import type { Collection } from '../record/collection.ts';
import { type EntryBody, type EntryChange, toEntryChange } from '../record/entry.ts';
import type { LogTail } from '../index/log-tail.ts';
import { requireFits } from './checkpoint/fits-file.ts';
import type { Project } from './project/project.ts';
import { type Fetched, Needed } from '../record/look-ups.ts';
import { type Change, membersOf, type Revision, type StoredRecord } from '../record/record.ts';
import { revisionId } from './opening/edit-commit.ts';
import type { StoreDeps } from './opening/store-deps.ts';
import { revisionOf } from '../index/revise.ts';
import type { RevisionOrigin } from '../index/revise.ts';
import { atOnce, eachInSteps, inSlices, mapInSteps, type Steps } from '../../slices.ts';
import type { ChangeMeta } from '../record/status.ts';
import { type ChangeSet, entryId, inverse, Transaction, type serviceTransaction } from '../index/transaction.ts';
import type { ServiceTx } from '../record/read-transaction.ts';

/** The components that commits need. */
type CommitEngine = Pick<
  StoreDeps,
  | 'options'
  | 'durability'
  | 'collections'
  | 'service'
  | 'attachmentFiles'
  | 'lookUps'
  | 'contexts'
  | 'time'
  | 'adoption'
  | 'trashProject'
> & {
  /** The end of the service's own log. */
  readonly serviceTail: LogTail;
};

/** A change that is applied, and that is acknowledged once it is durable. */
export interface Applied<T> {
  readonly result: T;
  /** Rejects with `unavailable` if the change was rolled back since the journal failed. */
  readonly durable: Promise<void>;
}

const checkpoint = { kind: 'checkpoint' } as const;

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

/** What a rule returned, and its change set. */
interface Executed<T> {
  readonly result: T;
  readonly composed: Composed;
}

/**
 * Commits transactions: runs the rule, composes the change set, appends it to the journal, and resolves when it is
 * durable.
 */
export class Commit {
  readonly #engine: CommitEngine;

  constructor(engine: CommitEngine) {
    this.#engine = engine;
  }

  /** Throws `Needed` if the rule looks up what is neither in memory nor fetched: then it is to be run again. */
  run<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T, fetched?: Fetched): Promise<T> {
    return this.#durably(project, meta, fn, {}, fetched);
  }

  /** Runs the rule and appends its changes within this turn. If it throws, or needs a look-up, its changes are rolled back. */
  apply<T>(project: Project, meta: ChangeMeta, fn: (tx: Transaction) => T): Applied<T> {
    this.#engine.durability.throwIfFailed();
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
    const { result, durable } = await project.queue.run(() => this.#sliced(project, meta, rule, {}));
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
    const { durability, serviceTail } = this.#engine;
    const { ids } = this.#engine.options;
    durability.throwIfFailed();
    const at = this.#engine.time.now();
    const service =
      ofProject.done.length === 0 ? {} : { service: ofProject.done.map((change) => toEntryChange(change)) };
    const body: EntryBody = { at, ...meta, dropped: true, changes: [], revisions: [], ...service };
    const append = project.replica.tail.next(entryId(ids, at), body);
    const undo = (): void => {
      ofService.rollback();
      ofProject.rollback();
      this.#engine.adoption.add(project);
    };
    this.#engine.adoption.remove(project);
    const { done } = ofService;
    await (done.length === 0
      ? durability.submit(append, undo)
      : durability.submitTogether(append, serviceTail.next(entryId(ids, at), serviceBody(at, meta, done)), undo));
    await this.#engine.trashProject(project);
  }

  /** Appends an entry without changes to the service's log. */
  appendEmpty(meta: ChangeMeta): Promise<void> {
    const at = this.#engine.time.now();
    const body: EntryBody = { at, ...meta, changes: [], revisions: [] };
    const append = this.#engine.serviceTail.next(entryId(this.#engine.options.ids, at), body);
    return this.#engine.durability.submit(append, () => undefined);
  }

  async service<T>(
    meta: ChangeMeta,
    transaction: ReturnType<typeof serviceTransaction>,
    fn: (tx: ServiceTx) => T,
  ): Promise<T> {
    const { durability } = this.#engine;
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
    const body = serviceBody(this.#engine.time.now(), meta, transaction.done);
    const append = this.#engine.serviceTail.next(entryId(this.#engine.options.ids, body.at), body);
    await durability.submit(append, () => transaction.rollback());
    return result;
  }

  /** `more`: additional members of the entry of a new project. */
  async #durably<T>(
    project: Project,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
    more: Partial<EntryBody>,
    fetched?: Fetched,
  ): Promise<T> {
    this.#engine.durability.throwIfFailed();
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
    const at = this.#engine.time.now();
    const tx = new Transaction(this.#engine.contexts.of(project), at, meta);
    let executed;
    try {
      executed = this.#engine.lookUps.within(fetched, () =>
        atOnce(this.#execute(project, at, tx, meta, inOneStep(fn), more)),
      );
    } catch (error) {
      tx.rollback();
      throw error;
    }
    return this.#submitted(project, more, executed);
  }

  /**
   * An error may depend on state that is not durable yet, so it is thrown only after that state is durable: a refusal is
   * a read, as is an answer that changed nothing (`#submit`). Over a shared log, both have to catch up here, too, and
   * run the rule again if there were entries.
   */
  #awaitDurableBeforeThrow(project: Project, { directory }: Partial<EntryBody>): Promise<void> {
    const { durability } = this.#engine;
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
    const { durability, options, contexts, time } = this.#engine;
    durability.throwIfFailed();
    const at = time.now();
    const tx = new Transaction({ ...contexts.of(project), ids: options.ids.block(Date.parse(at)) }, at, meta);
    const unfinished = durability.begin(project.id, () => tx.rollback());
    let executed;
    try {
      executed = await inSlices('commit', this.#execute(project, at, tx, meta, rule, more), {
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
    return this.#submitted(project, more, executed);
  }

  /** Runs a rule and composes its change set; the caller rolls back if this throws. */
  *#execute<T>(
    project: Project,
    at: string,
    tx: Transaction,
    meta: ChangeMeta,
    rule: (tx: Transaction) => Steps<T>,
    more: Partial<EntryBody>,
  ): Steps<Executed<T>> {
    const result = yield* rule(tx);
    if (result instanceof Promise)
      throw new Error('A transaction runs synchronously: its function must not return a promise.');
    const changeSet = yield* tx.changeSet();
    yield* eachInSteps(changeSet.changes, (change) => this.#requireValid(project, change));
    const revisions = yield* mapInSteps(changeSet.changes, (change) => this.#revision(project, change, at, tx));
    const changes = yield* mapInSteps(changeSet.changes, (change) => toEntryChange(change));
    return { result, composed: this.#composed(project, tx, changeSet, { at, meta, more, revisions, changes }) };
  }

  #submitted<T>(project: Project, { directory }: Partial<EntryBody>, { result, composed }: Executed<T>): Applied<T> {
    if (directory !== undefined) this.#engine.adoption.add(project);
    return { result, durable: this.#submit(project, composed) };
  }

  /**
   * Validates records before they enter the journal as they are validated when read from disk: the journal never
   * contains a record that could not be read back.
   */
  #requireValid(project: Project, { collection, id, from, to }: Change): void {
    const spec = this.#engine.collections.get(collection);
    if (to === undefined || spec === undefined) return;
    requireFits(spec, project.code, to);
    if (spec.bytes !== undefined && from === undefined) this.#requireBytes(project, spec, to);
    const [violation] = spec.validate(to);
    if (violation !== undefined)
      throw new Error(`The rules made an invalid ${collection} ${id}: ${violation.field} ${violation.message}`);
  }

  /** A record is never acknowledged without the bytes that it references. */
  #requireBytes(project: Project, spec: Collection, to: StoredRecord): void {
    if (this.#engine.attachmentFiles.isStored(project, spec, to)) return;
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
    const transitions = versions.transitions();
    const { charge, ...origin } = meta;
    const body: EntryBody = {
      at,
      ...origin,
      ...more,
      changes: parts.changes,
      revisions,
      ...(touched && { touched }),
      ...(transitions && { transitions }),
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
      const { durability } = this.#engine;
      // Records that were changed and changed back.
      if (entry !== undefined) versions.rewind(order);
      return durability.awaitDurable(durability.whenDurable(project.id));
    }
    const undoHistory = revisions.length === 0 ? undefined : versions.addedRevisions();
    const undo = (): void => {
      this.#undo(project, set);
      undoHistory?.();
    };
    const { appended: before } = this.#engine.durability;
    const durable = this.#append(project, entry ?? entryId(this.#engine.options.ids, body.at), body, undo);
    const { position, appended } = this.#engine.durability;
    charge?.(appended - before);
    for (const change of changes) this.#markDirty(project, change, position);
    for (const revision of revisions) project.history.add(revision, false, position);
    project.queue.add(checkpoint);
    return durable;
  }

  /** Marks the record's file dirty, and the file of each newly referenced record that does not contain its id yet. */
  #markDirty(project: Project, { collection, id, from, to }: Change, position: number): void {
    project.dirty.mark(id, collection, position);
    const spec = this.#engine.collections.get(collection);
    if (spec?.bytes !== undefined && to !== undefined) this.#engine.attachmentFiles.markPending(project, spec, to);
    for (const target of spec === undefined || to === undefined ? [] : newReferences(spec, from, to)) {
      const file = project.files.served(target);
      if (file !== undefined && !file.hasExplicitId && file.unreadable === undefined)
        project.dirty.mark(target, file.collection, position, true);
    }
  }

  #append(project: Project, id: string, body: EntryBody, undo: () => void): Promise<void> {
    return this.#engine.durability.submit(project.replica.tail.next(id, body), undo);
  }

  #undo(project: Project, { changes, service, revisions, body, entry, order }: Composed): void {
    if (entry !== undefined)
      project.index.versions.undo(order, () => {
        for (const change of changes.toReversed()) project.index.apply(inverse(change));
      });
    for (const change of service.toReversed()) this.#engine.service.apply(inverse(change));
    for (const { id } of revisions) project.history.undo(id);
    if (body.directory !== undefined) this.#engine.adoption.remove(project);
  }

  #revision(
    project: Project,
    change: Change,
    at: string,
    { author, session, removedLinks, belongings, ids }: Transaction,
  ): Revision | undefined {
    const collection = this.#engine.collections.get(change.collection);
    const occasion = (): RevisionOrigin => ({ id: revisionId(project, at, ids), at, author, session });
    const { id } = change;
    return collection && revisionOf(collection, change, removedLinks.get(id) ?? [], occasion, belongings.get(id));
  }
}

function inOneStep<T>(fn: (tx: Transaction) => T): (tx: Transaction) => Steps<T> {
  return function* (tx) {
    return fn(tx);
  };
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
