import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '../../../base/clock.ts';
import type { Problem } from '../../record/read-transaction.ts';
import type { Project } from '../project/project.ts';

/** Comparing takes at most this share of the time, however many problems there are. */
const shareMax = 0.02;

export interface ProblemChangesDeps {
  readonly clock: Clock;
  readonly projects: ReadonlyMap<string, Project>;
  /** Problems of the root itself, by subject. */
  readonly problems: ReadonlyMap<string, Problem>;
  readonly onChanged: () => void;
}

/**
 * Reports changes of the problems of files. Files are examined whenever the service itself has written some, and by each
 * periodic rescan: most of the time nothing has changed.
 */
export class ProblemChanges {
  readonly #deps: ProblemChangesDeps;
  readonly #noted = new Set<Project>();
  /** As last reported, by project; undefined is none. */
  readonly #ofProjects = new WeakMap<Project, readonly Problem[]>();
  #ofRoot: readonly Problem[] = [];
  #restsUntil = -Infinity;
  #timer: Timer | undefined;

  constructor(deps: ProblemChangesDeps) {
    this.#deps = deps;
  }

  /** The files of a project were examined, or changes of it were parked or written after all. */
  note(project: Project): void {
    const { clock } = this.#deps;
    this.#noted.add(project);
    const leftMs = this.#restsUntil - clock.monotonic();
    if (leftMs <= 0) this.#compareNoted();
    else this.#timer ??= clock.after(leftMs, () => this.#compareNoted()).unref();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #compareNoted(): void {
    const { clock, projects, problems, onChanged } = this.#deps;
    this.stop();
    this.#timer = undefined;
    const begun = clock.monotonic();
    // True if an id is in two projects depends on both of them.
    for (const project of projects.values()) if (project.files.foreign.size > 0) this.#noted.add(project);
    let isChanged = false;
    for (const project of this.#noted) if (this.#isChanged(project)) isChanged = true;
    this.#noted.clear();
    const ofRoot = [...problems.values()];
    if (!isDeepStrictEqual(ofRoot, this.#ofRoot)) isChanged = true;
    this.#ofRoot = ofRoot;
    const ended = clock.monotonic();
    this.#restsUntil = ended + (ended - begun) / shareMax;
    if (isChanged) onChanged();
  }

  #isChanged(project: Project): boolean {
    const former = this.#ofProjects.get(project) ?? [];
    const problems = project.problems();
    if (isDeepStrictEqual(problems, former)) return false;
    this.#ofProjects.set(project, problems);
    return true;
  }
}
