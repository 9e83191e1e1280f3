import { isoTime, type Timer } from '../../clock.ts';
import { PlannerError } from '../../errors.ts';
import { randomName } from '../../ids.ts';
import { CatchUp } from '../commit/catch-up.ts';
import { Commit, type CommitHooks } from '../commit/commit.ts';
import { DurabilityTracker, type LogPositions, serviceProject } from '../commit/durability-tracker.ts';
import { requireFits } from '../files/checkpoint/fits-file.ts';
import { LogTail } from '../index/log-tail.ts';
import { ProjectSignals } from '../index/project-signals.ts';
import { ProjectTable } from '../index/project-table.ts';
import { ServiceRecords } from '../index/service-records.ts';
import { ProjectReadTransaction, type TransactionContext } from '../index/transaction.ts';
import type { Append, Entry, Log } from '../log.ts';
import type { Collection } from '../record/collection.ts';
import type { EntryBody } from '../record/entry.ts';
import type { DescribeEntry } from '../record/feed.ts';
import { LookUps } from '../record/look-ups.ts';
import type { RecordBytes } from '../record/read-transaction.ts';
import { type Change, membersOf, type StoredRecord } from '../record/record.ts';
import type { BlobStore } from './blob-store.ts';
import { HostedBytes } from './hosted-bytes.ts';
import { HostedFeeds } from './hosted-feeds.ts';
import { HostedProject } from './hosted-project.ts';
import type { HostedOptions } from './hosted-options.ts';
import { listedProjectCollection, listedProjects, listProject } from './listed-projects.ts';
import { LogClock } from './log-clock.ts';

export type EngineOptions = Required<Omit<HostedOptions, 'describe'>> & {
  readonly describe: DescribeEntry | undefined;
};

