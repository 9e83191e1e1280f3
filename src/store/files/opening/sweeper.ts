import type { StoreParts } from './store-deps.ts';
import type { Project } from '../project/project.ts';
import type { Change } from '../../record/record.ts';
import { inSlices } from '../../../slices.ts';
import { WatchBeat } from '../edits/watch-beat.ts';
import { Watcher } from '../edits/watcher.ts';

/** Files looked at by the slow beat between two turns of the event loop. */
const beatChunk = 200;
/** So many paths are looked at faster than a missed edit is searched for. */
const fewPaths = 16;
/** How soon a project is looked at again whose directory vanished while files were being written. */
const writingAgainMs = 20;
/** How long after each look at git the next one follows. */
const gitRestMs = 30;
/** An edit this old should have been heard of. */
const heardMs = 10_000;

/** Finds edits: by events, by second looks, and on a slow beat that catches what notification lost. */
export class Sweeper {
  readonly #engine: StoreParts;
  readonly #watcher: Watcher;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #beat: WatchBeat;
  /** What was heard of and is going to be looked at, or is being looked at a few files at a turn. */
  readonly #awaited = new Set<string>();
  /** Of which something was heard last. */
  #last: Project | undefined;
  #stopped = false;

  constructor(engine: StoreParts) {
    this.#engine = engine;
    const { disk, clock, beatMs, log } = engine.options;
    this.#beat = new WatchBeat({ clock, beatMs, log, problems: engine.problems, look: () => this.#onBeat() });
    this.#watcher = new Watcher({
      disk,
      clock,
      directory: engine.layout.projects,
      sweep: (paths) => this.#sweep(paths),
      isBeingWritten: (path) => this.#inProject(path, (project, inside) => project.isInFlight(inside)),
      hears: (path) => this.#inProject(path, (project, inside) => project.hears(inside)),
      mayHold: (path) => !path.includes('/') || engine.places.mayHold(path.slice(path.indexOf('/') + 1)),
      gitAtWork: () => this.#gitRuns(),
      overflowed: () => this.#beat.soon(),
      deaf: () => void this.#listenAnew(),
      failed: (error) => this.#beat.failed(error),
    });
  }

  /** Resolves at once; events are heard a moment later, and what happened until then is looked for. */
  start(): Promise<void> {
    this.#beat.start();
    if (!this.#engine.options.watch) return Promise.resolve();
    return this.#watcher.start().then(() => this.all());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#beat.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#watcher.stop();
  }

  /** Looks at one file, and at what was heard of: it may have been moved. Resolves when it has. */
  now(project: Project, path: string): Promise<void> {
    return this.#lookWithHeard(project, [path]);
  }

  /** Looks at paths of one project in a moment. */
  soon(project: Project, paths: readonly string[], afterMs = 0): void {
    if (this.#stopped) return;
    this.#await(project, paths);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      for (const path of paths) this.#awaited.delete(`${project.directory}/${path}`);
      void this.#lookWithHeard(project, paths).then(() => this.#engine.checkpointer.schedule());
    }, afterMs);
    this.#timers.add(timer);
  }

  /** Looks at paths as soon as git has finished what it is doing. */
  onceGitRests(project: Project, paths: readonly string[]): void {
    if (this.#stopped) return;
    this.#await(project, paths);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#engine.git?.atWork() !== undefined) this.onceGitRests(project, paths);
      else this.soon(project, paths);
    }, gitRestMs);
    this.#timers.add(timer);
  }

  /** Looks at every file of every project, leaving the event loop to others in between. `found` is told of each look's changes. */
  async all(found: (project: Project, changes: readonly Change[]) => void = () => undefined): Promise<void> {
    this.#newDirectories();
    for (const project of [...this.#engine.projects.values()]) {
      const paths = [...project.files.values()].map(({ path }) => path);
      for (let at = 0; at < paths.length && !this.#stopped; at += beatChunk) {
        found(project, await this.#look(project, paths.slice(at, at + beatChunk)));
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!this.#stopped) found(project, await this.#look(project, ['']));
    }
  }

  /** The same on the beat, unless git is changing the files: answers how many edits should have been heard of before. */
  async #onBeat(): Promise<number> {
    if (this.#gitRuns()) return 0;
    // What the system has told while this process did something else, or was stopped, is heard first.
    await new Promise((resolve) => setImmediate(resolve));
    let missed = 0;
    await this.all((project, changes) => {
      missed += changes.filter(({ id }) => this.#wasMissed(project, id)).length;
    });
    if (missed > 0 && this.#engine.options.watch) this.#watcher.doubt();
    return missed;
  }

  #gitRuns(): boolean {
    return this.#engine.git?.atWork()?.running === true;
  }

  async #listenAnew(): Promise<void> {
    try {
      await this.#watcher.renew();
      while (this.#gitRuns() && !this.#stopped) await new Promise((resolve) => setTimeout(resolve, gitRestMs));
      await this.all();
    } catch (error) {
      this.#beat.failed(error as Error);
    }
  }

  /** Paths below `projects/`: the first part is the project's directory. */
  #sweep(paths: ReadonlySet<string>): void {
    const byDirectory = new Map<string, string[]>();
    for (const path of paths) {
      const [directory = '', ...rest] = path.split('/');
      const list = byDirectory.get(directory);
      if (list === undefined) byDirectory.set(directory, [rest.join('/')]);
      else list.push(rest.join('/'));
    }
    for (const [directory, inside] of byDirectory) this.#sweepDirectory(directory, inside);
  }

  #sweepDirectory(directory: string, paths: readonly string[]): void {
    const project = this.#projectIn(directory);
    if (project !== undefined) return void this.#lookInTurns(project, paths);
    if (!directory.startsWith('.') && this.#engine.loader.isProject(directory)) this.#engine.loadDirectory(directory);
  }

  /** Asks the project that a path below `projects/` lies in, with the path inside; false where there is none. */
  #inProject(path: string, ask: (project: Project, inside: string) => boolean): boolean {
    const at = path.indexOf('/');
    const project = at > 0 ? this.#projectIn(path.slice(0, at)) : undefined;
    return project !== undefined && ask(project, path.slice(at + 1));
  }

  #projectIn(directory: string): Project | undefined {
    // Events come in runs.
    if (this.#last?.directory === directory && this.#engine.projects.get(this.#last.id) === this.#last)
      return this.#last;
    for (const project of this.#engine.projects.values()) {
      if (project.directory === directory) return (this.#last = project);
    }
    return undefined;
  }

  /** False while it cannot be told: the project's directory has another name, and files are still being written under the former one. */
  #isThere(project: Project): boolean {
    if (this.#engine.loader.isProject(project.directory)) return true;
    this.#newDirectories();
    return this.#engine.loader.isProject(project.directory) || !project.writing;
  }

  #newDirectories(): void {
    const known = new Set([...this.#engine.projects.values()].map(({ directory }) => directory));
    for (const directory of this.#engine.loader.directories())
      if (!known.has(directory)) this.#engine.loadDirectory(directory);
  }

  /** A file that is gone may have been moved to where something was heard of meanwhile: both are looked at together. */
  async #lookWithHeard(project: Project, paths: readonly string[]): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#lookInTurns(project, [...new Set([...paths, ...this.#watcher.take(project.directory)])]);
  }

  async #lookInTurns(project: Project, paths: readonly string[]): Promise<void> {
    if (paths.length <= fewPaths) return void (await this.#look(project, paths));
    this.#await(project, paths);
    await this.#look(project, paths);
    for (const path of paths) this.#awaited.delete(`${project.directory}/${path}`);
  }

  #await(project: Project, paths: readonly string[]): void {
    for (const path of paths) this.#awaited.add(`${project.directory}/${path}`);
  }

  /** An edit that should have been heard of by now, and was not. */
  #wasMissed(project: Project, id: string): boolean {
    const file = project.files.served(id);
    if (file === undefined || this.#engine.options.clock.now() - file.stamp.ctimeMs < heardMs) return false;
    const path = `${project.directory}/${file.path}`;
    return !this.#awaited.has(path) && !this.#watcher.hasHeardOf(path);
  }

  /**
   * Sets aside what is as it was left, and looks at the others together: what arrived together is one change. Looking never throws: what a
   * failing disk did not show is looked at again on the next beat.
   */
  async #look(project: Project, paths: readonly string[]): Promise<readonly Change[]> {
    if (!this.#mayLook(project)) return [];
    try {
      const changed = await inSlices('rescan', this.#engine.reconciler.changedAt(project, paths), {
        project: project.id,
      });
      return await project.exclusive.run(async () =>
        this.#mayLook(project) ? this.#lookAt(project, paths, changed) : [],
      );
    } catch (error) {
      this.#engine.options.log(`Files could not be looked at: ${(error as Error).message}`);
      return [];
    }
  }

  #mayLook(project: Project): boolean {
    return !this.#stopped && this.#engine.projects.get(project.id) === project;
  }

  async #lookAt(project: Project, paths: readonly string[], changed: readonly string[]): Promise<readonly Change[]> {
    if (!this.#isThere(project)) {
      this.soon(project, paths, writingAgainMs);
      return [];
    }
    const outcome = await inSlices('reconcile', this.#engine.reconciler.lookSliced(project, changed), {
      project: project.id,
    });
    await inSlices('reconcile', this.#engine.adoptSliced(project, outcome), { project: project.id });
    this.#engine.recordFiles.look(project, paths);
    if (outcome.again.length > 0) this.soon(project, outcome.again, outcome.againAfterMs);
    if (project.index.record(project.id) === undefined && project.pending.size === 0)
      this.#engine.removeProject(project);
    return outcome.changes;
  }
}
