import { type Clock, isoTime, type Timer } from '../../../base/clock.ts';
import type { RecordsWanted } from '../../record/read-transaction.ts';
import { ColdProject } from './cold-project.ts';
import { GoneError, unlessGone } from '../../transactions/gone-error.ts';
import type { Holds } from './holds.ts';
import { HostedProject } from './hosted-project.ts';
import type { NodeMeasures } from './node-measures.ts';
import { ProjectMemory } from './project-memory.ts';
import { ResidentLoader, type ResidentLoaderDeps } from './resident-loader.ts';
import type { SnapshotTaker } from './snapshot-taker.ts';

export interface ResidentsDeps extends Omit<ResidentLoaderDeps, 'onLoaded'> {
  readonly memoryBytes: number;
  readonly taker: SnapshotTaker;
  readonly measures: NodeMeasures;
  /** The clock of this machine. */
  readonly clock: Clock;
  readonly logClock: Pick<Clock, 'now'>;
  /** Applies the entries of others in the log of a project. */
  readonly catchUp: (project: ColdProject) => Promise<void>;
  /** Returns whether the replica of a project cannot be continued. */
  readonly isLost: (project: HostedProject) => boolean;
  /** Resolves when every project is known. */
  readonly whenKnown: () => Promise<void>;
  /** A project is in memory from now on. */
  readonly onLoaded: (id: string) => void;
}

/** The maximum number of entries after its snapshot with which a project is dropped from memory. */
const tailMax = 100;
/**
 * A project that other nodes change is dropped if it was not used for this long: its calls arrive there, and each change
 * would be applied here, too.
 */
const unusedMs = 60_000;
/** A project that was not changed for this long is left. */
const idleMs = 30_000;

/** When projects are loaded that were not asked for: calls come first. */
const warmAfterMs = 1000;
/** They are the ones that were changed within this time, and loading takes this share of one processor at most. */
const warmWithinMs = 3_600_000;
const warmShare = 1 / 20;

/** How long, and of how many projects, a read of all loads records. */
const loadMsMax = 2000;
const loadedMax = 200;

