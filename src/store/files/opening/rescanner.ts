import { delay, type Clock, type Timer } from '../../../clock.ts';
import type { StoreDeps } from './store-deps.ts';
import type { WatchMode } from '../project/options.ts';
import type { Project } from '../project/project.ts';
import type { Change } from '../../record/record.ts';
import { inSlices, type Steps } from '../../../slices.ts';
import { PeriodicRescan, pollIntervalMs, type Rescanned } from '../edits/periodic-rescan.ts';
import { listTwins } from './directory-problems.ts';
import { chooseWatch } from '../edits/watch-mode.ts';
import { Watcher } from '../edits/watcher.ts';

/** Up to this many paths are rescanned faster than a missed edit is searched for. */
const fewPaths = 16;
/** Delay before a project is rescanned again if its directory vanished while files were being written. */
const inFlightRetryMs = 20;
/** The interval of searches for the first project of a root. */
const firstProjectMs = 500;
/** The interval of checks whether a git operation has ended. */
const gitPollMs = 30;
/** An event for an edit of this age should have arrived. */
const eventLatencyMsMax = 10_000;

/** The components that rescans need. */
export type RescannerDeps = Pick<
  StoreDeps,
  | 'options'
  | 'layout'
  | 'ports'
  | 'locations'
  | 'projects'
  | 'problems'
  | 'git'
  | 'loader'
  | 'unserved'
  | 'adoption'
  | 'reconciler'
  | 'edits'
  | 'attachmentFiles'
  | 'checkpointer'
  | 'signals'
>;

/** Finds external edits: by events, by retries, and by a periodic rescan for lost events. */
export class Rescanner {
  readonly #engine: RescannerDeps;
  readonly #clock: Clock;
  readonly #watcher: Watcher;
  readonly #timers = new Set<Timer>();
  readonly #periodicRescan: PeriodicRescan;
  /** Paths that are scheduled for a rescan, or are being rescanned. */
  readonly #scheduled = new Set<string>();
  /** The project of the last event. */
  #last: Project | undefined;
  /** How edits are noticed; undefined before the start, and if only rescans notice them. */
  #mode: WatchMode | undefined;
  #watching: Promise<void> | undefined;
  /** Rescans that wait for a git command. */
  readonly #joined = new Map<Project, JoinedRescans>();
  #firstProjectTimer: Timer | undefined;
  #stopped = false;

