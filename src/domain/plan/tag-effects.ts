import type { DerivedIndex, StoredRecord, ReadTransaction } from '../../store/index.ts';
import type { PlannerCollections, TagRecord } from '../records/collections.ts';
import { foldTagName } from '../records/tag-name.ts';

/** Marks the tasks of a tag as changed when the tag changes, by the service or in its file. Derived index `tag_effects`. */
export class TagEffects implements DerivedIndex {
  readonly fields = { tag: ['name', 'aliases', 'color'] };
  readonly #view: ReadTransaction<PlannerCollections>;
  readonly #touch: (collection: 'task', id: string) => void;

  constructor(view: ReadTransaction<PlannerCollections>, touch: (collection: 'task', id: string) => void) {
    this.#view = view;
    this.#touch = touch;
  }

  changed(collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (collection !== 'tag') return;
    for (const name of new Set([...namesOf(from), ...namesOf(to)])) {
      for (const { id } of this.#view.by('task', 'tag', name)) this.#touch('task', id);
    }
  }
}

function namesOf(record: StoredRecord | undefined): string[] {
  if (record === undefined) return [];
  const { name, aliases } = record as TagRecord;
  return [name, ...aliases].map(foldTagName);
}