/** The projects that are in memory: loaded when they are asked for, and dropped when they are too much. */
export class Residents {
  readonly #deps: ResidentsDeps;
  readonly #memory: ProjectMemory;
  readonly #loader: ResidentLoader;
  /** Ids of projects that calls want in memory. */
  readonly #awaited = new Tally();
  #warming: Timer | undefined;
  #warmed: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: ResidentsDeps) {
    this.#deps = deps;
    this.#memory = new ProjectMemory(deps.memoryBytes);
    this.#loader = new ResidentLoader({
      ...deps,
      onLoaded: (project) => {
        this.used(project);
        this.drop();
        deps.onLoaded(project.id);
      },
    });
  }

  /** The estimated memory of the projects in memory, in bytes. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  used(project: HostedProject): void {
    const { entriesOfOthers } = project.replica.tail;
    project.used = { at: this.#deps.clock.monotonic(), entriesOfOthers };
    this.#memory.used(project);
  }

  /** Entries of a project were applied, or it was loaded again. */
  changed(project: HostedProject): void {
    this.#memory.changed(project);
  }

  /** A project was deleted. */
  forget(project: HostedProject): void {
    this.#memory.forget(project);
  }

  /**
   * Runs `use` with a project in memory, where it stays until `use` ends. Rejects with `GoneError` if it does not exist
   * at the moment.
   */
  async using<T>(id: string, use: (project: HostedProject) => Promise<T>): Promise<T> {
    const { projects, catchUp } = this.#deps;
    this.#awaited.add(id);
    try {
      for (;;) {
        const found = projects.get(id);
        if (found === undefined) throw new GoneError(id);
        if (found instanceof HostedProject) return await this.use(found, use);
        // The log may no longer have the entries that follow: a project that cannot be continued is replaced.
        await catchUp(found);
        if (projects.get(id) === found) await this.#load(found);
      }
    } finally {
      this.#awaited.delete(id);
    }
  }

  async #load(project: ColdProject): Promise<void> {
    const { clock, measures } = this.#deps;
    const isShared = this.#loader.isLoading(project.id);
    const begun = clock.monotonic();
    await this.#loader.load(project);
    if (!isShared) measures.coldLoads.observe((clock.monotonic() - begun) / 1000);
  }

  /** Runs `use` with a project that is in memory. */
  async use<T>(project: HostedProject, use: (project: HostedProject) => Promise<T>): Promise<T> {
    project.users++;
    this.used(project);
    try {
      return await use(project);
    } finally {
      project.users--;
      if (project.users === 0 && this.#memory.isOver) this.drop();
    }
  }

  /** See `HostedStore`. A project that cannot be loaded is left to the calls that ask for it. */
  warm(): void {
    const { clock, logClock, projects } = this.#deps;
    const begin = (): void => {
      const since = isoTime(logClock.now() - warmWithinMs);
      const changed = [...projects.cold()].filter(({ replica }) => (replica.tail.at ?? '') >= since);
      this.#warmIn(0, changed.sort(byLastChange).values());
    };
    const known = (): unknown => (this.#isClosed ? undefined : this.#deps.whenKnown().then(begin));
    this.#warming = clock.after(warmAfterMs, () => void Promise.try(known).catch(() => undefined)).unref();
  }

  #warmIn(ms: number, left: Iterator<ColdProject, undefined>): void {
    if (this.#isClosed) return;
    const next = (): void => void (this.#warmed = this.#warmNext(left));
    this.#warming = this.#deps.clock.after(ms, next).unref();
  }

  /** Calls come first: between two loads is a multiple of the time that one took. */
  async #warmNext(left: Iterator<ColdProject, undefined>): Promise<void> {
    const { clock } = this.#deps;
    const { value: project, done } = left.next();
    if (done === true || this.#memory.bytes >= this.#memory.bytesMax / 2) return;
    const begun = clock.monotonic();
    await this.using(project.id, () => Promise.resolve()).catch(() => undefined);
    this.#warmIn((clock.monotonic() - begun) * (1 / warmShare - 1), left);
  }

  /**
   * Loads projects that are not in memory, and holds them: projects whose code is in the text first, then the ones that
   * were changed last, as many as time and memory allow.
   */
  async loadSome({ near = '' }: RecordsWanted, holds: Holds): Promise<void> {
    const { clock, projects } = this.#deps;
    const until = clock.monotonic() + loadMsMax;
    const [nearest, others] = divided([...projects.cold()], ({ code }) => near.includes(code));
    others.sort(byLastChange);
    for (const [at, project] of [...nearest, ...others].entries()) {
      const isNear = at < nearest.length;
      const isTooMuch = at >= loadedMax || clock.monotonic() >= until || this.#memory.isFull;
      if (isTooMuch && !isNear) return;
      // The project may be deleted in between.
      await holds.hold(project.id).catch(unlessGone);
    }
  }

  /** Has snapshots taken of projects that were changed and then left: they are loaded quickly then. */
  snapshotIdle(): void {
    const { projects, taker, logClock } = this.#deps;
    const before = isoTime(logClock.now() - idleMs);
    for (const { id, replica } of projects.residents())
      if (taker.behind(id) > tailMax && (replica.tail.at ?? before) < before) taker.want(id);
  }

  /** Drops projects from memory that are too much for it, and unused ones that other nodes change. */
  drop(): void {
    const { clock, taker } = this.#deps;
    const before = clock.monotonic() - unusedMs;
    for (const project of this.#memory.usedBefore(before))
      if (isElsewhere(project) && this.#mayLeave(project)) this.#drop(project);
    for (const project of this.#memory.surplus((one) => this.#mayLeave(one))) {
      // The project is loaded from its snapshot later. A snapshot that is under way, or was tried, is not awaited
      // twice.
      if (taker.behind(project.id) > tailMax && taker.want(project.id)) continue;
      this.#drop(project);
    }
  }

  #mayLeave(project: HostedProject): boolean {
    return (
      project.users === 0 &&
      !this.#awaited.has(project.id) &&
      project.exclusive.held === undefined &&
      !project.replica.tail.isSpeculative &&
      !this.#deps.isLost(project)
    );
  }

  #drop(project: HostedProject): void {
    const { projects, feeds } = this.#deps;
    const cold = new ColdProject(project, project, projects.busy);
    const { confirmed, at } = project.replica.tail;
    cold.replica.tail.continueAfter(confirmed, at);
    cold.own = project.index.find(project.id);
    cold.entryBytes = project.entryBytes;
    this.#memory.forget(project);
    projects.replace(cold);
    feeds?.drop(project.id);
  }

  /** Ends loading ahead. Resolves when the loads in progress end, or the storage is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#warming?.cancel();
    await this.#warmed;
  }
}

/** Other nodes have changed it since it was last used here. */
function isElsewhere({ used, replica }: HostedProject): boolean {
  return replica.tail.entriesOfOthers !== used.entriesOfOthers;
}

function divided<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** The last changed one first. */
function byLastChange({ replica: { tail: a } }: ColdProject, { replica: { tail: b } }: ColdProject): number {
  const [one, other] = [a.at ?? '', b.at ?? ''];
  return one < other ? 1 : one > other ? -1 : 0;
}

/** Counts names. */
class Tally {
  readonly #counts = new Map<string, number>();

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  delete(name: string): void {
    const count = this.#counts.get(name) ?? 0;
    if (count > 1) this.#counts.set(name, count - 1);
    else this.#counts.delete(name);
  }
}
