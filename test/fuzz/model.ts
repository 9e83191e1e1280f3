/** A task as a plain value, as a caller sets it and reads it back. */
export interface ModelTask {
  readonly label: string;
  readonly status: string;
  readonly priority: string | null;
  readonly description: string;
  readonly tags: readonly string[];
}

export interface ModelEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string | null;
}

export interface ModelDocument {
  readonly title: string;
  readonly body: string;
  readonly status: string | null;
}

/** A task as it is read, with derived fields. */
export interface ShownTask extends ModelTask {
  readonly waiting_on: readonly string[];
}

/** Everything that a project shows, by id. */
export interface Shown {
  readonly tasks: Readonly<Record<string, ShownTask>>;
  readonly edges: Readonly<Record<string, ModelEdge>>;
  readonly documents: Readonly<Record<string, ModelDocument>>;
}

/** The plan as plain maps, with the rules implemented again in the simplest way. */
export class Model {
  readonly tasks = new Map<string, ModelTask>();
  readonly edges = new Map<string, ModelEdge>();
  readonly documents = new Map<string, ModelDocument>();

  /** An edge of the same ends and label is the same edge. */
  edgeLike({ from, to, label }: ModelEdge): string | undefined {
    return [...this.edges].find(([, edge]) => edge.from === from && edge.to === to && edge.label === label)?.[0];
  }

  deleteTask(id: string): void {
    this.tasks.delete(id);
    for (const [edgeId, { from, to }] of this.edges) if (from === id || to === id) this.edges.delete(edgeId);
  }

  shown(): Shown {
    const tasks = [...this.tasks].map(([id, task]) => [
      id,
      { ...task, tags: task.tags.toSorted(), waiting_on: this.#waitingOn(id) },
    ]);
    return {
      tasks: Object.fromEntries(tasks) as Shown['tasks'],
      edges: Object.fromEntries(this.edges),
      documents: Object.fromEntries(this.documents),
    };
  }

  /** The prerequisites of a task that are not done, sorted. A done task waits for nothing. */
  #waitingOn(id: string): string[] {
    if (this.tasks.get(id)!.status === 'done') return [];
    const first = [...this.edges.values()].flatMap(({ from, to, label }) => {
      if (label === 'relates to') return [];
      if (label === 'depends_on') return from === id ? [to] : [];
      return to === id ? [from] : [];
    });
    return [...new Set(first)].filter((other) => this.tasks.get(other)!.status !== 'done').sort();
  }
}