/** The components of a node, wired together. `HostedStore` is its public interface. */
export class HostedEngine {
  readonly instance = randomName();
  readonly clock: LogClock;
  readonly projects = new ProjectTable<HostedProject>(() => this.service.listeners.note('projects'));
  readonly service: ServiceRecords;
  readonly signals = new ProjectSignals();
  readonly feeds: HostedFeeds | undefined;
  readonly lookUps = new LookUps();
  readonly blobs: BlobStore;
  readonly durability: DurabilityTracker;
  readonly commit: Commit<HostedProject>;
  /** Why this node cannot go on. */
  lost: PlannerError | undefined;
  /** How many entries of other nodes were applied. */
  entriesApplied = 0;
  readonly #options: EngineOptions;
  readonly #serviceTail = new LogTail(serviceProject);
  readonly #catchUp: CatchUp<HostedProject>;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #contexts = new WeakMap<HostedProject, TransactionContext>();
  readonly #views = new WeakMap<HostedProject, ProjectReadTransaction>();
  /** Whether another node has listed or unlisted a project since the last look. */
  #isListChanged = true;
  #loading: Promise<void> | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: EngineOptions) {
    const { storage, collections, serviceCollections, describe, clock, ids } = options;
    const log = storage.log as Log<EntryBody>;
    this.#options = options;
    this.blobs = storage.blobs;
    this.clock = new LogClock(clock);
    this.#collections = new Map(collections.map((collection) => [collection.name, collection]));
    this.service = new ServiceRecords([...serviceCollections, listedProjectCollection]);
    this.feeds = describe && new HostedFeeds(describe);
    const { service, lookUps } = this;
    const serviceTail = this.#serviceTail;
    const appended = new AppendedCharacters();
    this.durability = new DurabilityTracker(appended.counting(log), appended, (append) => this.#onDurable(append));
    const { durability } = this;
    this.#catchUp = new CatchUp({
      ...{ log, durability, service, serviceTail },
      commit: () => this.commit,
      onApplied: (project, entry) => this.#onApplied(project, entry),
      onServiceApplied: (entry) => this.#onServiceApplied(entry),
      onTime: (now) => this.clock.answered(now),
      onLost: (project) => this.#onLost(project),
    });
    this.commit = new Commit({
      ...{ durability, service, serviceTail, lookUps, ids, clock: this.clock, collections: this.#collections },
      contextOf: (project) => this.#contextOf(project),
      hooks: this.#hooks(),
      catchUp: (project) => this.catchUp(project),
    });
  }

  /** Loads the service's records and every listed project, and keeps them current for followers from then on. */
  async open(): Promise<void> {
    await this.catchUp();
    this.#follow();
  }

  #follow(): void {
    this.#timer = this.#options.clock
      .after(followMs, () => {
        const next = (): void => (this.#isClosed ? undefined : this.#follow());
        // While the log does not answer, calls say so.
        this.catchUp().then(next, next);
      })
      .unref();
  }

  /**
   * Applies the entries of other nodes to the service's records and to a project, or to all of them, and loads the projects
   * that others have listed: at least what was acknowledged before the call.
   */
  async catchUp(project?: HostedProject): Promise<void> {
    this.requireWhole();
    await this.#catchUp.run(project === undefined ? this.projects.values() : [project]);
    this.requireWhole();
    while (this.#isListChanged || this.#loading !== undefined) {
      this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
      await this.#loading;
    }
  }

  /** Throws `unavailable` if this node cannot go on. */
  requireWhole(): void {
    if (this.lost !== undefined) throw this.lost;
  }

  isTaken(code: string): boolean {
    return this.service.by(listedProjectCollection.name, 'code', code).length > 0;
  }

  /** An empty project that is not served yet. */
  newProject(id: string, code: string): HostedProject {
    const project = new HostedProject(id, code, this.#options.collections);
    this.#derive(project);
    return project;
  }

  viewOf(project: HostedProject): ProjectReadTransaction {
    let view = this.#views.get(project);
    if (view === undefined) {
      view = new ProjectReadTransaction(this.#contextOf(project), () => isoTime(this.clock.now()));
      this.#views.set(project, view);
    }
    return view;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    return this.#options.storage.close();
  }

  /** Loads listed projects that are not in memory, and removes those that are listed no more. */
  async #load(): Promise<void> {
    this.#isListChanged = false;
    const listed = listedProjects(this.service);
    const ids = new Set(listed.map(({ id }) => id));
    const unlisted = [...this.projects.values()].filter(({ id }) => !ids.has(id));
    const missing = listed
      .filter(({ id }) => !this.projects.has(id))
      .map(({ id, code }) => new HostedProject(id, code, this.#options.collections));
    for (const { id } of missing) this.feeds?.remove(id);
    try {
      // The last entry of a deleted project removes what the service has of it.
      if (missing.length > 0 || unlisted.length > 0) await this.#catchUp.run([...missing, ...unlisted]);
    } catch (error) {
      this.#isListChanged = true;
      throw error;
    }
    for (const { id } of unlisted) this.projects.delete(id);
    for (const project of missing) {
      this.#derive(project);
      if (!this.projects.has(project.id)) this.projects.set(project.id, project);
      this.signals.note(project.id);
    }
  }

  #derive(project: HostedProject): void {
    const { index } = project;
    for (const [name, make] of Object.entries(this.#options.derived)) {
      const touch = (collection: string, id: string): void => index.touch(collection, id);
      index.derive(
        name,
        make(this.viewOf(project), touch, (type, record, isSo) => index.versions.transition(type, record, isSo)),
      );
    }
  }

  #hooks(): CommitHooks<HostedProject> {
    const nothing = (): Promise<void> => Promise.resolve();
    return {
      requireStorable: ({ code }, { collection, to }) => {
        const spec = this.#collections.get(collection);
        // What no file can hold could never be taken along as files.
        if (spec !== undefined && to !== undefined) requireFits(spec, code, to);
      },
      onSubmitted: ({ replica }, _changes, revisions) => {
        for (const revision of revisions) replica.history.add(revision);
      },
      onUndone: ({ replica }, revisions) => {
        for (const { id } of revisions) replica.history.undo(id);
      },
      add: (project) => void this.projects.set(project.id, project),
      remove: (project) => void this.projects.delete(project.id),
      list: ({ id, code, index }, directory, ofService) => {
        const { created_at = isoTime(this.clock.now()) } = index.record(id) ?? {};
        listProject(ofService, { id, code, directory, created_at });
      },
      beside: (_project, changes) => this.#beside(changes),
      onDropped: nothing,
    };
  }

  /** The bytes that new records reference. */
  #beside(changes: readonly Change[]): Append['beside'] {
    const blobs = changes.flatMap(({ collection, from, to }) => {
      const bytes = this.#collections.get(collection)?.bytes;
      return bytes === undefined || to === undefined || from !== undefined ? [] : [String(membersOf(to)[bytes.sha256])];
    });
    return blobs.length === 0 ? undefined : { blobs: [...new Set(blobs)] };
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
        problems: () => Array.from(index.problems(), (problem) => ({ ...problem, path: '' })),
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

  #onDurable({ project: name, after, id, body }: Append<EntryBody>): void {
    const project = this.projects.get(name);
    if (project !== undefined) project.entryBytes += charactersOf(body);
    this.#noteEntry(name, { id, seq: after.seq + 1, body });
  }

  #onApplied(project: HostedProject, { id, seq, body }: Entry<EntryBody>): void {
    this.entriesApplied++;
    for (const revision of body.revisions) project.replica.history.add(revision);
    project.entryBytes += charactersOf(body);
    this.#noteEntry(project.id, { id, seq, body });
    if (body.dropped === true) this.projects.delete(project.id);
  }

  #onServiceApplied({ id, seq, body }: Entry<EntryBody>): void {
    this.entriesApplied++;
    this.#isListChanged ||= body.service?.some(({ c }) => c === listedProjectCollection.name) === true;
    this.#noteEntry(serviceProject, { id, seq, body });
  }

  #noteEntry(project: string, { id, seq, body }: Pick<Entry<EntryBody>, 'id' | 'seq' | 'body'>): void {
    if (project === serviceProject) {
      if (body.service?.some(({ c }) => this.service.hasEvents(c)) === true) this.feeds?.notify();
      return;
    }
    this.feeds?.add(project, id, seq, body);
    // Its followers are woken, and find that it is gone.
    if (body.dropped === true) this.feeds?.remove(project);
    this.signals.note(project);
  }

  #onLost(project: HostedProject | undefined): void {
    const name = project?.id ?? serviceProject;
    this.lost ??= new PlannerError(
      'unavailable',
      'The database does not continue what this node has, for example after it was restored from a backup: restart the node.',
    );
    this.#options.report(`The log of ${name} does not continue what this node has; the node serves nothing any more.`);
  }
}

