import { delay, type Clock, type Timer } from '../../../base/clock.ts';
import { inSlices, type Steps } from '../../../base/slices.ts';
import type { Change } from '../../record/record.ts';
import type { DueRescan, GitWait, Rescanned, RescanRequest } from '../project/project-queue.ts';
import type { Project } from '../project/project.ts';
import type { ProjectDirectories } from '../projects/project-directories.ts';
import type { StoreDeps } from '../projects/store-deps.ts';

/** Delay before a project is rescanned again if its directory vanished while files were being written. */
const inFlightRetryMs = 20;
/** The interval of checks whether a git operation has ended. */
const gitPollMs = 30;

export interface RescansDeps {
  readonly engine: Pick<
    StoreDeps,
    | 'options'
    | 'projects'
    | 'git'
    | 'adoption'
    | 'reconciler'
    | 'edits'
    | 'attachmentFiles'
    | 'problemChanges'
    | 'signals'
  >;
  readonly directories: ProjectDirectories;
  /**
   * Returns and removes the paths of a project's directory with pending events; they are rescanned now.
   */
  readonly takePending: (directory: string) => Promise<readonly string[]>;
}

/** Compares files with the index, one rescan of a project at a time, and applies what was edited. */
export class Rescans {
  readonly #deps: RescansDeps;
  readonly #clock: Clock;
  readonly #timers = new Map<Project, Timer>();
  #stopped = false;
  /** How long comparing took so far in all projects, without the turns in between, in milliseconds. */
  comparedMs = 0;

  constructor(deps: RescansDeps) {
    this.#deps = deps;
    this.#clock = deps.engine.options.clock;
  }

  /**
   * Rescans files when that is due, together with what else is due in the project. Resolves when it is complete. Never
   * rejects: files that a failing disk does not return are retried by the next periodic rescan.
   */
  request(
    project: Project,
    { paths, afterMs, waitsFor = 'command', withPending = true }: RescanRequest,
  ): Promise<Rescanned> {
    const { promise, resolve } = Promise.withResolvers<Rescanned>();
    const at = this.#clock.monotonic() + (afterMs ?? 0);
    project.queue.addRescan({ paths: new Set(paths), at, waitsFor, withPending, done: resolve });
    if (afterMs === undefined) this.#begin(project);
    else this.#wait(project);
    return promise;
  }

  /** Resolves when no git command changes files. */
  async untilGitEnds(): Promise<void> {
    while (this.#isOver('command') === false && !this.#stopped) await delay(this.#clock, gitPollMs);
  }

  /** What was requested and has not begun is dropped. */
  stop(): void {
    this.#stopped = true;
    for (const project of [...this.#timers.keys()]) this.#begin(project);
  }

  /** Begins what is due in a project, or waits for it. */
  #begin(project: Project): void {
    const { queue } = project;
    if (!this.#canRescan(project)) {
      this.#timers.get(project)?.cancel();
      this.#timers.delete(project);
      return queue.dropRescans();
    }
    const rescans = queue.beginRescans(this.#clock.monotonic(), (waitsFor) => this.#isOver(waitsFor));
    if (rescans === undefined) this.#wait(project, gitPollMs);
    else void this.#run(project, rescans);
  }

  /** Waits for what is due next, or for `retryMs` if something waits for git. */
  #wait(project: Project, retryMs = 0): void {
    this.#timers.get(project)?.cancel();
    this.#timers.delete(project);
    const at = project.queue.nextRescanAt;
    if (at === undefined) return;
    const leftMs = at - this.#clock.monotonic();
    const timer = this.#clock.after(leftMs > 0 ? leftMs : retryMs, () => this.#begin(project));
    this.#timers.set(project, timer);
  }

  #isOver(waitsFor: GitWait): boolean {
    const operation = waitsFor === 'nothing' ? undefined : this.#deps.engine.git?.currentOperation();
    return operation === undefined || (waitsFor === 'command' && !operation.running);
  }

  async #run(project: Project, rescans: readonly DueRescan[]): Promise<void> {
    let rescanned: Rescanned | undefined = { changes: [], paths: new Set() };
    try {
      rescanned = await this.#rescan(project, rescans);
    } catch (error) {
      this.#deps.engine.options.log(`Files could not be rescanned: ${(error as Error).message}`);
    }
    project.queue.endRescans(rescanned);
    // A record may be written that had to wait for its file.
    if (project.dirty.size > 0) project.queue.add({ kind: 'checkpoint' });
    this.#begin(project);
  }

  /**
   * Reconciles the changed files together: edits that arrive together are one change. Returns undefined if a git command
   * ran meanwhile that has to be waited for: it changes files one after the other, so that they are read when it has
   * ended.
   */
  async #rescan(project: Project, rescans: readonly DueRescan[]): Promise<Rescanned | undefined> {
    const { git, reconciler } = this.#deps.engine;
    const [first] = rescans;
    if (rescans.some(({ withPending }) => withPending))
      // A missing file may have been moved to a path with a pending event.
      for (const path of await this.#deps.takePending(project.directory)) first!.paths.add(path);
    const paths = new Set(rescans.flatMap((one) => [...one.paths]));
    const commands = git?.fingerprint();
    const changed = await this.#compare(project, reconciler.changedAt(project, paths));
    return project.queue.run(async () => {
      if (!this.#canRescan(project)) return { changes: [], paths };
      const waits = first!.waitsFor !== 'nothing';
      // A git command may have started since, and even ended.
      if (waits && (!this.#isOver('command') || git?.fingerprint() !== commands)) return undefined;
      return { changes: await this.#reconcile(project, [...paths], changed), paths };
    });
  }

  async #reconcile(project: Project, paths: readonly string[], changed: readonly string[]): Promise<readonly Change[]> {
    const { reconciler, edits, attachmentFiles, adoption, problemChanges, signals } = this.#deps.engine;
    if (!this.#deps.directories.isPresent(project)) {
      project.queue.add({ kind: 'rescan', paths, afterMs: inFlightRetryMs });
      return [];
    }
    const options = { project: project.id };
    const outcome = await inSlices('reconcile', reconciler.reconcileSliced(project, changed), options);
    await inSlices('reconcile', edits.applySliced(project, outcome), options);
    if (outcome.retryPaths.length > 0)
      project.queue.add({ kind: 'rescan', paths: outcome.retryPaths, afterMs: outcome.retryAfterMs });
    await this.#compare(project, attachmentFiles.inspectPaths(project, paths));
    problemChanges.note(project);
    signals.note(project.id);
    if (project.index.record(project.id) === undefined && project.dirty.size === 0) adoption.remove(project);
    return outcome.changes;
  }

  #compare<T>(project: Project, steps: Steps<T>): Promise<T> {
    return inSlices('rescan', this.#timed(steps), { project: project.id });
  }

  *#timed<T>(steps: Steps<T>): Steps<T> {
    for (;;) {
      const began = this.#clock.monotonic();
      const next = steps.next();
      this.comparedMs += this.#clock.monotonic() - began;
      if (next.done === true) return next.value;
      yield;
    }
  }

  #canRescan(project: Project): boolean {
    return !this.#stopped && this.#deps.engine.projects.get(project.id) === project;
  }
}