  constructor(engine: RescannerDeps) {
    this.#engine = engine;
    const { clock, rescanIntervalMs, log } = engine.options;
    this.#clock = clock;
    this.#periodicRescan = new PeriodicRescan({
      clock,
      rescanIntervalMs,
      log,
      problems: engine.problems,
      rescan: () => this.#onPeriodicRescan(),
    });
    this.#watcher = new Watcher({
      clock,
      open: (listener) =>
        engine.ports.openWatch(engine.options, engine.layout.projects, engine.locations.depths, listener),
      onChanges: (paths, duringGit) => this.#onChanges(paths, duringGit),
      countEvents: (path, events) =>
        this.#inProject(path, (project, inside) => project.claims.countEvents(inside, events)),
      isGitRunning: () => this.#isGitRunning(),
      onOverflow: () => this.#periodicRescan.soon(),
      onWatchLost: () => this.#rewatch(),
      onWatchFailed: (error) => this.#periodicRescan.onWatchFailed(error),
    });
  }

  /** How external edits are noticed now: a watch that failed is replaced by rescans. */
  get watch(): WatchMode | 'off' {
    if (this.#mode === 'events' && this.#periodicRescan.replacesEvents) return 'poll';
    return this.#mode ?? 'off';
  }

  /**
   * Starts the periodic rescan, and the watcher if there are projects and their files are not polled. A watch takes
   * 14 MB of memory: a root without projects is searched for the first one at an interval instead.
   */
  start(): void {
    this.#mode = this.#chooseMode();
    this.#periodicRescan.start({ polling: this.#mode === 'poll' });
    this.watchProjects();
    if (this.#mode === 'events' && this.#watching === undefined)
      this.#firstProjectTimer = this.#clock.every(firstProjectMs, () => this.#findFirstProject()).unref();
  }

  #chooseMode(): WatchMode | undefined {
    const { options, layout } = this.#engine;
    if (options.watch === false) return undefined;
    const { mode, reason } = chooseWatch(options.watch, options.disk.fileSystemType(layout.projects));
    if (reason !== undefined) {
      const interval = `every ${pollIntervalMs / 1000} s, or less often if that would take more than a tenth of the time`;
      options.log(`External edits are found by polling all files, ${interval}: ${reason}.`);
    }
    return mode;
  }

  /** Starts the watcher if it is not started and there are projects. */
  watchProjects(): void {
    if (this.#mode !== 'events' || this.#stopped || this.#watching !== undefined || this.#engine.projects.size === 0)
      return;
    this.#firstProjectTimer?.cancel();
    this.#watching = this.#watcher.start().then(() => this.#rescanAllAfterGit());
  }

  /** Resolves when the watcher is ready and the edits made until then are found; at once if nothing is watched. */
  watching(): Promise<void> {
    return this.#watching ?? Promise.resolve();
  }

  #findFirstProject(): void {
    try {
      this.findDirectories();
    } catch (error) {
      this.#engine.options.log(`New projects could not be searched for: ${(error as Error).message}`);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#periodicRescan.stop();
    this.#firstProjectTimer?.cancel();
    for (const timer of this.#timers) timer.cancel();
    await this.#watcher.stop();
  }

  /** Rescans one file, and paths with pending events, since the file may have been moved. Resolves when done. */
  rescanNow(project: Project, path: string): Promise<void> {
    return this.#rescanWithPending(project, [path], { duringGit: true });
  }

  /** Schedules a rescan of paths of one project. */
  schedule(project: Project, paths: readonly string[], afterMs = 0): void {
    if (this.#stopped) return;
    this.#markScheduled(project, paths);
    const timer = this.#clock.after(afterMs, () => {
      this.#timers.delete(timer);
      for (const path of paths) this.#scheduled.delete(`${project.directory}/${path}`);
      void this.#rescanWithPending(project, paths).then(() => this.#engine.checkpointer.schedule());
    });
    this.#timers.add(timer);
  }

  /** Schedules a rescan of paths for when the git operation in progress has ended. */
  scheduleAfterGit(project: Project, paths: readonly string[]): void {
    if (this.#stopped) return;
    this.#markScheduled(project, paths);
    const timer = this.#clock.after(gitPollMs, () => {
      this.#timers.delete(timer);
      if (this.#engine.git?.currentOperation() !== undefined) this.scheduleAfterGit(project, paths);
      else this.schedule(project, paths);
    });
    this.#timers.add(timer);
  }

  /** Rescans every file of every project, yielding to the event loop in between. */
  rescanAll(): Promise<void> {
    return this.#rescanAll((project, paths) => this.#rescan(project, paths, { duringGit: true }));
  }

  async #rescanAll(rescan: (project: Project, paths: readonly string[]) => Promise<unknown>): Promise<void> {
    this.#loadNewDirectories();
    for (const project of [...this.#engine.projects.values()]) {
      // All of a project together: a renamed file is found by its former path and the new one.
      if (!this.#stopped) await rescan(project, ['']);
    }
  }

  /** The same periodically, unless git is changing the files. */
  async #onPeriodicRescan(): Promise<Rescanned | undefined> {
    if (this.#isGitRunning()) return undefined;
    const time = { comparingMs: 0 };
    if (this.#mode === 'poll') {
      await this.#poll(time);
      return { missed: 0, ...time };
    }
    // Events that were queued while this process was busy, or suspended, are handled first.
    await this.#watcher.settle();
    let missed = 0;
    await this.#rescanAll(async (project, paths) => {
      const changes = await this.#rescan(project, paths, { time });
      missed += changes.filter(({ id }) => this.#wasMissed(project, id)).length;
    });
    if (missed > 0 && this.#mode === 'events') this.#watcher.scheduleRewatch();
    return { missed, ...time };
  }

  /** One pass over each project: one stat per file, and edits that were made together are one change. */
  async #poll(time: ComparingTime): Promise<void> {
    this.#loadNewDirectories();
    for (const project of [...this.#engine.projects.values()])
      if (!this.#stopped) await this.#rescan(project, [''], { time });
  }

  #isGitRunning(): boolean {
    return this.#engine.git?.currentOperation()?.running === true;
  }

  async #rewatch(): Promise<void> {
    try {
      await this.#watcher.rewatch();
      await this.#rescanAllAfterGit();
    } catch (error) {
      this.#periodicRescan.onWatchFailed(error as Error);
    }
  }

  async #rescanAllAfterGit(): Promise<void> {
    await this.#untilGitEnds();
    await this.#rescanAll((project, paths) => this.#rescan(project, paths));
  }

  /** Groups paths below `projects/` by project: the first part is the project's directory. */
  #onChanges(paths: ReadonlySet<string>, duringGit: boolean): void {
    const byDirectory = new Map<string, string[]>();
    for (const path of paths) {
      const [directory = '', ...rest] = path.split('/');
      const list = byDirectory.get(directory);
      if (list === undefined) byDirectory.set(directory, [rest.join('/')]);
      else list.push(rest.join('/'));
    }
    for (const [directory, inside] of byDirectory) this.#rescanDirectory(directory, inside, { duringGit });
  }

  #rescanDirectory(directory: string, paths: readonly string[], options: RescanOptions): void {
    const project = this.#projectIn(directory);
    if (project !== undefined) return void this.#rescanPaths(project, paths, options);
    if (this.#engine.loader.mayBeProject(directory)) this.#loadNewDirectory(directory);
  }

  /**
   * Calls `callback` with the project that contains a path below `projects/`, and the path inside it. Returns false if
   * there is none.
   */
  #inProject(path: string, callback: (project: Project, inside: string) => boolean): boolean {
    const at = path.indexOf('/');
    const project = at > 0 ? this.#projectIn(path.slice(0, at)) : undefined;
    return project !== undefined && callback(project, path.slice(at + 1));
  }

  #projectIn(directory: string): Project | undefined {
    // Consecutive events usually belong to one project.
    if (this.#last?.directory === directory && this.#engine.projects.get(this.#last.id) === this.#last)
      return this.#last;
    for (const project of this.#engine.projects.values()) {
      if (project.directory === directory) return (this.#last = project);
    }
    return undefined;
  }

  /**
   * Returns false while it is undecided: the project's directory was renamed, and files are still being written under
   * the former name.
   */
  #isPresent(project: Project): boolean {
    if (this.#engine.loader.isProject(project.directory)) return true;
    this.#loadNewDirectories();
    return this.#engine.loader.isProject(project.directory) || !project.claims.any;
  }

  #loadNewDirectories(): void {
    const { projects, loader, unserved } = this.#engine;
    const known = new Set([...projects.values()].map(({ directory }) => directory));
    const found = loader.directories();
    unserved.keep(new Set(found));
    listTwins(this.#engine.problems, found);
    for (const directory of found) if (!known.has(directory)) this.#loadNewDirectory(directory);
  }

  #loadNewDirectory(directory: string): void {
    const { loader, unserved } = this.#engine;
    if (!loader.isProject(directory)) unserved.inspect(directory, undefined);
    else if (!unserved.isUnchanged(directory)) this.#engine.adoption.load(directory);
  }

  /** Searches for directories that appeared, or that can be served by now. */
  findDirectories(): void {
    if (!this.#isGitRunning()) this.#loadNewDirectories();
  }

  /** A missing file may have been moved to a path with a pending event: both are rescanned together. */
  async #rescanWithPending(project: Project, paths: readonly string[], options?: RescanOptions): Promise<void> {
    await this.#rescanPaths(project, await this.#withPending(project, paths), options);
  }

  async #withPending(project: Project, paths: readonly string[]): Promise<readonly string[]> {
    const pending = await this.#watcher.takePending(project.directory);
    return pending.length === 0 ? paths : [...new Set([...paths, ...pending])];
  }

  async #rescanPaths(project: Project, paths: readonly string[], options?: RescanOptions): Promise<void> {
    if (paths.length <= fewPaths && !this.#isGitRunning()) return void (await this.#rescan(project, paths, options));
    this.#markScheduled(project, paths);
    await this.#rescan(project, paths, options);
    for (const path of paths) this.#scheduled.delete(`${project.directory}/${path}`);
  }

  #markScheduled(project: Project, paths: readonly string[]): void {
    for (const path of paths) this.#scheduled.add(`${project.directory}/${path}`);
  }

  /** Whether an event for an edit should have arrived by now and has not. */
  #wasMissed(project: Project, id: string): boolean {
    const file = project.files.served(id);
    if (file === undefined) return false;
    if (file.sha256 !== null && this.#clock.now() - file.stamp.ctimeMs < eventLatencyMsMax) return false;
    const path = `${project.directory}/${file.path}`;
    return !this.#scheduled.has(path) && !this.#watcher.hasPendingEvent(path);
  }

  /**
   * Reconciles the changed files of these paths together: edits that arrive together are one change. Never throws:
   * files that a failing disk does not return are retried by the next periodic rescan. A git command changes files one
   * after the other, so that they are read when it has finished.
   */
  async #rescan(
    project: Project,
    paths: readonly string[],
    { time = { comparingMs: 0 }, duringGit = false }: RescanOptions = {},
  ): Promise<readonly Change[]> {
    let joined: JoinedRescans | undefined;
    try {
      let all = paths;
      while (this.#canRescan(project)) {
        const before = duringGit ? undefined : this.#joined.get(project);
        if (before !== undefined) {
          for (const path of all) before.paths.add(path);
          await before.done;
          return [];
        }
        if (!duringGit && this.#isGitRunning()) {
          joined ??= joinedRescans();
          all = await this.#join(project, all, joined);
        }
        const commands = duringGit ? undefined : this.#engine.git?.fingerprint();
        const changed = await this.#compare(project, this.#engine.reconciler.changedAt(project, all), time);
        const changes = await project.exclusive.run(async () => {
          if (!this.#canRescan(project)) return [];
          // A git command may have started since, and even ended.
          const isSettled = duringGit || (!this.#isGitRunning() && this.#engine.git?.fingerprint() === commands);
          return isSettled ? this.#reconcile(project, all, changed, time) : undefined;
        });
        if (changes !== undefined) return changes;
        all = await this.#withPending(project, all);
      }
    } catch (error) {
      this.#engine.options.log(`Files could not be rescanned: ${(error as Error).message}`);
    } finally {
      joined?.end();
    }
    return [];
  }

  /**
   * Waits for the git command that runs. Returns these paths with those of rescans that were due meanwhile: what the
   * command changed is one change.
   */
  async #join(project: Project, paths: readonly string[], joined: JoinedRescans): Promise<readonly string[]> {
    for (const path of paths) joined.paths.add(path);
    this.#joined.set(project, joined);
    try {
      await this.#untilGitEnds();
      for (const path of await this.#watcher.takePending(project.directory)) joined.paths.add(path);
    } finally {
      this.#joined.delete(project);
    }
    return [...joined.paths];
  }

  async #untilGitEnds(): Promise<void> {
    while (this.#isGitRunning() && !this.#stopped) await delay(this.#clock, gitPollMs);
  }

  #compare<T>(project: Project, steps: Steps<T>, time: ComparingTime): Promise<T> {
    return inSlices('rescan', timed(steps, this.#clock, time), { project: project.id });
  }

  #canRescan(project: Project): boolean {
    return !this.#stopped && this.#engine.projects.get(project.id) === project;
  }

  async #reconcile(
    project: Project,
    paths: readonly string[],
    changed: readonly string[],
    time: ComparingTime,
  ): Promise<readonly Change[]> {
    if (!this.#isPresent(project)) {
      this.schedule(project, paths, inFlightRetryMs);
      return [];
    }
    const outcome = await inSlices('reconcile', this.#engine.reconciler.reconcileSliced(project, changed), {
      project: project.id,
    });
    await inSlices('reconcile', this.#engine.edits.applySliced(project, outcome), { project: project.id });
    if (outcome.retryPaths.length > 0) this.schedule(project, outcome.retryPaths, outcome.retryAfterMs);
    await this.#compare(project, this.#engine.attachmentFiles.inspectPaths(project, paths), time);
    this.#engine.signals.note(project.id);
    if (project.index.record(project.id) === undefined && project.dirty.size === 0)
      this.#engine.adoption.remove(project);
    return outcome.changes;
  }
}

/** How long comparing took so far, without the turns in between. */
interface ComparingTime {
  comparingMs: number;
}

/** Rescans of a project that are due while a git command runs become one. */
interface JoinedRescans {
  readonly paths: Set<string>;
  /** Resolves when it is done. */
  readonly done: Promise<void>;
  readonly end: () => void;
}

function joinedRescans(): JoinedRescans {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { paths: new Set(), done: promise, end: resolve };
}

interface RescanOptions {
  /** Where the time of comparing is added. */
  readonly time?: ComparingTime;
  /** Whether to read files although a git command is changing them. */
  readonly duringGit?: boolean;
}

function* timed<T>(steps: Steps<T>, clock: Clock, time: ComparingTime): Steps<T> {
  for (;;) {
    const began = clock.monotonic();
    const next = steps.next();
    time.comparingMs += clock.monotonic() - began;
    if (next.done === true) return next.value;
    yield;
  }
}
