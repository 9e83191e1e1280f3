import type { PlannerCollections } from '../domain/records/collections.ts';
import type { Steps } from '../base/slices.ts';
import type { Tx } from '../store/index.ts';
import { alwaysSliced } from './declaration/sliced.ts';

/** The header of a deletion's response: the id of its entry in the trash. */
export const trashHeader = { 'X-Planner-Trash': 'trash_id' } as const;

interface Deletion {
  readonly deleted: string;
  readonly trash_id: string;
}

/** The rule of an operation that deletes a record, in slices: how much is removed and changed with it, the project decides. */
export function deletion<I>(
  idOf: (input: I) => string,
  remove: (tx: Tx<PlannerCollections>, id: string) => Steps<string>,
): ReturnType<typeof alwaysSliced<Tx<PlannerCollections>, I, unknown, Deletion>> {
  return alwaysSliced(function* (tx: Tx<PlannerCollections>, input: I) {
    const deleted = idOf(input);
    return { deleted, trash_id: yield* remove(tx, deleted) };
  });
}
