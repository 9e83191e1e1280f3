import { byCreation } from './table.ts';
import type { ProjectIndex } from './project-index.ts';

/** A project that is served. */
export interface ServedProject {
  readonly id: string;
  readonly index: ProjectIndex;
  /** Returns whether a record, an edge or a revision has this id. */
  holds(id: string): boolean;
}

/** The projects that are served, by id. */
export class ProjectTable<P extends ServedProject> extends Map<string, P> {
  readonly #onChanged: () => void;
  #ordered: readonly P[] | undefined;

  /** `onChanged`: a project came or went, or its own record has changed. */
  constructor(onChanged: () => void) {
    super();
    this.#onChanged = onChanged;
  }

  /** The projects by created_at, then id. */
  ordered(): readonly P[] {
    this.#ordered ??= [...this.values()].sort((a, b) => byCreation(creationOf(a), creationOf(b)));
    return this.#ordered;
  }

  /** Called when a project's own record has changed. */
  reorder(): void {
    this.#ordered = undefined;
    this.#onChanged();
  }

  override set(id: string, project: P): this {
    this.#ordered = undefined;
    this.#onChanged();
    return super.set(id, project);
  }

  override delete(id: string): boolean {
    this.#ordered = undefined;
    this.#onChanged();
    return super.delete(id);
  }

  /** The ids of the projects that contain a record, an edge or a revision with this id. */
  readonly locate = (id: string): readonly string[] => {
    const found: string[] = [];
    for (const project of this.ordered()) if (project.holds(id)) found.push(project.id);
    return found;
  };
}

function creationOf(project: ServedProject): { readonly created_at: string; readonly id: string } {
  return { created_at: project.index.record(project.id)?.created_at ?? '', id: project.id };
}
