import { byCreation } from '../../index/table.ts';
import type { Project } from '../project/project.ts';

/** The projects that are served, by id. */
export class ProjectTable extends Map<string, Project> {
  #ordered: readonly Project[] | undefined;

  /** By created_at, then id. */
  ordered(): readonly Project[] {
    this.#ordered ??= [...this.values()].sort((a, b) => byCreation(creationOf(a), creationOf(b)));
    return this.#ordered;
  }

  /** Called when a project's own record has changed. */
  reorder(): void {
    this.#ordered = undefined;
  }

  override set(id: string, project: Project): this {
    this.#ordered = undefined;
    return super.set(id, project);
  }

  override delete(id: string): boolean {
    this.#ordered = undefined;
    return super.delete(id);
  }

  /** The ids of the projects that contain a record, an edge or a revision with this id. */
  locate(id: string): readonly string[] {
    return this.ordered()
      .filter((project) => project.holds(id))
      .map((project) => project.id);
  }
}

function creationOf(project: Project): { readonly created_at: string; readonly id: string } {
  return { created_at: project.index.record(project.id)?.created_at ?? '', id: project.id };
}
