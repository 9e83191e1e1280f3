import { isoTime } from '../../../base/clock.ts';
import { notFound, PlannerError } from '../../../base/errors.ts';
import { randomName } from '../../../base/ids.ts';
import { limits } from '../../../base/limits.ts';
import { atOnce, type Steps } from '../../../base/slices.ts';
import { CatchUp, type Lost } from '../../commit/catch-up.ts';
import { Commit, type CommitHooks } from '../../commit/commit.ts';
import { DurabilityTracker, serviceProject } from '../../commit/durability-tracker.ts';
import { allIdle } from '../../commit/exclusive.ts';
import { LogTail } from '../../replica/log-tail.ts';
import { ProjectSignals } from '../../replica/project-signals.ts';
import { ServiceRecords } from '../../replica/service-records.ts';
import { ProjectReadTransaction, type TransactionContext } from '../../replica/transaction.ts';
import type { Append, Entry } from '../../record/log.ts';
import type { Collection } from '../../record/collection.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { DescribeEntry } from '../../record/feed.ts';
import { LookUps, Needed } from '../../record/look-ups.ts';
import type { RecordBytes } from '../../record/read-transaction.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import type { TitleWords } from '../../record/title-search.ts';
import type { AnswerStore } from '../storage/answer-store.ts';
import { AppendedCharacters } from './appended-characters.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { SharedLog } from '../storage/shared-log.ts';
import { ColdProject } from './cold-project.ts';
import { ColdView, type ColdViewDeps, NeededInMemory } from './cold-view.ts';
import { removeDeletedLog, removeDeletedLogs } from '../storage/deleted-logs.ts';
import { charactersOf, unreadCharactersIn } from './entry-size.ts';
import { type ExpiredRecordsDeps, removeExpired } from './expired-records.ts';
import { Following } from './following.ts';
import { HostedBytes } from './hosted-bytes.ts';
import { HostedFeeds } from './hosted-feeds.ts';
import { HostedProject } from './hosted-project.ts';
import { unlessGone } from '../../transactions/gone-error.ts';
import { withoutFiles } from './without-files.ts';
import type { HostedOptions } from './hosted-options.ts';
import { hostedHooks } from './hosted-hooks.ts';
import { listedProject, listedProjectCollection } from './listed-projects.ts';
import { LogClock } from '../storage/log-clock.ts';
import { capturedWhenIdle, capturesMax } from './captured-when-idle.ts';
import { type CapturedLog, capturedService, summaryOf } from './log-snapshot.ts';
import { trimLogs } from './log-trimming.ts';
import { MeasuredLog, NodeMeasures } from './node-measures.ts';
import { type NodeProject, NodeProjects } from './node-projects.ts';
import { NodeProjectList } from './node-project-list.ts';
import { NodeTexts } from './node-texts.ts';
import { PlacedRecords } from './placed-records.ts';
import { ProjectLoader } from './project-loader.ts';
import { Residents, type ResidentsDeps } from './residents.ts';
import { ProjectTitles } from './project-titles.ts';
import { RevisionValues } from './revision-values.ts';
import { SnapshotTaker } from './snapshot-taker.ts';
import { SummaryKeeper } from './summary-keeper.ts';

export type EngineOptions = Required<Omit<HostedOptions, 'describe' | 'titles' | 'tagOf'>> & {
  readonly describe: DescribeEntry | undefined;
  readonly titles?: TitleWords;
  readonly tagOf?: HostedOptions['tagOf'];
};

/** The components of a node, wired together. `HostedStore` is its public interface. */
export class HostedEngine {
  readonly instance = randomName();
  readonly clock: LogClock;
  readonly projects = new NodeProjects(
    () => this.service.listeners.note('projects'),
    (id) => this.list?.mark(id),
  );
  /** Undefined if none is kept. */
  readonly list: NodeProjectList | undefined;
  readonly service: ServiceRecords;
  readonly signals = new ProjectSignals();
  readonly feeds: HostedFeeds | undefined;
  readonly lookUps = new LookUps();
  readonly measures = new NodeMeasures();
  readonly log: MeasuredLog<EntryBody>;
  readonly answers: AnswerStore;
  readonly blobs: BlobStore;
  readonly #values: RevisionValues;
  readonly #texts: NodeTexts;
  readonly durability: DurabilityTracker;
  readonly commit: Commit<HostedProject>;
  readonly residents: Residents;
  /** Undefined if searches over all projects read some of them only. */
  readonly titles: ProjectTitles | undefined;
  /** Why this node cannot go on. */
  lost: PlannerError | undefined;
  /** How many entries of other nodes were applied. */
  entriesApplied = 0;
  readonly #options: EngineOptions;
  readonly #serviceTail = new LogTail(serviceProject);
  readonly #servicePlaced: PlacedRecords;
  readonly #catchUp: CatchUp<NodeProject>;
  readonly #following: Following;
  readonly #loader: ProjectLoader;
  readonly #taker: SnapshotTaker;
  /** Undefined while nodes may run that do not know references to texts. */
  readonly #summaries: SummaryKeeper | undefined;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #contexts = new WeakMap<HostedProject, TransactionContext>();
  readonly #views = new WeakMap<NodeProject, ProjectReadTransaction>();

