import { projectCodeOf } from '../../../base/ids.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { StoredRecord } from '../../record/record.ts';

/** The projects that have an id that does not contain their code, of all projects that a node knows. */
export class ForeignHolders {
  /** By the id; one project, or several. */
  readonly #holders = new Map<string, string | Set<string>>();

  add(id: string, project: string): void {
    const known = this.#holders.get(id);
    if (known === undefined) this.#holders.set(id, project);
    else if (known instanceof Set) known.add(project);
    else if (known !== project) this.#holders.set(id, new Set([known, project]));
  }

  delete(id: string, project: string): void {
    const known = this.#holders.get(id);
    if (known === project) this.#holders.delete(id);
    else if (known instanceof Set) known.delete(project);
  }

  of(id: string): Iterable<string> {
    const known = this.#holders.get(id);
    return typeof known === 'string' ? [known] : (known ?? []);
  }
}

/**
 * Ids of a project's records, edges and revisions that do not contain its code: a caller chose them, or they come from
 * elsewhere. Any other id names its project. Ids of removed records remain.
 */
export class ForeignIds {
  readonly #code: string;
  readonly #ids = new Set<string>();
  #joined: { readonly holders: ForeignHolders; readonly project: string } | undefined;

  constructor(code: string) {
    this.#code = code;
  }

  get size(): number {
    return this.#ids.size;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  values(): IterableIterator<string> {
    return this.#ids.values();
  }

  /** The project is known from now on: present and later ids are among those of all. */
  join(holders: ForeignHolders, project: string): void {
    if (this.#joined !== undefined) return;
    this.#joined = { holders, project };
    for (const id of this.#ids) holders.add(id, project);
  }

  leave(): void {
    if (this.#joined === undefined) return;
    const { holders, project } = this.#joined;
    this.#joined = undefined;
    for (const id of this.#ids) holders.delete(id, project);
  }

  add(id: string): void {
    if (projectCodeOf(id) === this.#code) return;
    this.#ids.add(id);
    this.#joined?.holders.add(id, this.#joined.project);
  }

  addRecord({ id, links = [] }: StoredRecord): void {
    this.add(id);
    for (const link of links) this.add(link.id);
  }

  /** An entry of the project's log is durable. */
  note({ changes, revisions }: Pick<EntryBody, 'changes' | 'revisions'>): void {
    for (const { to } of changes) if (to !== undefined) this.addRecord(to);
    for (const { id } of revisions) this.add(id);
  }
}
