import type {
  ListTrashInput,
  PlannerCollections,
  RestoredFromTrashAnswer,
  TrashInput,
  TrashListAnswer,
} from '../domain/records/collections.ts';
import { restoreFromTrash } from '../domain/versions/restore-trash.ts';
import { listTrash, showTrash, trashCollection, type TrashRecord } from '../domain/records/trash.ts';
import type { ReadTransaction } from '../store/index.ts';
import { groups } from './groups.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { isCurrent } from './pipeline/list-tag.ts';
import type { Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter, positionOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { alwaysSliced } from './declaration/sliced.ts';

/** The list changes with deletions, with restored records and when entries expire. */
function trashTag(entries: readonly TrashRecord[]): Tag {
  return { own: hashOf(entries.map(({ id, bytes }) => [id, bytes])), rest: '0' };
}

const entriesOf = (view: ReadTransaction<PlannerCollections>, input: ListTrashInput): TrashRecord[] =>
  listTrash(view, input.target_id);

const list: Read<ListTrashInput, TrashListAnswer> = {
  name: 'list_trash',
  summary: 'Deleted records, newest first',
  group: groups.trash,
  input: 'ListTrashInput',
  output: 'TrashListAnswer',
  scope: 'project',
  effect: 'read',
  peopleOnly: true,
  rest: { method: 'GET', path: '/projects/:project_id/trash' },
  tag: (view, input) => trashTag(entriesOf(view, input)),
  run: (view, input, context) => {
    const entries = entriesOf(view, input);
    if (input.since !== undefined && isCurrent(input, trashTag(entries))) return { trash: [], removed: [] };
    const after = positionAfter(input);
    const behind = entries.filter(
      (entry) => after === undefined || positionOf(entry).join(' ') < positionOf(after).join(' '),
    );
    const page = pageOf(behind, input, context, { show: (entry) => showTrash(view, entry), position: positionOf });
    return { trash: page.rows, ...nextCursor(page) };
  },
};

const restore: Write<TrashInput, RestoredFromTrashAnswer> = {
  name: 'restore_from_trash',
  summary: 'Restore a deleted record with its edges and comments',
  group: groups.trash,
  input: 'TrashInput',
  output: 'RestoredFromTrashAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate: { member: 'trash_id', resource: 'trash', service: trashCollection.name },
  rest: {
    method: 'POST',
    path: '/projects/:project_id/trash/:trash_id/restore',
    bare: 'restored',
    status: 200,
  },
  ...alwaysSliced(function* (tx, { trash_id: id }) {
    return { restored: yield* restoreFromTrash(tx, id) };
  }),
};

export const trashOperations: readonly PlannerOperation[] = [list, restore];
