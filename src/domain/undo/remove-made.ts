import { conflict } from '../../base/errors.ts';
import type { Steps } from '../../base/slices.ts';
import type { StoredEvent } from '../../store/index.ts';
import { deleteArtifact } from '../content/artifacts.ts';
import { deleteComment } from '../links/comments.ts';
import { deleteDocument } from '../content/documents.ts';
import { deleteFolder } from '../content/folders.ts';
import { deleteNote } from '../content/notes.ts';
import { deletePrototype } from '../content/prototypes.ts';
import type { LeftOut, PlanTransaction } from '../records/collections.ts';
import { deleteTag, tasksTagged } from '../plan/tags.ts';
import { deleteTask } from '../plan/tasks.ts';
import { deleteView } from '../content/views.ts';

/** How a record of each collection is deleted, into the trash. */
const removals: Readonly<Record<string, (tx: PlanTransaction, id: string) => Steps<unknown>>> = {
  task: deleteTask,
  document: deleteDocument,
  note: deleteNote,
  artifact: deleteArtifact,
  prototype: deletePrototype,
  folder: (tx, id) => deleteFolder(tx, id, undefined),
  comment: deleteComment,
  tag: deleteTag,
  view: deleteView,
};

/** Throws `conflict` for a record that cannot be deleted. */
export function requireRemovable(created: readonly StoredEvent[]): void {
  const other = created.find(({ resource }) => removals[resource.type] === undefined)?.resource;
  if (other === undefined) return;
  const { type, id, label } = other;
  const remedy = type === 'goal' ? 'archive it' : type === 'project' ? 'delete the project' : 'keep or close it';
  throw conflict(
    `This change created the ${type} ${JSON.stringify(label ?? id)}, and a ${type} is not deleted by taking back: ${remedy}.`,
    { reason: 'not_deletable', type, id },
  );
}

/** Deletes what a change set created; what goes with another record is already gone. A tag that tasks have since stays. */
export function* removeMade(tx: PlanTransaction, created: readonly StoredEvent[], left: LeftOut[]): Steps<void> {
  for (const { resource } of created) {
    const { type, id } = resource;
    if (tx.find(id) === undefined) continue;
    const name = type === 'tag' ? tx.get('tag', id)!.name : undefined;
    if (name !== undefined && tasksTagged(tx, name).length > 0)
      left.push({ type, id, reason: `Tasks have the tag ${JSON.stringify(name)}.` });
    else yield* removals[type]!(tx, id);
    yield;
  }
}
