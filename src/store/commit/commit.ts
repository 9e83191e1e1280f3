import type { Clock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import type { IdSource } from '../../base/ids.ts';
import type { Collection } from '../record/collection.ts';
import type { DurabilityTracker, NextEntry } from './durability-tracker.ts';
import { type EntryBody, type EntryChange, toEntryChange, weightOfChange } from '../record/entry.ts';
import { besideOf, type EntryParts, serviceBody, withImported } from './entry-parts.ts';
import type { Exclusive } from './exclusive.ts';
import type { Append, StoredText } from '../record/log.ts';
import { describeAhead, describeAlike } from '../replica/described-ahead.ts';
import type { LogTail } from '../replica/log-tail.ts';
import { type Fetched, type LookUps, Needed } from '../record/look-ups.ts';
import type { Replica } from '../replica/replica.ts';
import type { DescribeEntry } from '../record/feed.ts';
import { referenceTo } from '../record/revision-reference.ts';
import type { Change, Revision } from '../record/record.ts';
import { type RevisionOrigin, revisionOf } from '../replica/revise.ts';
import type { ServiceRecords } from '../replica/service-records.ts';
import { eachInSteps, inSlices, mapInSteps, type Steps } from '../../base/slices.ts';
import type { ChangeMeta } from '../record/status.ts';
import { contended, contendedMsMax, Superseded } from './superseded.ts';
import {
  type ChangeSet,
  type TransactionContext,
  entryId,
  inverse,
  serviceTransaction,
  Transaction,
} from '../replica/transaction.ts';
import type { Versions } from '../replica/versions.ts';
import { TransactionTime } from '../record/transaction-time.ts';
import type { ServiceTx } from '../record/read-transaction.ts';

/** A project whose changes are committed. */
export interface Committed {
  readonly replica: Replica;
  /** Held while a change is applied in slices, and while the replica catches up. */
  readonly exclusive: Exclusive;
}

/** The steps of a kind of store besides the index and the log. */
export interface CommitHooks<P> {
  /** Throws if the store cannot keep the record: the log never contains unreadable records. */
  readonly requireStorable: (project: P, change: Change) => void;
  /** The change set is in the index and in the queue of the log. */
  readonly onSubmitted: (project: P, changes: readonly Change[], revisions: readonly Revision[]) => void;
  /** Called after the change set was taken back. */
  readonly onUndone: (project: P, revisions: readonly Revision[]) => void;
  readonly add: (project: P) => void;
  readonly remove: (project: P) => void;
  /**
   * Throws if the code of a new project is taken by now. Its changes to the service's log, if projects are listed
   * there, are an entry that is appended together with the project's first.
   */
  readonly list: (project: P, directory: string, ofService: ServiceTx) => void;
  /** Takes parts that are too large out of an entry of the project. Absent if entries have everything. */
  readonly lighten?: (project: P) => Lightener;
  /** The data that is stored with an entry of the project that has these changes, revisions and large texts. */
  readonly beside?: (
    project: P,
    changes: readonly Change[],
    revisions: readonly Revision[],
    texts: readonly StoredText[],
  ) => Append['beside'];
  /** The data that is stored with the entry that deletes a project. */
  readonly besideDeletion?: Append['beside'];
  /** Called once the project's deletion is durable: its files can be removed. */
  readonly onDropped: (project: P) => Promise<void>;
}

/** Makes the entry's form of each change in turn, and collects the parts that are stored with the entry. */
export interface Lightener {
  /** The texts that were taken out so far. */
  readonly texts: readonly StoredText[];
  change(entry: EntryChange, change: Change): EntryChange;
  revision(revision: Revision): Revision;
}

type CatchUp<P> = (project: P | undefined) => Promise<void>;

export interface CommitDeps<P extends Committed> {
  readonly durability: DurabilityTracker;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly service: ServiceRecords;
  /** The end of the service's own log. */
  readonly serviceTail: LogTail;
  readonly lookUps: LookUps;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly contextOf: (project: P) => TransactionContext;
  readonly hooks: CommitHooks<P>;
  /**
   * Applies the entries of other processes in the log of the service, and of a project, at least those acknowledged
   * before the call. Absent if no other process appends.
   */
  readonly catchUp?: CatchUp<P>;
  /** Derives the events of large changes ahead, in slices. Absent if there is no feed. */
  readonly describe?: DescribeEntry | undefined;
  /** Called when a rule runs again. */
  readonly onRerun?: () => void;
}

/** A change that is applied, and that is acknowledged once it is durable. */
interface Applied<T> {
  readonly result: T;
  /** Rejects with `unavailable` if the change was rolled back since the journal failed. */
  readonly durable: Promise<void>;
  /** The rule changed nothing: its result is a read. */
  readonly isUnchanged?: boolean;
}

/** The entry that lists a new project. */
interface ListedTogether {
  readonly entry: NextEntry;
  rollback(): void;
}

/** How one attempt ended. The rule was refused by state that is durable, or ran on state that was taken back. */
type AttemptOutcome<T> =
  | { readonly is: 'done' | 'unchanged'; readonly result: T }
  | { readonly is: 'refused' | 'superseded'; readonly why: unknown };

/** A change set with its revisions and its journal entry. */
interface Composed extends ChangeSet {
  readonly revisions: readonly Revision[];
  /** The revisions as they are stored with the entry, with the large texts of both. */
  readonly stored: { readonly revisions: readonly Revision[]; readonly texts: readonly StoredText[] };
  readonly body: EntryBody;
  readonly charge: ChangeMeta['charge'];
  /** The entry's id, if the rule changed or touched a record of the project, even if it changed it back. */
  readonly entry: string | undefined;
  readonly order: number;
  readonly hasTouched: boolean;
}

/** The time after an entry lost its place in which changes first ask for the entries of others. */
const contestedMs = 1000;

/** The basis of an attempt to change something. */
interface Basis<P> {
  /** Undefined for the service's own records. */
  readonly project: P | undefined;
  /** Resolves once the state that a refusal can depend on is durable; undefined if it is now. */
  readonly whenDurable: () => Promise<boolean> | undefined;
  readonly isNew?: boolean;
}

/**
 * Commits transactions: runs the rule, composes the change set, appends it to the log, and resolves when it is durable.
 * Over a log that others append to, too, the rule runs again if their entries came first.
 */
export class Commit<P extends Committed> {
  readonly #deps: CommitDeps<P>;
  readonly #time: TransactionTime;
  readonly #catchingUp = new Map<object, Promise<void>>();
  /** When the last entry lost its place to an entry of another node, by the monotonic clock. */
  readonly #lostAt = new WeakMap<object, number>();

  constructor(deps: CommitDeps<P>) {
    this.#deps = deps;
    this.#time = new TransactionTime(deps.clock);
  }

  /** Gives following changes later times than an entry of an earlier opening, or of another node. */
  continueAfter(at: string): void {
    this.#time.continueAfter(at);
  }

  /** The time of a change that is made now (ISO). */
  now(): string {
    return this.#time.now();
  }

  /** Throws `Needed` if the rule looks up data that is neither in memory nor fetched: the rule then runs again. */
  run<T>(project: P, meta: ChangeMeta, fn: (tx: Transaction) => T, fetched?: Fetched): Promise<T> {
    return this.#attempted(this.#basisOf(project), () => this.#apply(project, meta, fn, {}, fetched));
  }

  /**
   * A new project is listed while its first entry is being appended, and removed from the list if that fails.
   * `directory`: its name for files.
   */
  create<T>(project: P, directory: string, meta: ChangeMeta, fn: (tx: Transaction) => T): Promise<T> {
    return this.#attempted(this.#basisOfNew(project), () => this.#apply(project, meta, fn, { directory }));
  }

  /**
   * Runs a long rule: the rule and the composition run in slices. Reads and other changes of the project wait until
   * both are complete, so that they never read a partial change. Without `fetched`, look-ups block if they can.
   */
  runSliced<T>(project: P, meta: ChangeMeta, rule: (tx: Transaction) => Steps<T>, fetched?: Fetched): Promise<T> {
    return this.#attempted(this.#basisOf(project), () =>
      project.exclusive.run(() => this.#sliced(project, meta, rule, {}, fetched)),
    );
  }

  /** Creates a project by a long rule, which is not visible before it is complete. */
  createSliced<T>(project: P, directory: string, meta: ChangeMeta, rule: (tx: Transaction) => Steps<T>): Promise<T> {
    return this.#attempted(this.#basisOfNew(project), () => this.#sliced(project, meta, rule, { directory }));
  }

  /**
   * `beside` changes the service's own records with the deletion, at its time. Changes of the service's log are an
   * entry of it, which is appended together with the project's last entry. Later changes of other projects have later
   * times: the events of all are in the order of time.
   */
  async drop(
    project: P,
    meta: ChangeMeta,
    beside: (ofProject: ServiceTx, ofService: ServiceTx, at: string) => void,
  ): Promise<void> {
    await this.#attempted(this.#basisOf(project), () => ({
      result: undefined,
      durable: this.#drop(project, meta, beside),
    }));
    await this.#deps.hooks.onDropped(project);
  }

  #drop(
    project: P,
    meta: ChangeMeta,
    beside: (ofProject: ServiceTx, ofService: ServiceTx, at: string) => void,
  ): Promise<void> {
    const { durability, ids, serviceTail, service: records, hooks } = this.#deps;
    const [ofProject, ofService] = [serviceTransaction(records, 'project'), serviceTransaction(records, 'service')];
    const rollback = (): void => {
      ofService.rollback();
      ofProject.rollback();
    };
    const at = this.#time.now();
    try {
      beside(ofProject.tx, ofService.tx, at);
    } catch (error) {
      rollback();
      throw error;
    }
    this.#time.continueAfter(at);
    const service =
      ofProject.done.length === 0 ? {} : { service: ofProject.done.map((change) => toEntryChange(change)) };
    const body: EntryBody = { at, ...meta, dropped: true, changes: [], revisions: [], ...service };
    const answers = [...ofProject.answers, ...ofService.answers];
    const next = { tail: project.replica.tail, id: entryId(ids, at), body, ...besideOf(hooks.besideDeletion, answers) };
    const undo = (): void => {
      rollback();
      hooks.add(project);
    };
    hooks.remove(project);
    const { done } = ofService;
    if (done.length === 0) return durability.submit(next, undo);
    const besideIt = { tail: serviceTail, id: entryId(ids, at), body: serviceBody(at, meta, done) };
    return durability.submitTogether(next, besideIt, undo);
  }

  /** Appends an entry without changes to the service's log. */
  appendEmpty(meta: ChangeMeta): Promise<void> {
    const { durability, ids, serviceTail: tail } = this.#deps;
    const at = this.#time.now();
    const body: EntryBody = { at, ...meta, changes: [], revisions: [] };
    return durability.submit({ tail, id: entryId(ids, at), body }, () => undefined);
  }

  /** Changes the service's own records. */
  service<T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T): Promise<T> {
    const { durability } = this.#deps;
    // A refusal may depend on which projects exist, too.
    const basis = { project: undefined, whenDurable: () => durability.whenAllDurable() };
    return this.#attempted(basis, () => this.#applyService(meta, fn));
  }

  #applyService<T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T): Applied<T> {
    const { durability, service, serviceTail: tail, ids } = this.#deps;
    const transaction = serviceTransaction(service, 'service');
    let result: T;
    try {
      result = fn(transaction.tx);
    } catch (error) {
      transaction.rollback();
      throw error;
    }
    const { done, answers } = transaction;
    if (done.length === 0 && answers.length === 0)
      return { result, durable: durability.awaitDurable(durability.whenServiceDurable()), isUnchanged: true };
    const body = serviceBody(this.#time.now(), meta, done);
    const next = { tail, id: entryId(ids, body.at), body, ...besideOf(undefined, answers) };
    return { result, durable: durability.submit(next, () => transaction.rollback()) };
  }

  #basisOf(project: P): Basis<P> {
    return { project, whenDurable: () => this.#deps.durability.whenDurable(project.replica.project) };
  }

  /** A refusal to create a project depends on the service's records. */
  #basisOfNew(project: P): Basis<P> {
    return { project, isNew: true, whenDurable: () => this.#deps.durability.whenServiceDurable() };
  }

  /**
   * Makes an attempt until it is durable, or refused by a rule that ran on all changes acknowledged before the call. An
   * attempt runs again if its entry conflicts with an entry of another node, if its basis was taken back, or if it was
   * refused, or changed nothing, before this node had those entries.
   */
  async #attempted<T>(basis: Basis<P>, attempt: () => Applied<T> | Promise<Applied<T>>): Promise<T> {
    const { durability, catchUp, clock } = this.#deps;
    let giveUpAt: number | undefined;
    const catchingUp = catchUp && this.#whenCaughtUp(basis, catchUp);
    if (catchingUp !== undefined) await catchingUp;
    for (let isCurrent = catchUp === undefined; ;) {
      durability.throwIfFailed();
      const before = isCurrent ? 0 : this.#entriesOfOthers(basis);
      const outcome = await this.#outcomeOf(basis, attempt);
      if (outcome.is === 'done') return outcome.result;
      const of = basis.isNew === true ? undefined : basis.project;
      if (outcome.is === 'superseded') {
        this.#lostAt.set(of ?? this.#deps.serviceTail, clock.monotonic());
        if (catchUp !== undefined) await this.#caughtUp(of, catchUp);
      } else if (isCurrent) return settled(outcome);
      else {
        await catchUp?.(of);
        isCurrent = true;
        if (this.#entriesOfOthers(basis) === before) return settled(outcome);
      }
      this.#deps.onRerun?.();
      giveUpAt ??= clock.monotonic() + contendedMsMax;
      if (clock.monotonic() >= giveUpAt) throw contended();
      while (basis.project?.exclusive.held !== undefined) await basis.project.exclusive.held;
    }
  }

  /** Makes one attempt. Throws errors that are no answer of the rule. */
  async #outcomeOf<T>(
    { whenDurable }: Basis<P>,
    attempt: () => Applied<T> | Promise<Applied<T>>,
  ): Promise<AttemptOutcome<T>> {
    let applied: Applied<T> | undefined;
    try {
      const begun = attempt();
      applied = begun instanceof Promise ? await begun : begun;
      await applied.durable;
      return { is: applied.isUnchanged === true ? 'unchanged' : 'done', result: applied.result };
    } catch (error) {
      if (error instanceof Superseded) return { is: 'superseded', why: error };
      if (error instanceof Needed || applied !== undefined) throw error;
      // A refusal is a read: it is answered once the state that it depends on is durable.
      const isDurable = await this.#deps.durability.becomesDurable(whenDurable());
      return isDurable ? { is: 'refused', why: error } : { is: 'superseded', why: error };
    }
  }

  /** Changes that were taken back together catch up together: one answer of the log serves all of them. */
  #caughtUp(project: P | undefined, catchUp: CatchUp<P>): Promise<void> {
    const key = project ?? this.#deps.serviceTail;
    let running = this.#catchingUp.get(key);
    if (running === undefined) {
      running = catchUp(project).finally(() => this.#catchingUp.delete(key));
      this.#catchingUp.set(key, running);
    }
    return running;
  }

  /**
   * Resolves when changes that were taken back have caught up, or the given project has, if others append to it;
   * undefined if no wait is needed. An attempt before that would be in vain, and the entries of others could not be
   * applied until it was decided. Throws `unavailable`.
   */
  #whenCaughtUp({ project, isNew }: Basis<P>, catchUp: CatchUp<P>): Promise<void> | undefined {
    const { serviceTail } = this.#deps;
    if (isNew === true) return undefined;
    const running = this.#catchingUp.get(project ?? serviceTail);
    const caughtUp = running ?? (this.#isContested(project) ? this.#caughtUp(project, catchUp) : undefined);
    return caughtUp?.catch(unlessUnavailable);
  }

  /** Returns whether others append to the project at this time, and no append of this node is in progress. */
  #isContested(project: P | undefined): boolean {
    const { clock, serviceTail } = this.#deps;
    const lostAt = this.#lostAt.get(project ?? serviceTail);
    if (lostAt === undefined || (project?.replica.tail ?? serviceTail).isSpeculative) return false;
    return clock.monotonic() < lostAt + contestedMs;
  }

  /** The number of other nodes' entries that are applied to the basis of an attempt. */
  #entriesOfOthers({ project, isNew }: Pick<Basis<P>, 'project' | 'isNew'>): number {
    const ofProject = isNew === true ? 0 : (project?.replica.tail.entriesOfOthers ?? 0);
    return this.#deps.serviceTail.entriesOfOthers + ofProject;
  }

  #apply<T>(
    project: P,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
    more: Pick<EntryBody, 'directory'>,
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
    return { result: executed.result, ...this.#submit(project, executed.composed) };
  }

  /** Runs a rule and composes its change set in slices; the rest happens in the same turn. */
  async #sliced<T>(
    project: P,
    meta: ChangeMeta,
    rule: (tx: Transaction) => Steps<T>,
    more: Pick<EntryBody, 'directory'>,
    fetched?: Fetched,
  ): Promise<Applied<T>> {
    const { durability, ids, contextOf, lookUps } = this.#deps;
    const at = this.#time.now();
    const tx = new Transaction({ ...contextOf(project), ids: ids.block(Date.parse(at)) }, at, meta);
    const unfinished = durability.begin(project.replica.project, () => tx.rollback());
    const steps = this.#executeSliced(project, at, tx, meta, rule, more);
    let executed;
    try {
      executed = await inSlices('commit', fetched === undefined ? steps : lookUps.withinSteps(fetched, steps), {
        project: project.replica.project,
        check: () => unfinished.check(),
      });
      durability.throwIfFailed();
    } catch (error) {
      // If it was rolled back with those before it, nothing is left to be undone.
      await inSlices('commit', tx.rollbackInSteps(), { project: project.replica.project });
      unfinished.end();
      throw error;
    }
    unfinished.end();
    return { result: executed.result, ...this.#submit(project, executed.composed) };
  }

  *#executeSliced<T>(
    project: P,
    at: string,
    tx: Transaction,
    meta: ChangeMeta,
    rule: (tx: Transaction) => Steps<T>,
    more: Pick<EntryBody, 'directory'>,
  ): Steps<{ result: T; composed: Composed }> {
    const { versions } = project.replica.index;
    const result = yield* rule(tx);
    const changeSet = yield* tx.changeSetInSteps();
    yield* eachInSteps(changeSet.changes, (change) => this.#requireValid(project, change), weightOfChange);
    const made = yield* mapInSteps(
      changeSet.changes,
      (change) => this.#revision(project, change, at, tx),
      weightOfChange,
    );
    const revisions = withImported(tx, made);
    const lighter = this.#deps.hooks.lighten?.(project);
    const changes = yield* mapInSteps(changeSet.changes, (change) => entryChange(change, lighter), weightOfChange);
    const light = lighter && (yield* mapInSteps(revisions, (revision) => lighter.revision(revision)));
    const stored = { revisions: light ?? revisions, texts: lighter?.texts ?? [] };
    // Versions have a change set only if the rule changed or touched a record of the project.
    const touched = tx.entry === undefined ? undefined : yield* versions.touchedInSteps(changeSet.changes);
    const parts = { at, meta, more, revisions, stored, changes, touched };
    const composed = this.#composed(project, tx, changeSet, parts);
    if (this.#deps.describe !== undefined) yield* describeAhead(this.#deps.describe, composed.body);
    return { result, composed };
  }

  #execute<T>(
    project: P,
    at: string,
    tx: Transaction,
    meta: ChangeMeta,
    fn: (tx: Transaction) => T,
    more: Pick<EntryBody, 'directory'>,
  ): { result: T; composed: Composed } {
    const result = fn(tx);
    if (result instanceof Promise)
      throw new Error('A transaction runs synchronously: its function must not return a promise.');
    const changeSet = tx.changeSet();
    for (const change of changeSet.changes) this.#requireValid(project, change);
    const lighter = this.#deps.hooks.lighten?.(project);
    const changes: EntryChange[] = [];
    const revisions = [...tx.importedRevisions];
    for (const change of changeSet.changes) {
      const revision = this.#revision(project, change, at, tx);
      if (revision !== undefined) revisions.push(revision);
      changes.push(entryChange(change, lighter));
    }
    const light = lighter && revisions.map((revision) => lighter.revision(revision));
    const stored = { revisions: light ?? revisions, texts: lighter?.texts ?? [] };
    const { versions } = project.replica.index;
    const touched = tx.entry === undefined ? undefined : versions.touched(changeSet.changes);
    const parts = { at, meta, more, revisions, stored, changes, touched };
    return { result, composed: this.#composed(project, tx, changeSet, parts) };
  }

  /**
   * Validates records before they enter the journal as they are validated when read from disk: the journal never
   * contains a record that could not be read back.
   */
  #requireValid(project: P, change: Change): void {
    const { collection, id, to } = change;
    const spec = this.#deps.collections.get(collection);
    if (to === undefined || spec === undefined) return;
    this.#deps.hooks.requireStorable(project, change);
    const [violation] = spec.validate(to);
    if (violation !== undefined)
      throw new Error(`The rules made an invalid ${collection} ${id}: ${violation.field} ${violation.message}`);
  }

  /** Builds the journal entry of a transaction from its parts. */
  #composed(project: P, tx: Transaction, { changes, service, answers }: ChangeSet, parts: EntryParts): Composed {
    const { at, meta, more, revisions, stored, touched } = parts;
    const serviceChanges = service.length === 0 ? {} : { service: service.map((change) => toEntryChange(change)) };
    const { charge, ...origin } = meta;
    const { entry, order, hasTouched } = tx;
    const body: EntryBody = {
      at,
      ...origin,
      ...more,
      changes: parts.changes,
      revisions,
      ...(touched && { touched }),
      ...(entry === undefined ? {} : ofTransitions(project.replica.index.versions)),
      ...serviceChanges,
    };
    return { changes, service, answers, revisions, stored, body, charge, entry, order, hasTouched };
  }

  /**
   * Resolves once the change set is durable. Before it returns to the event loop, the change set is in the index and in
   * the log's queue.
   */
  #submit(project: P, set: Composed): Pick<Applied<unknown>, 'durable' | 'isUnchanged'> {
    const { changes, service, answers, revisions, stored, body, charge, entry, order } = set;
    const { durability, ids, hooks } = this.#deps;
    const { versions } = project.replica.index;
    if (changes.length === 0 && service.length === 0 && answers.length === 0 && !set.hasTouched) {
      // Records that were changed and changed back.
      if (entry !== undefined) versions.rewind(order);
      return { durable: durability.awaitDurable(durability.whenDurable(project.replica.project)), isUnchanged: true };
    }
    const listed = body.directory === undefined ? undefined : this.#list(project, body.directory, set);
    const undoHistory = revisions.length === 0 ? undefined : versions.addedRevisions();
    const undo = (): void => {
      listed?.rollback();
      this.#undo(project, set);
      undoHistory?.();
    };
    const before = charge && durability.appended;
    const beside = besideOf(hooks.beside?.(project, changes, stored.revisions, stored.texts), answers);
    const [tail, id] = [project.replica.tail, entry ?? entryId(ids, body.at)];
    const light = beside.beside?.revisions && { ...body, revisions: revisions.map(referenceTo) };
    if (light !== undefined) describeAlike(body, light);
    const next = { tail, id, body: light ?? body, ...beside };
    const durable =
      listed === undefined ? durability.submit(next, undo) : durability.submitTogether(next, listed.entry, undo);
    if (before !== undefined) charge?.(durability.appended - before);
    hooks.onSubmitted(project, changes, revisions);
    return { durable };
  }

  /** Adds a new project; returns the entry of the service's log that lists it, if there is one. */
  #list(project: P, directory: string, set: Composed): ListedTogether | undefined {
    const { hooks, service, serviceTail: tail, ids } = this.#deps;
    const { at, author, source } = set.body;
    const ofService = serviceTransaction(service, 'service');
    try {
      hooks.list(project, directory, ofService.tx);
    } catch (error) {
      ofService.rollback();
      this.#rollBackComposed(project, set);
      throw error;
    }
    hooks.add(project);
    if (ofService.done.length === 0) return undefined;
    return {
      entry: { tail, id: entryId(ids, at), body: serviceBody(at, { author, source }, ofService.done) },
      rollback: () => ofService.rollback(),
    };
  }

  /** Appends an entry whose changes are in the index. */
  append(project: P, id: string, body: EntryBody, undo: () => void): Promise<void> {
    return this.#deps.durability.submit({ tail: project.replica.tail, id, body }, undo);
  }

  #undo(project: P, set: Composed): void {
    const { hooks } = this.#deps;
    const { revisions, body } = set;
    this.#rollBackComposed(project, set);
    hooks.onUndone(project, revisions);
    if (body.directory !== undefined) hooks.remove(project);
  }

  #rollBackComposed(project: P, { changes, service, entry, order }: Composed): void {
    const { index } = project.replica;
    if (entry !== undefined)
      index.versions.undo(order, () => {
        for (const change of changes.toReversed()) index.apply(inverse(change));
      });
    for (const change of service.toReversed()) this.#deps.service.apply(inverse(change));
  }

  #revision(project: P, change: Change, at: string, tx: Transaction): Revision | undefined {
    if (tx.importsHistoryOf(change.id)) return undefined;
    const { author, session, removedLinks, belongings, ids } = tx;
    const collection = this.#deps.collections.get(change.collection);
    const { code } = project.replica;
    const occasion = (): RevisionOrigin => ({ id: revisionId(ids, code, at), at, author, session });
    const { id } = change;
    return collection && revisionOf(collection, change, removedLinks.get(id) ?? [], occasion, belongings.get(id));
  }
}

/** The entry's form of a change. */
function entryChange(change: Change, lighter: Lightener | undefined): EntryChange {
  const whole = toEntryChange(change);
  return lighter === undefined ? whole : lighter.change(whole, change);
}

/** Uses the revision's own time: revisions of one millisecond ascend in the order of creation. */
export function revisionId(ids: IdSource, code: string, at: string): string {
  return ids.next('revision', code, Date.parse(at));
}

export function ofTransitions(versions: Versions): Pick<EntryBody, 'transitions'> {
  const transitions = versions.transitions();
  return transitions === undefined ? {} : { transitions };
}

/** The attempt finds any other reason that keeps a project from catching up. */
function unlessUnavailable(error: unknown): void {
  if (error instanceof PlannerError && error.code === 'unavailable') throw error;
}

/** The result for the caller. */
function settled<T>(outcome: Exclude<AttemptOutcome<T>, { readonly is: 'done' }>): T {
  if ('why' in outcome) throw outcome.why as Error;
  return outcome.result;
}
