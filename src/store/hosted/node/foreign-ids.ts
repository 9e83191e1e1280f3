import { projectCodeOf } from '../../../base/ids.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { StoredRecord } from '../../record/record.ts';

/**
 * Ids of a project's records, edges and revisions that do not contain its code: a caller chose them, or they come from
 * elsewhere. Any other id names its project. Ids of removed records remain.
 */
export class ForeignIds {
  readonly #code: string;
  readonly #ids = new Set<string>();

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

  add(id: string): void {
    if (projectCodeOf(id) !== this.#code) this.#ids.add(id);
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
