import { LRUCache } from 'lru-cache';
import { PlannerError } from '../../../base/errors.ts';
import type { LookUps } from '../../record/look-ups.ts';
import { freezeParsed } from '../../record/plain.ts';
import type { Revision } from '../../record/record.ts';
import { charactersIn } from '../../record/revision-reference.ts';
import type { RevisionStore } from '../storage/revision-store.ts';

/** The part of a revision that its summary lacks. */
export type RevisionValue = Pick<Revision, 'before' | 'after'>;

export interface RevisionValuesDeps {
  readonly store: RevisionStore;
  readonly lookUps: LookUps;
  /** How much of them is kept in memory, in characters. */
  readonly charactersMax: number;
}

/**
 * The values of the revisions of all projects of a node: they are stored outside memory, which has the last made and
 * read ones.
 */
export class RevisionValues {
  readonly #deps: RevisionValuesDeps;
  readonly #cached: LRUCache<string, RevisionValue>;

  constructor(deps: RevisionValuesDeps) {
    this.#deps = deps;
    this.#cached = new LRUCache({ maxSize: deps.charactersMax });
  }

  /** The size of the values in memory, in characters. */
  get characters(): number {
    return this.#cached.calculatedSize;
  }

  /** Keeps a stored value in memory while there is room. */
  keep(project: string, id: string, value: RevisionValue): void {
    const key = keyOf(project, id);
    this.#cached.set(key, value, { size: charactersIn(value.before) + key.length });
  }

  has(project: string, id: string): boolean {
    return this.#cached.has(keyOf(project, id));
  }

  /**
   * Throws `Needed` unless the value is in memory. `together`: ids of revisions that are probably read next, which are
   * fetched with it.
   */
  get(project: string, id: string, together: () => readonly string[]): RevisionValue {
    const key = keyOf(project, id);
    return (
      this.#cached.get(key) ?? this.#deps.lookUps.get(key, { later: () => this.#fetch(project, [id, ...together()]) })
    );
  }

  /**
   * The values of these revisions, as far as they are in memory, and of the first others, as many as fit into an
   * answer, by id. They are not kept in memory for it. Throws `unavailable` if one is missing.
   */
  async load(project: string, ids: readonly string[]): Promise<ReadonlyMap<string, RevisionValue>> {
    const found = new Map<string, RevisionValue>();
    const absent: string[] = [];
    for (const id of ids) {
      const cached = this.#cached.peek(keyOf(project, id));
      if (cached === undefined) absent.push(id);
      else found.set(id, cached);
    }
    const loaded = absent.length === 0 ? [] : await this.#deps.store.get(project, absent);
    for (const [at, revision] of loaded.entries())
      found.set(absent[at]!, valueOf(revision ?? missing(project, absent[at]!)));
    return found;
  }

  /** The first of these revisions, as far as they fit into one answer. */
  async #fetch(project: string, ids: readonly string[]): Promise<(readonly [key: string, value: RevisionValue])[]> {
    const revisions = await this.#deps.store.get(project, ids);
    if (revisions[0] === undefined) missing(project, ids[0]!);
    const found: (readonly [string, RevisionValue])[] = [];
    for (const [at, revision] of revisions.entries()) {
      if (revision === undefined) continue;
      const value = valueOf(revision);
      this.keep(project, ids[at]!, value);
      found.push([keyOf(project, ids[at]!), value]);
    }
    return found;
  }
}

function keyOf(project: string, id: string): string {
  return `revision ${project} ${id}`;
}

function valueOf({ before, after }: Revision): RevisionValue {
  freezeParsed(before);
  return { before, after };
}

/** The error for a revision that was stored with its entry, and that another server, or a backup, lacks. */
function missing(project: string, id: string): never {
  throw new PlannerError(
    'unavailable',
    `The database has not the former values of revision ${id} of ${project}. Try again; if that does not help, restore them from a backup.`,
    { retry_after: 1 },
  );
}