  constructor(options: EngineOptions) {
    const { storage, collections, serviceCollections, describe, clock, ids } = options;
    this.#options = options;
    const { tagOf } = options;
    const recordOf = (id: string): StoredRecord | undefined => this.projects.recordOf(id);
    this.list = tagOf && new NodeProjectList({ recordOf, placeOf: (id) => this.#placeOf(id), tagOf });
    this.answers = storage.answers;
    this.blobs = storage.blobs;
    this.clock = new LogClock(clock);
    this.#collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.service = new ServiceRecords([...serviceCollections, listedProjectCollection], { answersBeside: true });
    this.feeds = describe && new HostedFeeds(describe);
    const { service, lookUps } = this;
    this.#texts = new NodeTexts({
      ...{ storage, collections: this.#collections, lookUps },
      indexOf: (project) => this.projects.resident(project)?.index,
    });
    const { revisions: store } = this.#texts;
    this.#values = new RevisionValues({ store, lookUps, charactersMax: revisionCharactersMax });
    const { measures, clock: logClock } = this;
    const { report } = options;
    this.log = new MeasuredLog({ log: storage.log as SharedLog<EntryBody>, clock, logClock, measures, report });
    const log = this.#texts.over(this.log);
    const serviceTail = this.#serviceTail;
    this.#servicePlaced = new PlacedRecords(service);
    const appended = new AppendedCharacters();
    this.durability = new DurabilityTracker(appended.counting(log), appended, (append) => this.#onDurable(append));
    const { durability } = this;
    this.#catchUp = new CatchUp({
      ...{ log, durability, service, serviceTail },
      commit: () => this.commit,
      present: (project) => this.projects.get(project.id) ?? project,
      onApplied: (project, entry) => this.#onApplied(project, entry),
      onServiceApplied: (entry) => this.#onServiceApplied(entry),
      onLost: (project, why) => this.#onLost(project, why),
    });
    this.#loader = this.#projectLoader();
    this.#following = this.#makeFollowing();
    this.#taker = new SnapshotTaker({
      ...{ store: storage.snapshots, settings: options.snapshots, report: options.report },
      sizeOf: (name) => this.projects.resident(name)?.snapshotSize,
      capture: (name) => this.#captured(name),
    });
    if (storage.hasEarlierNodes !== true) this.#summaries = this.#summaryKeeper();
    this.residents = this.#makeResidents(log);
    this.titles = ProjectTitles.over(storage.titles, {
      ...{ words: options.titles, clock, collections: this.#collections, report: options.report },
      ...{ projects: this.projects, residents: this.residents, whenKnown: () => this.whenKnown() },
    });
    this.commit = new Commit({
      ...{ durability, service, serviceTail, lookUps, ids, clock: this.clock, collections: this.#collections },
      contextOf: (project) => this.#contextOf(project),
      hooks: this.#hooks(),
      describe: this.#options.describe,
      catchUp: (project) => this.catchUp(project),
      onRerun: () => void this.measures.reruns++,
    });
  }

  #projectLoader(): ProjectLoader {
    const { durability, service } = this;
    const { storage, report } = this.#options;
    const [serviceTail, servicePlaced] = [this.#serviceTail, this.#servicePlaced];
    return new ProjectLoader({
      ...{ snapshots: storage.snapshots, service, serviceTail, servicePlaced, durability, report },
      ...{ projects: this.projects, feeds: this.feeds },
      empty: ({ id, code }) => this.#empty(id, code),
      texts: this.#texts,
      derive: (project) => this.#derive(project),
      catchUp: (projects) => this.#catchUp.run(projects),
      onBegun: (name, restored, { seq, isSummary }) => {
        this.entriesApplied++;
        this.#taker.begun(name, seq, restored?.head.seq);
        this.#summaries?.begun(name, isSummary ? restored!.head.seq : 0);
        this.#following.begun(name);
        if (restored?.at !== undefined) this.commit.continueAfter(restored.at);
      },
      onServiceUnreadable: () => this.#onServiceUnreadable(),
      onLoaded: (name) => {
        this.#taker.loaded(name);
        this.#following.loaded(name);
        if (name === serviceProject) return;
        this.#summaries?.loaded(name, this.projects.get(name)!.replica.tail.confirmed.seq);
        this.signals.note(name);
      },
    });
  }

  #makeFollowing(): Following {
    const { projects } = this;
    return new Following({
      ...{ clock: this.#options.clock, log: this.log, projects, feeds: this.feeds },
      tailOf: (name) => (name === serviceProject ? this.#serviceTail : projects.get(name)?.replica.tail),
      followed: () => [serviceProject, ...projects.ids()],
      run: (some) => this.#catchUp.run(some),
      whenLoaded: () => this.#loader.whenLoaded(),
      whenServed: (some) => this.#loader.whenServed(some),
      requireWhole: () => this.requireWhole(),
      onTurn: (turn) => this.#onTurn(turn),
    });
  }

  #summaryKeeper(): SummaryKeeper {
    const { storage, clock, report } = this.#options;
    return new SummaryKeeper({
      ...{ store: storage.snapshots, clock, report },
      summaryOf: (id) => {
        const project = this.projects.get(id);
        const isBusy = project !== undefined && (!this.isSettled(project) || project.replica.tail.isSpeculative);
        return isBusy ? 'busy' : project && summaryOf(project, isoTime(this.clock.now()));
      },
    });
  }

  #makeResidents(log: ResidentsDeps['log']): Residents {
    const { storage, report, memoryBytes, clock } = this.#options;
    return new Residents({
      ...{ log, report, memoryBytes, snapshots: storage.snapshots, projects: this.projects, feeds: this.feeds },
      ...{ taker: this.#taker, clock, logClock: this.clock, measures: this.measures },
      empty: ({ id, code }) => this.#empty(id, code),
      derive: (project) => this.#derive(project),
      catchUp: (project) => this.catchUp(project),
      isLost: (project) => this.#loader.isLost(project),
      whenKnown: () => this.whenKnown(),
      follow: (project, entry) => {
        project.replica.apply(entry, this.service);
        this.#onApplied(project, entry);
      },
      onLoaded: (id) => this.signals.note(id),
    });
  }

  /** Loads the service's records, and follows them from then on. The listed projects are begun when they are needed. */
  async open(): Promise<void> {
    await this.#loader.beginService();
    await this.#following.open();
    this.#taker.loaded(serviceProject);
    this.#following.begin();
  }

  /** Resolves when every listed project is followed. */
  async whenKnown(): Promise<void> {
    await this.#loader.whenLoaded();
    this.requireWhole();
  }

  /** See `ProjectLoader`. */
  whenBegun(project: string): Promise<void> | undefined {
    return this.#loader.whenBegun(project);
  }

  #onTurn(turn: number): void {
    if (turn % retryTurns === retryTurns - 1) this.#loader.retryUnreadable();
    this.residents.drop();
    if (turn % idleTurns !== idleTurns - 1) return;
    this.residents.snapshotIdle();
    this.#summaries?.store();
  }

  /**
   * Applies the entries of other nodes to the service's records and to a project, or to all of them, and follows the
   * projects that others have listed: at least the entries acknowledged before the call.
   */
  catchUp(project?: NodeProject): Promise<void> {
    return project === undefined ? this.#following.withAll() : this.#following.with([project]);
  }

  /** Catches up with the service's own log alone. */
  catchUpService(): Promise<void> {
    return this.#following.with([]);
  }

  /** Catches up with the service's log, and with the log of the project with this code, if it exists. */
  async catchUpProjectWith(code: string): Promise<void> {
    const listed = this.service.by(listedProjectCollection.name, 'code', code);
    for (const { id } of listed) await this.#loader.whenFollowed(id);
    return this.#following.with(listed.flatMap(({ id }) => this.projects.get(id) ?? []));
  }

  /** The ids of the projects that contain a record, an edge or a revision with this id, as far as this node knows. */
  locate(id: string): readonly string[] {
    if (this.#loader.isFirst) throw new Needed(id, () => this.whenKnown().then(() => []));
    return this.projects.locate(id, (project) => {
      throw new NeededInMemory(project, this.#coldDeps);
    });
  }

  /** Throws `unavailable` if this node cannot go on. */
  requireWhole(): void {
    if (this.lost !== undefined) throw this.lost;
  }

  isTaken(code: string): boolean {
    return this.service.by(listedProjectCollection.name, 'code', code).length > 0;
  }

  /** Why a project is not known: one that is listed cannot be loaded, or is being loaded again. */
  whyAbsent(id: string): PlannerError {
    const unreadable = this.#loader.unreadable.get(id);
    if (unreadable !== undefined) return unreadable;
    if (listedProject(this.service, id) === undefined) return notFound('project', id);
    return new PlannerError('unavailable', `${id} is being loaded again from the database: send the request again.`);
  }

  /**
   * Returns whether no change of the project is in progress, and its replica is not being reloaded, when it may lack
   * entries.
   */
  isSettled(project: NodeProject): boolean {
    return project.exclusive.held === undefined && !this.#loader.isLost(project);
  }

  /** Resolves when that may be so; undefined if it is. */
  whenSettled(project: NodeProject): Promise<void> | undefined {
    return project.exclusive.held ?? (this.#loader.isLost(project) ? this.#loader.whenLoaded() : undefined);
  }

  /** Waits until all projects are settled. Resolves to whether it had to wait. */
  async whenAllSettled(): Promise<boolean> {
    for (let waited = false; ; waited = true) {
      waited = (await allIdle(() => this.projects.busy)) || waited;
      if (!this.#loader.hasLost) return waited;
      await this.#loader.whenLoaded();
    }
  }

  /** True if all projects are settled now. */
  get areAllSettled(): boolean {
    return !this.#loader.isFirst && !this.#loader.hasLost && this.projects.busy.size === 0;
  }

  /** The number of entries after the snapshot, for the log with the oldest snapshot. */
  get entriesBehindSnapshot(): number {
    return this.#taker.behindMost;
  }

  /** How often the outcome of an append was unknown, and how often it had won or lost. */
  get unknown(): { readonly won: number; readonly lost: number } {
    return this.#options.storage.log.unknown ?? { won: 0, lost: 0 };
  }

  /** Resolves when no snapshot is being taken, and no summary stored. */
  async whenSnapshotsTaken(): Promise<void> {
    await Promise.all([this.#taker.idle(), this.#summaries?.idle()]);
  }

  /** Removes the rows of projects that were deleted long ago. */
  async removeDeleted(): Promise<void> {
    const { deletedLogs } = this.#options.storage;
    if (deletedLogs === undefined) return;
    await this.catchUpService();
    await removeDeletedLogs(deletedLogs, {
      keepMs: deletedKeepMs,
      isListed: (log) => log === serviceProject || listedProject(this.service, log) !== undefined,
    });
  }

  /** Removes the remains of a deleted project with this id, for a new project with the id. */
  async makeRoom(id: string): Promise<void> {
    const { deletedLogs } = this.#options.storage;
    if (deletedLogs === undefined) return;
    await this.catchUpService();
    if (listedProject(this.service, id) === undefined) await removeDeletedLog(deletedLogs, id, 0);
  }

  /** Removes the service's records that have expired, by entries of the logs that have them. */
  async removeExpired(update: ExpiredRecordsDeps['update']): Promise<void> {
    const { report } = this.#options;
    await this.catchUp();
    const now = isoTime(this.clock.now());
    await removeExpired({ ofService: this.#servicePlaced, projects: this.projects.values(), now, update, report });
  }

  /** Removes the entries of logs that are no longer needed. Resolves to their number. */
  async trim(): Promise<number> {
    const { storage, snapshots, report } = this.#options;
    await storage.limiters?.sweep();
    // A snapshot is read for its errors: the code of the project does not matter.
    const empty = (log: string): HostedProject | undefined =>
      log === serviceProject ? undefined : this.#empty(log, '');
    return trimLogs(storage.snapshots, { keepMs: snapshots.keepMs, empty, report });
  }

  /** An empty project that is not served yet. */
  newProject(id: string, code: string): HostedProject {
    const project = this.#empty(id, code);
    atOnce(this.#derive(project));
    return project;
  }

  #empty(id: string, code: string): HostedProject {
    const { collections } = this.#options;
    const [values, texts, { busy }] = [this.#values, this.#texts, this.projects];
    return new HostedProject(id, code, { collections, service: this.service, values, texts, busy });
  }

  viewOf(project: NodeProject): ProjectReadTransaction {
    let view = this.#views.get(project);
    if (view === undefined) {
      view =
        project instanceof ColdProject
          ? new ColdView(project, this.#coldDeps)
          : new ProjectReadTransaction(this.#contextOf(project), () => isoTime(this.clock.now()));
      this.#views.set(project, view);
    }
    return view;
  }

  #placeOf(id: string): readonly [code: string, cursor: string] {
    const { code, replica } = this.projects.get(id)!;
    return [code, this.feeds?.of(id).cursorAt(replica.tail.head) ?? ''];
  }

  get #coldDeps(): ColdViewDeps {
    const { service, feeds, lookUps } = this;
    return {
      ...{ service, feeds, lookUps, ids: this.#options.ids, collections: this.#collections },
      now: () => isoTime(this.clock.now()),
      loaded: async (project, run) => {
        const use = (): Promise<void> => Promise.try(run);
        await this.residents.using(project, use).catch(unlessGone);
      },
    };
  }

  async close(): Promise<void> {
    const ended = [this.residents, this.titles, this.#taker, this.#summaries, this.#following].map(async (one) =>
      one?.close(),
    );
    // Work under way then ends with an error, and nothing else begins.
    await this.#options.storage.close();
    await Promise.all(ended);
  }

  /** The state of a log that is in memory, when no change of it is in progress. */
  async #captured(name: string): Promise<CapturedLog | undefined> {
    const now = isoTime(this.clock.now());
    const { durability } = this;
    if (name === serviceProject) {
      const tail = this.#serviceTail;
      for (let tries = 0; tail.isSpeculative && tries < capturesMax; tries++) await durability.whenDecided(name);
      return tail.isSpeculative ? undefined : capturedService(tail, this.#servicePlaced, now);
    }
    if (!this.projects.has(name)) return undefined;
    const isPresent = (project: HostedProject): boolean => this.projects.get(name) === project;
    return this.residents.using(name, (project) =>
      capturedWhenIdle(project, { now, durability, feed: this.feeds?.of(name), isPresent }),
    );
  }

  *#derive(project: HostedProject): Steps<void> {
    const { index } = project;
    // Its replica object may have changed.
    this.#contexts.delete(project);
    this.#views.delete(project);
    for (const [name, make] of Object.entries(this.#options.derived)) {
      const touch = (collection: string, id: string): void => index.touch(collection, id);
      const derived = make(this.viewOf(project), touch, (type, record, isSo) =>
        index.versions.transition(type, record, isSo),
      );
      yield* index.deriveInSteps(name, derived);
    }
  }

  #hooks(): CommitHooks<HostedProject> {
    const { titles } = this;
    return hostedHooks({
      ...{ projects: this.projects, collections: this.#collections, titles, now: () => isoTime(this.clock.now()) },
      onAdded: (project) => this.residents.used(project),
      onRemoved: (project) => this.residents.forget(project),
      onChanged: ({ id }) => this.list?.mark(id),
      ...(this.#options.storage.hasEarlierNodes !== true && { lighten: ({ id }) => this.#texts.lightening(id) }),
    });
  }

  #contextOf(project: HostedProject): TransactionContext {
    let context = this.#contexts.get(project);
    if (context === undefined) {
      const { id, code, index, replica } = project;
      const feeds = this.feeds;
      context = {
        ...{ project: id, code, index, history: replica.history, service: this.service, ids: this.#options.ids },
        collections: this.#collections,
        begin: (entry) => replica.begin(entry),
        bytes: (collection, record) => this.#bytesOf(project, collection, record),
        storedBytes: () => project.entryBytes + index.attachedBytes,
        feed: () => feeds && { feed: feeds.of(id), head: replica.tail.head },
        problems: () => Array.from(index.problems(), ({ name: _, ...problem }) => ({ ...problem, path: '' })),
        ...withoutFiles,
      };
      this.#contexts.set(project, context);
    }
    return context;
  }

  #bytesOf({ index }: HostedProject, collection: string, id: string): RecordBytes | undefined {
    const fields = this.#collections.get(collection)?.bytes;
    const record: StoredRecord | undefined = index.table(collection).get(id);
    if (fields === undefined || record === undefined) return undefined;
    const members = membersOf(record);
    return new HostedBytes({ sha256: String(members[fields.sha256]), size: Number(members[fields.size]) }, this);
  }

  #onDurable({ project: name, after, id, body, beside }: Append<EntryBody>): void {
    const project = this.projects.resident(name);
    for (const revision of beside?.revisions ?? []) project?.replica.history.stored(revision.id);
    this.#texts.stored({ project: name, body, beside });
    const characters = charactersOf(body);
    project?.note(body, characters);
    if (project !== undefined) this.residents.changed(project);
    const placed = name === serviceProject ? this.#servicePlaced : project?.placed;
    placed?.note(body);
    const read = characters - unreadCharactersIn(body);
    if (name !== serviceProject) this.#summaries?.changed(name);
    if (placed !== undefined) this.#taker.noted(name, after.seq + 1, { characters: read, isOwn: true });
    this.#noteEntry(name, { id, seq: after.seq + 1, body });
  }

  #onApplied(project: NodeProject, { id, seq, body }: Entry<EntryBody>): void {
    this.entriesApplied++;
    this.list?.mark(project.id);
    const characters = charactersOf(body);
    project.note(body, characters);
    if (project instanceof HostedProject) {
      for (const revision of body.revisions) project.replica.history.add(revision);
      this.residents.changed(project);
    }
    project.placed.note(body);
    this.#taker.noted(project.id, seq, { characters: characters - unreadCharactersIn(body), isOwn: false });
    this.#noteEntry(project.id, { id, seq, body });
    if (body.dropped === true) {
      this.projects.delete(project.id);
      if (project instanceof HostedProject) this.residents.forget(project);
    } else if (body.changes.some((change) => change.id === project.id)) this.projects.reorder();
  }

  #onServiceApplied({ id, seq, body }: Entry<EntryBody>): void {
    this.entriesApplied++;
    if (body.service?.some(({ c }) => c === listedProjectCollection.name) === true) this.#loader.listChanged();
    this.#servicePlaced.note(body);
    this.#noteEntry(serviceProject, { id, seq, body });
    this.#taker.noted(serviceProject, seq, { characters: charactersOf(body), isOwn: false });
  }

  #noteEntry(project: string, { id, seq, body }: Pick<Entry<EntryBody>, 'id' | 'seq' | 'body'>): void {
    if (project === serviceProject) {
      if (body.service?.some(({ c }) => this.service.hasEvents(c)) === true) this.feeds?.notify();
      return;
    }
    this.feeds?.add(project, id, seq, body);
    // Its followers are woken, and find that it is gone.
    if (body.dropped === true) {
      this.feeds?.remove(project);
      this.#taker.forget(project);
    }
    this.signals.note(project);
  }

  /** A project, or the service's records, are loaded again. */
  #onLost(project: NodeProject | undefined, why: Lost): void {
    const name = project?.id ?? serviceProject;
    // The log of a project that was deleted long ago is gone.
    const isDeleted = project !== undefined && listedProject(this.service, name) === undefined;
    if (!isDeleted) {
      if (why === 'forked') this.measures.forks++;
      this.#options.report(`The log of ${name} does not continue what this node has (${why}); it is loaded again.`);
    }
    this.#loader.lose(project, why);
  }

  /** Without the service's records it cannot be known who may do what. */
  #onServiceUnreadable(): void {
    this.lost ??= new PlannerError(
      'unavailable',
      "The database has not all of the service's own records: neither their whole log nor a snapshot that can be read. Restore it from a backup, and restart the node.",
    );
    this.#options.report(`${this.lost.message} Until then the node serves nothing.`);
  }
}

/** After so many turns of following the logs, projects that could not be loaded are loaded again. */
const retryTurns = 120;

/** After so many turns, snapshots are taken of projects that were changed and then left. */
const idleTurns = 40;

/** How long the rows of a deleted project stay. */
const deletedKeepMs = limits.deletedProjectDays * 24 * 3_600_000;

/** How much of the values of revisions a node keeps in memory. */
const revisionCharactersMax = 16 * 1024 * 1024;
