import { Readable } from 'node:stream';
import { PlannerError } from '../../../base/errors.ts';
import { atOnce, inSlices, type Steps } from '../../../base/slices.ts';
import type { Lost } from '../../commit/catch-up.ts';
import { type DurabilityTracker, serviceProject } from '../../commit/durability-tracker.ts';
import type { LogTail } from '../../replica/log-tail.ts';
import type { ServiceRecords } from '../../replica/service-records.ts';
import { emptyHead, type Head } from '../../record/log.ts';
import { pointOf } from '../../replica/feed-cursor.ts';
import { ColdProject } from './cold-project.ts';
import { ForeignIds } from './foreign-ids.ts';
import type { HostedFeeds } from './hosted-feeds.ts';
import { HostedProject } from './hosted-project.ts';
import { type ListedProject, listedProjects } from './listed-projects.ts';
import { readSnapshot, type RestoredLog } from './log-snapshot.ts';
import type { NodeProject, NodeProjects } from './node-projects.ts';
import type { NodeTexts } from './node-texts.ts';
import { type PlacedRecord, PlacedRecords } from './placed-records.ts';
import { notReadable } from './resident-loader.ts';
import { SnapshotError, type SnapshotStore, type Summary } from '../storage/snapshot-store.ts';
import { readSummary, type RestoredSummary, summaryIn } from './snapshot-summary.ts';

export interface ProjectLoaderDeps {
  readonly snapshots: SnapshotStore;
  readonly projects: NodeProjects;
  readonly service: ServiceRecords;
  /** The end of the service's log, and the records that it has. */
  readonly serviceTail: LogTail;
  readonly servicePlaced: PlacedRecords;
  readonly durability: DurabilityTracker;
  readonly feeds: HostedFeeds | undefined;
  readonly empty: (listed: Pick<ListedProject, 'id' | 'code'>) => HostedProject;
  readonly texts: NodeTexts;
  /** Adds the derived indexes to the records of a project. */
  readonly derive: (project: HostedProject) => Steps<void>;
  /** Applies the tails of the logs of the service and of these projects. */
  readonly catchUp: (projects: readonly NodeProject[]) => Promise<void>;
  /** A log was begun from its snapshot, or from its summary; `snapshot`: the entry of its newest snapshot, 0 without one. */
  readonly onBegun: (
    log: string,
    restored: Pick<RestoredLog, 'head' | 'at'> | undefined,
    snapshot: { readonly seq: number; readonly isSummary: boolean },
  ) => void;
  /** The service's log does not go back far enough, and no snapshot of it can be continued. */
  readonly onServiceUnreadable: () => void;
  /** A log is followed from now on, or another replica of it. */
  readonly onLoaded: (log: string) => void;
  readonly report: (message: string) => void;
}

/** Projects whose snapshots are asked for at a time. */
const together = 500;
/** How often a project is loaded whose tail does not continue its snapshot. */
const attemptsMax = 3;

interface Attempts {
  count: number;
  /** Snapshots from this sequence on are not used. */
  below: number;
}

/**
 * Begins to follow the projects that are listed and not known, each from the summary of its newest snapshot and the
 * tail of its log: they are cold then. Projects whose replica cannot be continued begin again.
 */
export class ProjectLoader {
  /** Projects whose log cannot be loaded, with the answer for callers. */
  readonly unreadable = new Map<string, PlannerError>();
  readonly #deps: ProjectLoaderDeps;
  readonly #lost = new Map<NodeProject, Lost>();
  /** Projects whose replica cannot be continued, that begin again now or are removed: until then nothing is read there. */
  #leaving: readonly NodeProject[] = [];
  readonly #attempts = new Map<string, Attempts>();
  #serviceLost: Lost | undefined;
  #isListChanged = true;
  #loading: Promise<void> | undefined;
  /** Projects that are to be begun, by their ids, and those of them that calls wait for. */
  #missing = new Map<string, ListedProject>();
  readonly #wanted = new Map<string, PromiseWithResolvers<void>>();
  /** False once all listed projects were followed. */
  isFirst = true;

  constructor(deps: ProjectLoaderDeps) {
    this.#deps = deps;
  }

  /** Another node may have listed or unlisted a project. */
  listChanged(): void {
    this.#isListChanged = true;
  }

  /** Projects that could not be loaded may have a snapshot by now. */
  retryUnreadable(): void {
    if (this.unreadable.size === 0) return;
    this.unreadable.clear();
    this.#isListChanged = true;
  }

  /** The replica of a project, or the service's records, cannot be continued. */
  lose(project: NodeProject | undefined, why: Lost): void {
    if (project === undefined) this.#serviceLost = why;
    else this.#lost.set(project, why);
  }

