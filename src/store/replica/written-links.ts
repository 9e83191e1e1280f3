import { equal } from '../record/plain.ts';
import type { Link } from '../record/record.ts';
import type { Incoming } from '../record/read-transaction.ts';
import { isNamed, keyOf } from './link-names.ts';

/** Edges that were replaced, and their replacements: only those that may differ. */
export interface ReplacedEdges {
  readonly former: readonly Incoming[];
  readonly present: readonly Incoming[];
}

/**
 * The links of a record of which some are written otherwise than they are meant, by a name or in a list, and their
 * edges. A change of a name costs as much as the links by that name, however many other links the record has.
 */
export class WrittenLinks {
  readonly #links: readonly Link[];
  /** The edge of each link. */
  readonly #meant: Incoming[];
  /** The links by each name, as positions. */
  readonly #byName = new Map<string, number[]>();
  /** The links that mean the same edge, as positions: the first of them is the edge. */
  readonly #byEnd = new Map<string, number[]>();
  #edges: readonly Incoming[] | undefined;

  constructor(links: readonly Link[], edgeOf: (written: Link) => Incoming) {
    this.#links = links;
    this.#meant = links.map(edgeOf);
    for (const [at, { link }] of this.#meant.entries()) push(this.#byEnd, endOf(link), at);
    for (const [at, link] of links.entries()) if (isNamed(link)) push(this.#byName, keyOf(link.to), at);
  }

  /** The edges in the order of the links; links that mean the same edge are one. */
  get edges(): readonly Incoming[] {
    this.#edges ??= this.#meant.filter(({ link }, at) => this.#byEnd.get(endOf(link))?.[0] === at);
    return this.#edges;
  }

  /** Reads again the meaning of the links by these names, or by any. */
  meanAgain(meant: (written: Link) => Link, names: Iterable<string> = this.#byName.keys()): ReplacedEdges {
    const changed = new Map<number, Incoming>();
    const ends = new Set<string>();
    for (const name of names)
      for (const at of this.#byName.get(name) ?? []) {
        const [edge, link] = [this.#meant[at]!, meant(this.#links[at]!)];
        if (equal(edge.link, link)) continue;
        changed.set(at, { ...edge, link });
        ends.add(endOf(edge.link)).add(endOf(link));
      }
    const former = this.#edgesAt(ends);
    for (const [at, edge] of changed) this.#replace(at, edge);
    return { former, present: this.#edgesAt(ends) };
  }

  #replace(at: number, edge: Incoming): void {
    const [before, after] = [endOf(this.#meant[at]!.link), endOf(edge.link)];
    this.#meant[at] = edge;
    this.#edges = undefined;
    if (before === after) return;
    const left = (this.#byEnd.get(before) ?? []).filter((other) => other !== at);
    if (left.length === 0) this.#byEnd.delete(before);
    else this.#byEnd.set(before, left);
    push(this.#byEnd, after, at).sort((a, b) => a - b);
  }

  #edgesAt(ends: Iterable<string>): readonly Incoming[] {
    return [...ends].flatMap((end) => {
      const first = this.#byEnd.get(end)?.[0];
      return first === undefined ? [] : [this.#meant[first]!];
    });
  }
}

/** The end of an edge and its label: a record has one edge of these. */
function endOf({ to, label }: Link): string {
  return `${to}\0${label ?? ''}`;
}

function push(lists: Map<string, number[]>, key: string, at: number): number[] {
  const list = lists.get(key);
  if (list === undefined) {
    const made = [at];
    lists.set(key, made);
    return made;
  }
  list.push(at);
  return list;
}
