import type { Timer } from '../../../base/clock.ts';
import type { StoreDeps } from '../projects/store-deps.ts';
import type { WatchMode } from '../project/options.ts';
import type { GitWait, RescanRequest } from '../project/project-queue.ts';
import type { Project } from '../project/project.ts';
import { PeriodicRescan, pollIntervalMs, type PeriodicResult } from '../edits/periodic-rescan.ts';
import { chooseWatch } from '../edits/watch-mode.ts';
import { Watcher } from '../edits/watcher.ts';
import { ProjectDirectories } from '../projects/project-directories.ts';
import { Rescans } from './rescans.ts';

/** The interval of searches for the first project of a root. */
const firstProjectMs = 500;
/** An event for an edit of this age should have arrived. */
const eventLatencyMsMax = 10_000;

/** Finds external edits: by events, by requests, and by a periodic rescan for lost events. */
export class Rescanner {
  readonly #engine: StoreDeps;
  readonly #directories: ProjectDirectories;
  readonly #watcher: Watcher;
  readonly #rescans: Rescans;
  readonly #periodicRescan: PeriodicRescan;
  /** How edits are noticed; undefined before the start, and if only rescans notice them. */
  #mode: WatchMode | undefined;
  #watching: Promise<void> | undefined;
  #firstProjectTimer: Timer | undefined;
  #stopped = false;

  constructor(engine: StoreDeps) {
    this.#engine = engine;
    const { clock, rescanIntervalMs, log } = engine.options;
    this.#directories = new ProjectDirectories(engine);
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
        this.#directories.inProject(path, (project, inside) => project.claims.countEvents(inside, events)),
      isGitRunning: () => this.#isGitRunning(),
      onOverflow: () => this.#periodicRescan.soon(),
      onWatchLost: () => this.#watch(() => this.#watcher.rewatch()),
      onWatchFailed: (error) => this.#periodicRescan.onWatchFailed(error),
    });
    this.#rescans = new Rescans({
      engine,
      directories: this.#directories,
      takePending: (directory) => this.#watcher.takePending(directory),
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
      this.#firstProjectTimer = this.#engine.options.clock
        .every(firstProjectMs, () => this.#findFirstProject())
        .unref();
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
    this.#watching = this.#watch(() => this.#watcher.start());
  }

  /** Resolves when the watcher is ready and the edits made until then are found; at once if nothing is watched. */
  watching(): Promise<void> {
    return this.#watching ?? Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#periodicRescan.stop();
    this.#firstProjectTimer?.cancel();
    this.#rescans.stop();
    await this.#watcher.stop();
  }

  /** Rescans one file at once, since a request waits for it. Resolves when done. */
  async rescanNow(project: Project, path: string): Promise<void> {
    await this.#rescans.request(project, { paths: [path], waitsFor: 'nothing' });
  }

  /** Rescans paths of a project when that is due. */
  request(project: Project, request: RescanRequest): void {
    void this.#rescans.request(project, request);
  }

  /** Rescans every file of every project. Returns the number of edits that events should have reported before. */
  async rescanAll(waitsFor: GitWait = 'nothing'): Promise<number> {
    if (waitsFor === 'command') await this.#rescans.untilGitEnds();
    this.#directories.loadNew();
    let missed = 0;
    for (const project of [...this.#engine.projects.values()]) {
      // All of a project together: a renamed file is found by its former path and the new one.
      const rescanned = await this.#rescans.request(project, { paths: [''], waitsFor, withPending: false });
      missed += rescanned.changes.filter(({ id }) => this.#wasMissed(project, id, rescanned.paths)).length;
    }
    return missed;
  }

  /** The same periodically, unless git is changing the files. */
  async #onPeriodicRescan(): Promise<PeriodicResult | undefined> {
    if (this.#isGitRunning()) return undefined;
    const before = this.#rescans.comparedMs;
    // Events that were queued while this process was busy, or suspended, are handled first.
    if (this.#mode !== 'poll') await this.#watcher.settle();
    const missed = await this.rescanAll('command');
    if (missed > 0 && this.#mode === 'events') this.#watcher.scheduleRewatch();
    return { missed, comparingMs: this.#rescans.comparedMs - before };
  }

  #isGitRunning(): boolean {
    return this.#engine.git?.currentOperation()?.running === true;
  }

  /** Watches, and finds the edits made until then. Never rejects: what the disk does not return now is found later. */
  async #watch(begin: () => Promise<void>): Promise<void> {
    try {
      await begin();
    } catch (error) {
      return this.#periodicRescan.onWatchFailed(error as Error);
    }
    try {
      await this.rescanAll('command');
    } catch (error) {
      this.#engine.options.log(`Files could not be rescanned: ${(error as Error).message}`);
      this.#periodicRescan.soon();
    }
  }

  /** Groups paths below `projects/` by project: the first part is the project's directory. */
  #onChanges(paths: ReadonlySet<string>, duringGit: boolean): void {
    const byDirectory = Map.groupBy(paths, (path) => path.split('/', 1)[0]!);
    for (const [directory, inside] of byDirectory) {
      const project = this.#directories.projectIn(directory);
      if (project === undefined) this.#directories.load(directory);
      else {
        const waitsFor = duringGit ? 'nothing' : 'command';
        const relative = inside.map((path) => path.slice(directory.length + 1));
        void this.#rescans.request(project, { paths: relative, waitsFor, withPending: false });
      }
    }
  }

  /** Searches for directories that appeared, or that can be served by now. */
  findDirectories(): void {
    if (!this.#isGitRunning()) this.#directories.loadNew();
  }

  #findFirstProject(): void {
    try {
      this.findDirectories();
    } catch (error) {
      this.#engine.options.log(`New projects could not be searched for: ${(error as Error).message}`);
    }
  }

  /** Returns whether an event for an edit should have arrived by now and has not. Without a watch none is expected. */
  #wasMissed(project: Project, id: string, requested: ReadonlySet<string>): boolean {
    const file = project.files.served(id);
    if (file === undefined || this.#mode === 'poll') return false;
    if (file.sha256 != null && this.#engine.options.clock.now() - file.stamp.ctimeMs < eventLatencyMsMax) return false;
    return (
      !requested.has(file.path) &&
      !project.queue.isDue(file.path) &&
      !this.#watcher.hasPendingEvent(`${project.directory}/${file.path}`)
    );
  }
}