  /** Returns whether the replica of a project cannot be continued. */
  isLost(project: NodeProject): boolean {
    return this.#lost.has(project) || this.#leaving.includes(project);
  }

  /** True if a project has a replica that cannot be continued. */
  get hasLost(): boolean {
    return this.#lost.size > 0 || this.#leaving.length > 0;
  }

  /** Resolves when every listed project is followed. */
  async whenLoaded(): Promise<void> {
    while (this.#isListChanged || this.#serviceLost !== undefined || this.#lost.size > 0 || this.#loading !== undefined)
      await this.#loaded();
    this.isFirst = false;
  }

  /** Resolves when the service's records, and these projects, continue their logs. */
  async whenServed(some: readonly NodeProject[]): Promise<void> {
    while (this.#serviceLost !== undefined || some.some((project) => this.isLost(project))) await this.#loaded();
  }

  /** Resolves once a project was begun, before others that are waiting for it; undefined if it is not among these. */
  whenBegun(id: string): Promise<void> | undefined {
    // Its error is that of the next call.
    if (this.isFirst && this.#loading === undefined) this.#loaded().catch(() => undefined);
    if (!this.#missing.has(id)) return undefined;
    let wanted = this.#wanted.get(id);
    if (wanted === undefined) this.#wanted.set(id, (wanted = Promise.withResolvers()));
    return wanted.promise;
  }

  /** Resolves when a listed project is followed, if it can be. */
  async whenFollowed(id: string): Promise<void> {
    if (!this.#deps.projects.has(id)) await (this.whenBegun(id) ?? this.whenLoaded());
  }

  #loaded(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
      this.#missing.clear();
      // Others say why it is not there.
      for (const { resolve } of this.#wanted.values()) resolve();
      this.#wanted.clear();
    });
    return this.#loading;
  }

  /**
   * Begins with the newest snapshot of the service's log. Without one nothing is changed, unless the present records
   * belong to another history.
   */
  async beginService(why?: Lost): Promise<void> {
    const { snapshots, serviceTail, servicePlaced, durability, onBegun } = this.#deps;
    const heads = (await snapshots.heads([serviceProject])).get(serviceProject);
    const restored = await this.#restored(serviceProject, this.#usable(serviceProject, heads), (head) =>
      readSnapshot({ log: serviceProject, head, parts: snapshots.read(serviceProject, head) }),
    );
    if (restored !== undefined || why === 'forked') {
      while (serviceTail.isSpeculative) await durability.whenDecided(serviceProject);
      // This happens within this turn, because a later rollback must not restore former records.
      atOnce(this.#place(servicePlaced, restored?.placed));
      serviceTail.continueAfter(restored?.head ?? emptyHead, restored?.at);
      serviceTail.entriesOfOthers++;
    }
    onBegun(serviceProject, restored, { seq: restored?.head.seq ?? 0, isSummary: false });
  }

  async #load(): Promise<void> {
    const { projects, service, catchUp } = this.#deps;
    if (this.#serviceLost !== undefined && !(await this.#continueService())) return;
    this.#isListChanged = false;
    const listed = listedProjects(service).filter(({ id }) => !this.unreadable.has(id));
    const ids = new Set(listed.map(({ id }) => id));
    const unlisted = [...projects.values()].filter(({ id }) => !ids.has(id));
    const lost = [...this.#lost.keys()];
    this.#leaving = lost;
    const again = lost.filter((one) => ids.has(one.id) && projects.get(one.id) === one);
    this.#lost.clear();
    for (const one of listed) if (!projects.has(one.id)) this.#missing.set(one.id, one);
    try {
      await this.#begin(again);
      // The last entry of a deleted project removes its records in the service.
      if (again.length + unlisted.length > 0) await catchUp([...again, ...unlisted]);
      for (const project of unlisted) await this.#remove(project);
      for (const project of again) await this.#serve(project);
      while (this.#missing.size > 0) await this.#serveMissing();
    } catch (error) {
      this.#isListChanged = true;
      for (const project of lost) this.#lost.set(project, 'trimmed');
      throw error;
    } finally {
      this.#leaving = [];
    }
  }

  /** Begins the service's records again. Returns whether the log continues them then. */
  async #continueService(): Promise<boolean> {
    const { serviceTail, catchUp, onServiceUnreadable, onLoaded } = this.#deps;
    const attempts: Attempts = { count: 0, below: Infinity };
    this.#attempts.set(serviceProject, attempts);
    try {
      for (let why = this.#serviceLost; why !== undefined; why = this.#serviceLost) {
        this.#serviceLost = undefined;
        if (attempts.count++ === attemptsMax) {
          onServiceUnreadable();
          return false;
        }
        try {
          await this.beginService(why);
          await catchUp([]);
        } catch (error) {
          this.#serviceLost = why;
          throw error;
        }
        attempts.below = belowNext(this.#serviceLost, serviceTail);
      }
    } finally {
      this.#attempts.delete(serviceProject);
    }
    // Another history may have other projects.
    this.#isListChanged = true;
    onLoaded(serviceProject);
    return true;
  }

  /** Begins some projects, first those that calls wait for, and follows them from then on. */
  async #serveMissing(): Promise<void> {
    const { projects, service, catchUp } = this.#deps;
    const ids = new Set([...this.#wanted.keys()].filter((id) => this.#missing.has(id)).slice(0, together));
    for (const id of this.#missing.keys()) {
      if (ids.size >= together) break;
      ids.add(id);
    }
    const some = Array.from(ids, (id) => {
      const listed = this.#missing.get(id)!;
      return new ColdProject(listed, { placed: new PlacedRecords(service) }, projects.busy);
    });
    await this.#begin(some);
    await catchUp(some);
    for (const project of some) {
      await this.#serve(project);
      this.#missing.delete(project.id);
      this.#wanted.get(project.id)?.resolve();
      this.#wanted.delete(project.id);
    }
  }

  /** Makes these projects as their snapshots have them. */
  async #begin(all: readonly NodeProject[]): Promise<void> {
    const { snapshots } = this.#deps;
    for (let at = 0; at < all.length; at += together) {
      const some = all.slice(at, at + together);
      const heads = await snapshots.heads(some.map(({ id }) => id));
      const cold = some.filter((project): project is ColdProject => project instanceof ColdProject);
      const summaries = await this.#summariesOf(cold, heads);
      const newest = new Map(
        cold
          .filter(({ id }) => !summaries.has(id))
          .flatMap(({ id }) =>
            this.#usable(id, heads.get(id))
              .slice(0, 1)
              .map((head) => [id, head]),
          ),
      );
      const beginnings = newest.size === 0 ? new Map<string, Uint8Array>() : await snapshots.beginnings(newest);
      for (const project of some) {
        const found = heads.get(project.id);
        if (project instanceof HostedProject) await this.#beginAgain(project, found);
        else await this.#beginCold(project, found, summaries.get(project.id) ?? beginnings.get(project.id));
      }
    }
  }

  /** The stored summaries that are at least as new as the snapshots: not of a project whose log did not continue one. */
  async #summariesOf(
    cold: readonly ColdProject[],
    heads: ReadonlyMap<string, readonly Head[]>,
  ): Promise<ReadonlyMap<string, Summary>> {
    const asked = cold.map(({ id }) => id).filter((id) => !this.#attempts.has(id));
    const found = asked.length === 0 ? new Map<string, Summary>() : await this.#deps.snapshots.summaries(asked);
    return new Map([...found].filter(([id, { head }]) => head.seq >= (heads.get(id)?.[0]?.seq ?? 0)));
  }

  #usable(log: string, heads: readonly Head[] = []): readonly Head[] {
    const { below = Infinity } = this.#attempts.get(log) ?? {};
    return heads.filter(({ seq }) => seq < below);
  }

  async #beginCold(project: ColdProject, heads: readonly Head[] = [], beginning?: Summary | Uint8Array): Promise<void> {
    const { projects, feeds, onBegun } = this.#deps;
    const { id } = project;
    await project.exclusive.run(async () => {
      // The project was loaded into memory in between, so it was not lost.
      if (projects.has(id) && projects.get(id) !== project) return;
      const usable = this.#usable(id, heads);
      let foreign = new ForeignIds(project.code);
      const summary = beginning instanceof Uint8Array ? undefined : beginning;
      const summarised = summary && this.#summaryIn(summary, foreign);
      const restored =
        summarised ??
        (await this.#restored(id, usable, (head, isNewest) => {
          foreign = new ForeignIds(project.code);
          return this.#summaryOf(
            id,
            head,
            foreign,
            isNewest && beginning instanceof Uint8Array ? beginning : undefined,
          );
        }));
      await inSlices('cold load', this.#place(project.placed, restored?.placed), { project: id });
      for (const one of foreign.values()) project.foreign.add(one);
      project.own = restored?.own;
      project.entryBytes = restored?.entryBytes ?? 0;
      project.replica.tail.continueAfter(restored?.head ?? emptyHead, restored?.at);
      feeds?.restart(id, restored && { after: pointOf(restored.head), entries: [] });
      const snapshot = summarised === undefined ? restored?.head.seq : usable[0]?.seq;
      onBegun(id, restored, { seq: snapshot ?? 0, isSummary: summarised !== undefined });
    });
  }

  #summaryIn(summary: Summary, foreign: ForeignIds): RestoredSummary | undefined {
    const { texts, report } = this.#deps;
    try {
      return summaryIn(summary, { foreign, texts });
    } catch (error) {
      report(`The summary of ${summary.log} at entry ${summary.head.seq} is not used: ${(error as Error).message}.`);
      return undefined;
    }
  }

