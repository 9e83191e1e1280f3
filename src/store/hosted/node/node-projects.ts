import { projectCodeOf } from '../../../base/ids.ts';
import type { StoredRecord } from '../../record/record.ts';
import { byCreation } from '../../replica/table.ts';
import type { Exclusive } from '../../commit/exclusive.ts';
import { ColdProject } from './cold-project.ts';
import { ForeignHolders } from './foreign-ids.ts';
import { HostedProject } from './hosted-project.ts';

export type NodeProject = HostedProject | ColdProject;

/** The projects that a node knows: the ones in memory, and the cold ones. */
export class NodeProjects {
  /** Those with a change in progress. */
  readonly busy = new Set<Exclusive>();
  readonly #all = new Map<string, NodeProject>();
  /** The ids by the codes. */
  readonly #byCode = new Map<string, string>();
  readonly #foreign = new ForeignHolders();
  readonly #onChanged: () => void;
  readonly #onReplaced: (project: string) => void;
  #ordered: NodeProject[] | undefined;

  /**
   * `onChanged`: a project came or went, or its own record has changed. `onReplaced`: it came or went, or continues with another
   * object or replica.
   */
  constructor(onChanged: () => void, onReplaced: (project: string) => void = () => undefined) {
    this.#onChanged = onChanged;
    this.#onReplaced = onReplaced;
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

  /** The project's own record. */
  recordOf(id: string): StoredRecord | undefined {
    const project = this.#all.get(id);
    return project instanceof HostedProject ? project.index.record(id) : project?.record;
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
    this.#byCode.set(project.code, project.id);
    this.renewed(project.id);
  }

  /** A project continues with another replica. */
  renewed(id: string): void {
    this.#all.get(id)?.foreign.join(this.#foreign, id);
    this.#onReplaced(id);
    this.reorder();
  }

  delete(id: string): void {
    const project = this.#all.get(id);
    if (project === undefined) return;
    this.#all.delete(id);
    if (this.#byCode.get(project.code) === id) this.#byCode.delete(project.code);
    project.foreign.leave();
    this.#onReplaced(id);
    this.reorder();
  }

  /** Continues with another object of the same project: it was loaded into memory, or dropped from it. */
  replace(project: NodeProject): void {
    const before = this.#all.get(project.id);
    this.#all.set(project.id, project);
    const at = before === undefined ? -1 : (this.#ordered?.indexOf(before) ?? -1);
    if (at === -1) this.#ordered = undefined;
    else this.#ordered![at] = project;
    this.#byCode.set(project.code, project.id);
    project.foreign.join(this.#foreign, project.id);
    this.#onReplaced(project.id);
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
    const holds = (project: NodeProject): boolean => {
      if (project instanceof HostedProject) return project.holds(id);
      return project.id === id || load(project);
    };
    // Any other project has neither an id with this code, nor this one without its own.
    const code = projectCodeOf(id);
    const some = new Set([...this.#foreign.of(id), id, ...(code === undefined ? [] : [this.#byCode.get(code) ?? ''])]);
    return [...some]
      .flatMap((one) => this.#all.get(one) ?? [])
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
