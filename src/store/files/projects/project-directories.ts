import type { Project } from '../project/project.ts';
import { listTwins } from './directory-problems.ts';
import type { StoreDeps } from './store-deps.ts';

type ProjectDirectoriesDeps = Pick<StoreDeps, 'projects' | 'problems' | 'loader' | 'unserved' | 'adoption'>;

/** The directories below `projects/`: which project each one has, and which have appeared. */
export class ProjectDirectories {
  readonly #engine: ProjectDirectoriesDeps;
  /** The project found last. */
  #last: Project | undefined;

  constructor(engine: ProjectDirectoriesDeps) {
    this.#engine = engine;
  }

  /** The project that is served from a directory. */
  projectIn(directory: string): Project | undefined {
    const { projects } = this.#engine;
    // Consecutive events usually belong to one project.
    if (this.#last?.directory === directory && projects.get(this.#last.id) === this.#last) return this.#last;
    for (const project of projects.values()) if (project.directory === directory) return (this.#last = project);
    return undefined;
  }

  /**
   * Calls `callback` with the project that contains a path below `projects/`, and the path inside it. Returns false if
   * there is none.
   */
  inProject(path: string, callback: (project: Project, inside: string) => boolean): boolean {
    const at = path.indexOf('/');
    const project = at > 0 ? this.projectIn(path.slice(0, at)) : undefined;
    return project !== undefined && callback(project, path.slice(at + 1));
  }

  /**
   * Returns false while it is undecided: the project's directory was renamed, and files are still being written under
   * the former name.
   */
  isPresent(project: Project): boolean {
    const { loader } = this.#engine;
    if (loader.isProject(project.directory)) return true;
    this.loadNew();
    return loader.isProject(project.directory) || !project.claims.any;
  }

  /** Loads directories that appeared, or that can be served by now. */
  loadNew(): void {
    const { projects, problems, loader, unserved } = this.#engine;
    const known = new Set([...projects.values()].map(({ directory }) => directory));
    const found = loader.directories();
    unserved.keep(new Set(found));
    listTwins(problems, found);
    for (const directory of found) if (!known.has(directory)) this.load(directory);
  }

  /** Loads a directory if it may be a project's. */
  load(directory: string): void {
    const { loader, unserved, adoption } = this.#engine;
    if (!loader.mayBeProject(directory)) return;
    if (!loader.isProject(directory)) unserved.inspect(directory, undefined);
    else if (!unserved.isUnchanged(directory)) adoption.load(directory);
  }
}
