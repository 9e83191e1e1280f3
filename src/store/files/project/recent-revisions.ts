import { newestFirst } from '../../replica/revision-index.ts';
import type { Reference } from './history-reference.ts';

/** References in memory. Several may have one id: the lines of several segments. */
export class RecentRevisions {
  readonly #byId = new Map<string, Reference>();
  readonly #byTarget = new Map<string, Reference[]>();
  readonly #all = new Set<Reference>();
  /** Ids that more than one reference has, or had. */
  readonly #twice = new Set<string>();
  /** Newest first; undefined after a change, until it is read again. */
  #ordered: readonly Reference[] | undefined;

  get(id: string): Reference | undefined {
    return this.#byId.get(id);
  }

  add(reference: Reference): void {
    const { id, target } = reference;
    if (this.#byId.has(id)) this.#twice.add(id);
    this.#byId.set(id, reference);
    this.#all.add(reference);
    this.#ordered = undefined;
    const list = this.#byTarget.get(target);
    if (list === undefined) this.#byTarget.set(target, [reference]);
    else list.push(reference);
  }

  forget(references: readonly Reference[]): void {
    const gone = new Set(references);
    for (const reference of gone) this.#all.delete(reference);
    this.#ordered = undefined;
    for (const target of new Set(references.map((one) => one.target))) {
      const left = (this.#byTarget.get(target) ?? []).filter((one) => !gone.has(one));
      if (left.length === 0) this.#byTarget.delete(target);
      else this.#byTarget.set(target, left);
    }
    for (const reference of gone) {
      const { id, target } = reference;
      if (this.#byId.get(id) !== reference) continue;
      const other = this.#twice.has(id) ? this.ofTarget(target).find((one) => one.id === id) : undefined;
      if (other === undefined) this.#byId.delete(id);
      else this.#byId.set(id, other);
    }
  }

  /** Newest first: all, or those of a record. */
  newestFirst(target: string | undefined): readonly Reference[] {
    if (target !== undefined) return this.#byTarget.get(target)?.toSorted(newestFirst) ?? [];
    return (this.#ordered ??= [...this.#all].sort(newestFirst));
  }

  ofTarget(target: string): readonly Reference[] {
    return this.#byTarget.get(target) ?? [];
  }
}
