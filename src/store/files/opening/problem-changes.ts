import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../record/read-transaction.ts';
import type { Project } from '../project/project.ts';

export interface ProblemChangesDeps {
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
  /** As last reported, by project; undefined is none. */
  readonly #ofProjects = new WeakMap<Project, readonly Problem[]>();
  #ofRoot: readonly Problem[] = [];

  constructor(deps: ProblemChangesDeps) {
    this.#deps = deps;
  }

  /** The files of a project were examined, or changes of it were parked or written after all. */
  note(project: Project): void {
    const { projects, problems, onChanged } = this.#deps;
    let isChanged = this.#compare(project);
    // Whether an id is in two projects depends on both of them.
    for (const other of projects.values())
      if (other !== project && other.files.foreign.size > 0 && this.#compare(other)) isChanged = true;
    const ofRoot = [...problems.values()];
    if (!isDeepStrictEqual(ofRoot, this.#ofRoot)) isChanged = true;
    this.#ofRoot = ofRoot;
    if (isChanged) onChanged();
  }

  #compare(project: Project): boolean {
    const former = this.#ofProjects.get(project) ?? [];
    const problems = project.problems();
    if (isDeepStrictEqual(problems, former)) return false;
    this.#ofProjects.set(project, problems);
    return true;
  }
}
