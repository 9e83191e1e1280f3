import { projectCodeOf } from '../../../base/ids.ts';
import { byCreation } from '../../replica/table.ts';
import { ColdProject } from './cold-project.ts';
import { HostedProject } from './hosted-project.ts';

export type NodeProject = HostedProject | ColdProject;

/** The projects that a node knows: the ones in memory, and the cold ones. */
export class NodeProjects {
  readonly #all = new Map<string, NodeProject>();
  readonly #onChanged: () => void;
  #ordered: NodeProject[] | undefined;

  /** `onChanged`: a project came or went, or its own record has changed. */
  constructor(onChanged: () => void) {
    this.#onChanged = onChanged;
  }

  get size(): number {
    return this.#all.size;
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  get(id: string): NodeProject | undefined {
    return this.#all.get(id);
  }

  /** A project that is in memory. */
  resident(id: string): HostedProject | undefined {
    const project = this.#all.get(id);
    return project instanceof HostedProject ? project : undefined;
  }

  ids(): IterableIterator<string> {
    return this.#all.keys();
  }

  values(): IterableIterator<NodeProject> {
    return this.#all.values();
  }

  *residents(): IterableIterator<HostedProject> {
    for (const project of this.#all.values()) if (project instanceof HostedProject) yield project;
  }

  *cold(): IterableIterator<ColdProject> {
    for (const project of this.#all.values()) if (project instanceof ColdProject) yield project;
  }

  /** The projects by created_at, then id. */
  ordered(): readonly NodeProject[] {
    return (this.#ordered ??= [...this.#all.values()].sort(byTheirCreation));
  }

  set(project: NodeProject): void {
    this.#all.set(project.id, project);
    this.reorder();
  }

  delete(id: string): void {
    if (this.#all.delete(id)) this.reorder();
  }

  /** Continues with another object of the same project: it was loaded into memory, or dropped from it. */
  replace(project: NodeProject): void {
    const before = this.#all.get(project.id);
    this.#all.set(project.id, project);
    const at = before === undefined ? -1 : (this.#ordered?.indexOf(before) ?? -1);
    if (at === -1) this.#ordered = undefined;
    else this.#ordered![at] = project;
  }

  /** Called when a project's own record has changed. */
  reorder(): void {
    this.#ordered = undefined;
    this.#onChanged();
  }

  /**
   * The ids of the projects that contain a record, an edge or a revision with this id. `load` is called with a cold one
   * that may contain it, and throws.
   */
  locate(id: string, load: (project: ColdProject) => never): readonly string[] {
    const code = projectCodeOf(id);
    const holds = (project: NodeProject): boolean => {
      if (project instanceof HostedProject) return project.holds(id);
      if (project.id === id) return true;
      return project.code === code || project.foreign.has(id) ? load(project) : false;
    };
    // Few have it: they are put in order, and not all of them.
    return [...this.#all.values()]
      .filter(holds)
      .sort(byTheirCreation)
      .map((project) => project.id);
  }
}

function byTheirCreation(a: NodeProject, b: NodeProject): number {
  return byCreation(creationOf(a), creationOf(b));
}

function creationOf(project: NodeProject): { readonly created_at: string; readonly id: string } {
  const { id } = project;
  const record = project instanceof HostedProject ? project.index.record(id) : project.record;
  return { created_at: record?.created_at ?? '', id };
}
