import { isoTime, systemClock } from '../../src/clock.ts';
import { notFound } from '../../src/errors.ts';
import { IdSource, newProjectCode, randomName } from '../../src/ids.ts';
import { CatchUp } from '../../src/store/commit/catch-up.ts';
import { Commit, type CommitHooks, type Committed } from '../../src/store/commit/commit.ts';
import { DurabilityTracker, serviceProject } from '../../src/store/commit/durability-tracker.ts';
import { Exclusive } from '../../src/store/commit/exclusive.ts';
import { LogTail } from '../../src/store/index/log-tail.ts';
import { ProjectIndex } from '../../src/store/index/project-index.ts';
import { Replica } from '../../src/store/index/replica.ts';
import type { RevisionIndex } from '../../src/store/index/revision-index.ts';
import { ServiceRecords, type ServiceCollectionSpec } from '../../src/store/index/service-records.ts';
import {
  ProjectReadTransaction,
  type Transaction,
  type TransactionContext,
  typedReadTransaction,
  typedTx,
} from '../../src/store/index/transaction.ts';
import type { Log } from '../../src/store/log.ts';
import type { Collection } from '../../src/store/record/collection.ts';
import type { EntryBody } from '../../src/store/record/entry.ts';
import { type Fetched, LookUps, Needed, untilFetched } from '../../src/store/record/look-ups.ts';
import type {
  ReadTransaction,
  ServiceReadTransaction,
  ServiceTx,
  Tx,
} from '../../src/store/record/read-transaction.ts';
import type { Collections, HistoryQuery, Revision } from '../../src/store/record/record.ts';
import type { ChangeMeta } from '../../src/store/record/status.ts';
import { withoutFiles } from './without-files.ts';

/** The values of revisions are not in memory: a rule that reads one is run again once it was fetched. */
class ShelvedHistory implements RevisionIndex {
  readonly version = '';
  readonly #lookUps: LookUps;
  readonly #shelf = new Map<string, Revision>();

  constructor(lookUps: LookUps) {
    this.#lookUps = lookUps;
  }

  add(revision: Revision): void {
    this.#shelf.set(revision.id, revision);
  }

  undo(id: string): void {
    this.#shelf.delete(id);
  }

  revision(id: string): Revision | undefined {
    return this.#shelf.has(id) ? this.#get(id) : undefined;
  }

  *revisions(query: HistoryQuery): IterableIterator<Revision> {
    for (const id of this.#ids(query)) yield this.#get(id);
  }

  async *streamed(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]> {
    const ids = this.#ids(query);
    await nextTurn();
    yield ids.map((id) => this.#shelf.get(id)!);
  }

  #ids({ target, type, author }: HistoryQuery): readonly string[] {
    return [...this.#shelf.values()]
      .filter((one) => target === undefined || one.target === target)
      .filter((one) => type === undefined || one.target_type === type)
      .filter((one) => author === undefined || one.author === author)
      .sort((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? 1 : -1))
      .map(({ id }) => id);
  }

  #get(id: string): Revision {
    return this.#lookUps.get(id, {
      later: async () => {
        await nextTurn();
        return [...this.#shelf];
      },
    });
  }
}

/** A project on one node. */
class Resident implements Committed {
  readonly replica: Replica<ShelvedHistory>;
  readonly exclusive = new Exclusive();
  readonly view: ProjectReadTransaction;
  readonly context: TransactionContext;

  constructor(id: string, code: string, { collections, service, ids, lookUps }: NodeState) {
    const replica = new Replica({
      project: id,
      code,
      index: new ProjectIndex(collections),
      history: new ShelvedHistory(lookUps),
    });
    this.replica = replica;
    const { index, history } = replica;
    this.context = {
      ...{ project: id, code, index, history, service, ids },
      collections: new Map(collections.map((collection) => [collection.name, collection])),
      begin: (entry) => replica.begin(entry),
      ...withoutFiles,
    };
    this.view = new ProjectReadTransaction(this.context, () => isoTime(systemClock.now()));
  }
}

interface NodeState {
  readonly collections: readonly Collection[];
  readonly service: ServiceRecords;
  readonly ids: IdSource;
  readonly lookUps: LookUps;
}

const nothing = (): void => undefined;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * One node of a store over a log that other nodes append to, too, without files: the replicas and the commit of the
 * product, over any log. It keeps every project that it has met, and has no snapshots.
 */
export class ReplicatedStore<C extends Collections> {
  readonly #state: NodeState;
  readonly #log: Log<EntryBody>;
  readonly #projects = new Map<string, Resident>();
  readonly #serviceTail = new LogTail(serviceProject);
  readonly #durability: DurabilityTracker;
  readonly #commit: Commit<Resident>;
  readonly #catchUp: CatchUp<Resident>;