  async #summaryOf(log: string, head: Head, foreign: ForeignIds, beginning?: Uint8Array): Promise<RestoredSummary> {
    const { texts } = this.#deps;
    const target = { foreign, texts };
    if (beginning !== undefined)
      try {
        return await readSummary({ log, head, parts: Readable.from([beginning]) }, target);
      } catch (error) {
        // The log may be longer.
        if (!(error instanceof SnapshotError)) throw error;
      }
    return readSummary({ log, head, parts: this.#deps.snapshots.read(log, head) }, target);
  }

  /** Changes of the project that are in progress are decided first; they cannot be accepted. */
  #beginAgain(project: HostedProject, heads: readonly Head[] = []): Promise<void> {
    const { durability, feeds, derive, onBegun } = this.#deps;
    return project.exclusive.run(async () => {
      while (project.replica.tail.isSpeculative) await durability.whenDecided(project.id);
      const { project: fresh, restored } = await this.#replicaOf(project, heads);
      await inSlices('cold load', this.#place(project.placed, restored?.placed), { project: project.id });
      project.become(fresh);
      await inSlices('cold load', derive(project), { project: project.id });
      feeds?.restart(project.id, restored?.feed);
      onBegun(project.id, restored, { seq: restored?.head.seq ?? 0, isSummary: false });
    });
  }

  *#place(placed: PlacedRecords, records: readonly PlacedRecord[] = []): Steps<void> {
    const other = new PlacedRecords(this.#deps.service);
    for (const record of records) other.add(record);
    yield* placed.become(other, records);
  }

  /** A project as its newest snapshot that can be read has it; an empty replica without a snapshot. */
  async #replicaOf(
    listed: Pick<ListedProject, 'id' | 'code'>,
    heads: readonly Head[],
  ): Promise<{ readonly project: HostedProject; readonly restored: RestoredLog | undefined }> {
    const { snapshots, empty } = this.#deps;
    const { id: log } = listed;
    let project = empty(listed);
    const restored = await this.#restored(log, this.#usable(log, heads), (head) => {
      project = empty(listed);
      return readSnapshot({ log, head, parts: snapshots.read(log, head) }, project);
    });
    if (restored !== undefined) project.heldCharacters = restored.characters;
    return { project: restored === undefined ? empty(listed) : project, restored };
  }

  /** Reads the first of these snapshots that is whole. */
  async #restored<T>(
    log: string,
    heads: readonly Head[],
    read: (head: Head, isNewest: boolean) => Promise<T>,
  ): Promise<T | undefined> {
    for (const head of heads)
      try {
        return await read(head, head === heads[0]);
      } catch (error) {
        // The database does not answer: that says nothing of the snapshot.
        if (error instanceof PlannerError) throw error;
        this.#deps.report(`The snapshot of ${log} at entry ${head.seq} is not used: ${(error as Error).message}.`);
      }
    return undefined;
  }

  async #remove(project: NodeProject): Promise<void> {
    this.#deps.projects.delete(project.id);
    // Its last entry was not applied.
    if (this.#lost.delete(project)) await inSlices('cold load', project.placed.remove(), { project: project.id });
  }

  /** Serves a project that its log continues; otherwise it is loaded again. */
  async #serve(project: NodeProject): Promise<void> {
    const { projects, onLoaded } = this.#deps;
    const { id } = project;
    const why = this.#lost.get(project);
    if (why !== undefined) return this.#failed(project, why);
    this.#attempts.delete(id);
    if (projects.has(id)) projects.renewed(id);
    else projects.set(project);
    onLoaded(id);
  }

  async #failed(project: NodeProject, why: Lost): Promise<void> {
    const { projects, report } = this.#deps;
    const { id } = project;
    const attempts = this.#attempts.get(id) ?? { count: 0, below: Infinity };
    this.#attempts.set(id, attempts);
    attempts.count++;
    attempts.below = belowNext(why, project.replica.tail);
    if (projects.get(id) === project) {
      if (attempts.count < attemptsMax) return;
      projects.delete(id);
    }
    this.#lost.delete(project);
    await inSlices('cold load', project.placed.remove(), { project: id });
    this.#isListChanged = true;
    if (attempts.count < attemptsMax) return;
    this.#attempts.delete(id);
    this.unreadable.set(id, notReadable(id));
    report(`${id} cannot be loaded: its log does not go back far enough, and no snapshot of it can be continued.`);
  }
}

/**
 * Which snapshots are tried next: a newer one may continue a log that was trimmed, an older one a log that has another entry
 * there.
 */
function belowNext(why: Lost | undefined, { confirmed }: LogTail): number {
  return why === 'forked' ? confirmed.seq : Infinity;
}
