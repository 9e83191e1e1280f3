import type { PlanBuilder } from './plan-builder.ts';

/** The kind of a reference: `depends` and `part` order, `relates` and `duplicates` do not. */
export type ReferenceKind = 'depends' | 'part' | 'relates' | 'duplicates';

interface Reference {
  readonly kind: ReferenceKind;
  readonly from: string;
  readonly to: string;
  /** The tool's name for the record, under which a reference to a missing task is kept. */
  readonly called: string;
}

/** The tasks of a plan by the tool's ids, and the references among them, which may be to later ones. */
export class TaskReferences {
  readonly #plan: PlanBuilder;
  readonly #tasks = new Map<string, string>();
  readonly #references: Reference[] = [];
  /** Pairs that are related: tools name a relation at both ends. */
  readonly #related = new Set<string>();

  constructor(plan: PlanBuilder) {
    this.#plan = plan;
  }

  add(id: string, task: string): void {
    if (this.#tasks.has(id)) this.#plan.remarks.add('An id of several tasks: references use the first one.', id);
    else this.#tasks.set(id, task);
  }

  get(id: string): string | undefined {
    return this.#tasks.get(id);
  }

  /** Ids of the tool. With `depends`, `from` waits for `to`; with `part`, it is a part of it. */
  refer(kind: ReferenceKind, from: string, to: string, called: string): void {
    this.#references.push({ kind, from, to, called });
  }

  /** Adds the edges, when all tasks exist. */
  join(): void {
    for (const { kind, from, to, called } of this.#references) {
      const [near, far] = [this.#tasks.get(from), this.#tasks.get(to)];
      const where = `${from} ${called} ${to}`;
      if (near !== undefined && far !== undefined) this.#add(kind, near, far, where);
      else {
        // The end that exists has the reference.
        if (near !== undefined) this.#plan.keep(near, { [called]: to });
        else if (far !== undefined) this.#plan.keep(far, { [`${called} (incoming)`]: from });
        this.#plan.remarks.add('A reference to a task that is not in the file: it is in the description.', where);
      }
    }
  }

  #add(kind: ReferenceKind, near: string, far: string, where: string): void {
    if (kind === 'depends') this.#plan.depends(near, far, where);
    else if (kind === 'part') this.#plan.part(near, far, where);
    else if (kind === 'duplicates' || !this.#related.has(`${far} ${near}`)) {
      this.#related.add(`${near} ${far}`);
      this.#plan.relate(near, far, kind, where);
    }
  }
}
