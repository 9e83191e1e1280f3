import type { StoreParts } from './store-parts.ts';
import type { Project } from './project.ts';
import { Watcher } from './watcher.ts';

/** Files looked at by the slow beat between two turns of the event loop. */
const beatChunk = 200;
/** Files told of by events whose stat is looked at in one turn: what the service wrote itself is told of too, and holds up no request. */
const eventChunk = 16;
/** How long after each look at git the next one follows. */
const gitRestMs = 30;
/** How often everything is looked at once notification has failed. */
const withoutEventsMs = 2000;

/** Finds edits: by events, by second looks, and on a slow beat that catches what notification lost. */
export class Sweeper {
  readonly #engine: StoreParts;
  readonly #watcher: Watcher;
  readonly #timers = new Set<NodeJS.Timeout>();
  #beat: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(engine: StoreParts) {
    this.#engine = engine;
    this.#watcher = new Watcher({
      clock: engine.options.clock,
      directory: engine.layout.projects,
      sweep: (paths) => this.#sweep(paths),
      gitAtWork: () => engine.git?.atWork()?.what === 'a command of git',
      failed: (error) => this.#withoutEvents(error),
    });
  }

  /** Resolves at once; events are heard a moment later, and what happened until then is looked for. */
  start(): Promise<void> {
    const { watch, beatMs } = this.#engine.options;
    if (beatMs > 0) this.#every(beatMs);
    if (!watch) return Promise.resolve();
    return this.#watcher.start().then(() => this.all());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#beat);
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#watcher.stop();
  }

  /** Looks at paths of one project in a moment. */
  soon(project: Project, paths: readonly string[], afterMs = 0): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#lookInTurns(project, paths).then(() => this.#engine.checkpointer.schedule());
    }, afterMs);
    this.#timers.add(timer);
  }

  /** Looks at paths as soon as git has finished what it is doing. */
  onceGitRests(project: Project, paths: readonly string[]): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#engine.git?.atWork() !== undefined) this.onceGitRests(project, paths);
      else this.soon(project, paths);
    }, gitRestMs);
    this.#timers.add(timer);
  }

  /** Looks at every file of every project, leaving the event loop to others in between. */
  async all(): Promise<void> {
    this.#newDirectories();
    for (const project of [...this.#engine.projects.values()]) {
      const paths = [...project.files.values()].map(({ path }) => path);
      for (let at = 0; at < paths.length && !this.#stopped; at += beatChunk) {
        this.#look(project, paths.slice(at, at + beatChunk));
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!this.#stopped) this.#look(project, ['']);
    }
  }

  #every(milliseconds: number): void {
    clearInterval(this.#beat);
    this.#beat = setInterval(() => void this.all(), milliseconds).unref();
  }

  #withoutEvents(error: Error): void {
    this.#engine.options.log(`Edits on disk are found by looking at all files now and then: ${error.message}`);
    const reason = `The system does not tell of edits (${error.message}); files are looked at every ${withoutEventsMs / 1000} s instead.`;
    this.#engine.problems.set('$watch', {
      path: '.planner/projects',
      kind: 'not_watched',
      reason,
      remedy: 'Raise fs.inotify.max_user_watches and restart the service.',
    });
    this.#every(withoutEventsMs);
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
    for (const project of this.#engine.projects.values()) {
      if (project.directory === directory) return void this.#lookInTurns(project, paths);
    }
    if (!directory.startsWith('.') && this.#engine.loader.isProject(directory)) this.#engine.loadDirectory(directory);
  }

  #newDirectories(): void {
    const known = new Set([...this.#engine.projects.values()].map(({ directory }) => directory));
    for (const directory of this.#engine.loader.directories())
      if (!known.has(directory)) this.#engine.loadDirectory(directory);
  }

  /** Sets aside what is as it was left, a few files at a turn, and looks at the others at once: what arrived together is one change. */
  async #lookInTurns(project: Project, paths: readonly string[]): Promise<void> {
    if (paths.length <= eventChunk) return this.#look(project, paths);
    const changed: string[] = [];
    for (const [i, path] of paths.entries()) {
      if (i % eventChunk === eventChunk - 1) await new Promise((resolve) => setImmediate(resolve));
      if (this.#stopped) return;
      if (!this.#isAsKnown(project, path)) changed.push(path);
    }
    if (changed.length > 0) this.#look(project, changed);
  }

  #isAsKnown(project: Project, path: string): boolean {
    try {
      return this.#engine.reconciler.isAsKnown(project, path);
    } catch {
      return false;
    }
  }

  /** Looking never throws: what a failing disk did not show is looked at again on the next beat. */
  #look(project: Project, paths: readonly string[]): void {
    if (this.#stopped || this.#engine.projects.get(project.id) !== project) return;
    try {
      this.#lookAt(project, paths);
    } catch (error) {
      this.#engine.options.log(`Files could not be looked at: ${(error as Error).message}`);
    }
  }

  #lookAt(project: Project, paths: readonly string[]): void {
    const outcome = this.#engine.reconciler.look(project, paths);
    this.#engine.adopt(project, outcome);
    this.#engine.recordFiles.look(project, paths);
    if (outcome.again.length > 0) this.soon(project, outcome.again, outcome.againAfterMs);
    if (project.index.record(project.id) === undefined && project.pending.size === 0)
      this.#engine.removeProject(project);
  }
}