  constructor(log: Log, collections: readonly Collection[], serviceCollections: readonly ServiceCollectionSpec[]) {
    this.#log = log as Log<EntryBody>;
    const service = new ServiceRecords(serviceCollections);
    const [ids, lookUps] = [new IdSource(systemClock), new LookUps()];
    this.#state = { collections, service, ids, lookUps };
    this.#durability = new DurabilityTracker(this.#log, { position: 0, appended: 0, failed: undefined });
    const hooks: CommitHooks<Resident> = {
      requireStorable: nothing,
      onSubmitted: (project, _changes, revisions) => {
        for (const revision of revisions) project.replica.history.add(revision);
      },
      onUndone: (project, revisions) => {
        for (const { id } of revisions) project.replica.history.undo(id);
      },
      add: (project) => void this.#projects.set(project.replica.project, project),
      remove: (project) => void this.#projects.delete(project.replica.project),
      onDropped: () => Promise.resolve(),
    };
    const serviceTail = this.#serviceTail;
    const durability = this.#durability;
    this.#catchUp = new CatchUp({
      ...{ log: this.#log, durability, service, serviceTail },
      commit: () => this.#commit,
      onApplied: (project, { body }) => {
        for (const revision of body.revisions) project.replica.history.add(revision);
        if (body.dropped === true) hooks.remove(project);
      },
      onLost: (project) => project !== undefined && hooks.remove(project),
    });
    this.#commit = new Commit({
      ...{ durability, service, serviceTail, lookUps, ids, hooks },
      clock: systemClock,
      collections: new Map(collections.map((collection) => [collection.name, collection])),
      contextOf: ({ context }) => context,
      catchUp: (project) => this.#catchUp.run(project),
    });
  }

  async read<T>(project: string, fn: (view: ReadTransaction<C>) => T): Promise<T> {
    const { lookUps } = this.#state;
    for (let fetched: Fetched | undefined; ;) {
      const found = await this.#current(project);
      while (found.exclusive.held !== undefined) await found.exclusive.held;
      let run: () => T;
      try {
        const result = lookUps.within(fetched, () => fn(typedReadTransaction<C>(found.view)));
        run = () => result;
      } catch (error) {
        if (error instanceof Needed) {
          fetched = await error.fetch(fetched);
          continue;
        }
        run = () => {
          throw error;
        };
      }
      const durable = this.#durability.whenDurable(project);
      if (durable === undefined || (await durable)) return run();
    }
  }

  async update<T>(project: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T): Promise<T> {
    // Not caught up: the log decides whether the entry continues it, and a refusal is checked.
    const found = this.#projects.get(project) ?? (await this.#current(project));
    return untilFetched(async (fetched) => {
      while (found.exclusive.held !== undefined) await found.exclusive.held;
      const rule = (tx: Transaction): T => {
        this.#requirePresent(found);
        return fn(typedTx<C>(tx));
      };
      return this.#commit.run(found, meta, rule, fetched);
    });
  }

  createProject<T>(name: string, meta: ChangeMeta, fn: (tx: Tx<C>) => T): Promise<T> {
    const code = newProjectCode();
    const project = new Resident(`prj_${code}${randomName()}00`, code, this.#state);
    return this.#commit.create(project, `${name}-${code}`, meta, (tx) => fn(typedTx<C>(tx)));
  }

  async deleteProject(
    project: string,
    meta: ChangeMeta,
    beside: (ofProject: ServiceTx, ofService: ServiceTx, view: ReadTransaction<C>) => void = nothing,
  ): Promise<void> {
    const found = await this.#current(project);
    await this.#commit.drop(found, meta, (...both) => {
      this.#requirePresent(found);
      beside(...both, typedReadTransaction<C>(found.view));
    });
  }

  async readService<T>(fn: (view: ServiceReadTransaction) => T): Promise<T> {
    for (;;) {
      await this.#catchUp.run(undefined);
      const result = fn(this.#state.service);
      const durable = this.#durability.whenServiceDurable();
      if (durable === undefined || (await durable)) return result;
    }
  }

  updateService<T>(meta: ChangeMeta, fn: (tx: ServiceTx) => T): Promise<T> {
    return this.#commit.service(meta, fn);
  }

  check(): readonly never[] {
    return [];
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  /** The project, with everything that was acknowledged before the call. */
  async #current(id: string): Promise<Resident> {
    const code = id.slice('prj_'.length, 'prj_'.length + 6);
    const found = this.#projects.get(id) ?? new Resident(id, code, this.#state);
    if (!this.#projects.has(id)) this.#projects.set(id, found);
    await this.#catchUp.run(found);
    const isEmpty = found.replica.tail.head.seq === 0;
    if (isEmpty) this.#projects.delete(id);
    if (isEmpty || this.#projects.get(id) !== found) throw notFound('project', id);
    return found;
  }

  #requirePresent(project: Resident): void {
    const { project: id } = project.replica;
    if (this.#projects.get(id) !== project) throw notFound('project', id);
  }
}