/** Followers of events on this node get those of other nodes within this time. */
const followMs = 250;

/** What a transaction finds of files in a project that has none. */
const withoutFiles = {
  linkedPart: () => undefined,
  problemOf: () => undefined,
  sharing: () => [],
  pathOf: () => undefined,
  fileByPerson: () => undefined,
} as const satisfies Partial<TransactionContext>;

/** Counts what is appended, for the allowances of agents. */
class AppendedCharacters implements LogPositions {
  readonly position = 0;
  readonly failed = undefined;
  appended = 0;

  counting(log: Log<EntryBody>): Log<EntryBody> {
    return {
      traits: log.traits,
      append: (append) => {
        this.appended += charactersOf(append.body);
        return log.append(append);
      },
      appendTogether: (appends) => log.appendTogether(appends),
      catchUp: (known) => log.catchUp(known),
      close: () => log.close(),
    };
  }
}

/** Roughly what an entry takes as JSON: its texts, and as much for each record and revision as their other members take. */
function charactersOf({ changes, revisions }: EntryBody): number {
  let characters = entryCharacters;
  for (const { to, was, gone } of changes)
    for (const value of [to, was, gone]) if (value !== undefined) characters += textsOf(value);
  for (const { before } of revisions) characters += textsOf(before);
  return characters;
}

const entryCharacters = 200;
const memberCharacters = 24;

function textsOf(value: unknown): number {
  if (typeof value === 'string') return value.length + memberCharacters;
  if (typeof value !== 'object' || value === null) return memberCharacters;
  let characters = 0;
  for (const member of Object.values(value)) characters += textsOf(member);
  return characters;
}
