import type { QueryClient } from '@tanstack/react-query';
import { call, callWithTag, ServiceError } from '../api/client.ts';
import type { Input, OperationName } from '../api/client.ts';
import { nameOr } from './field-rules.ts';
import { findCached } from './find-cached.ts';
import type { Members } from './find-cached.ts';
import type { Ways } from './history.ts';
import { restored } from './restored.ts';
import type { UndoRule } from './undo-rule.ts';

/** The kinds of records that can be deleted; all but edges can be read one by one. */
const readKinds = ['task', 'document', 'note', 'artifact', 'folder', 'prototype', 'tag', 'view', 'comment'] as const;
type ReadKind = (typeof readKinds)[number];
type DeletedKind = ReadKind | 'edge';

export function isReadKind(kind: unknown): kind is ReadKind {
  return (readKinds as readonly unknown[]).includes(kind);
}

/** Deletes a record; returns its entry in the trash. */
async function remove(kind: DeletedKind, project_id: string, id: string): Promise<string | undefined> {
  const input = { project_id, [`${kind}_id`]: id } as unknown as Input<`delete_${DeletedKind}`>;
  const answered = await callWithTag(`delete_${kind}`, input);
  return answered === 'unchanged' ? undefined : answered.trash;
}

/** Undone by deleting the record, redone from the trash. `requireSame` throws if it was changed since. */
export function madeWays(
  kind: DeletedKind,
  project_id: string,
  id: string,
  requireSame: () => Promise<void> = () => Promise.resolve(),
): Ways {
  let entry: string | undefined;
  return {
    undo: async () => {
      await requireSame();
      entry = await remove(kind, project_id, id);
    },
    redo: async () => entry !== undefined && restored(project_id, entry),
  };
}

/** Throws `precondition_failed` if a record was changed after the given time. */
export async function requireUntouched(
  kind: ReadKind,
  project_id: string,
  { id, updated_at }: { readonly id: string; readonly updated_at: string },
): Promise<void> {
  const input = { project_id, [`${kind}_id`]: id } as unknown as Input<`get_${ReadKind}`>;
  const now = (await call(`get_${kind}`, input)) as unknown as Members;
  if (now['updated_at'] === updated_at) return;
  const name = now['label'] ?? now['title'] ?? now['name'];
  throw new ServiceError(
    'precondition_failed',
    `${typeof name === 'string' ? `“${name}”` : `The ${kind}`} was changed since.`,
  );
}

/** A new record is undone by deleting it, unless it was changed since. `notified`: it is made with one press, without a name. */
export function creation<N extends OperationName>(kind: ReadKind, notified = false): UndoRule<N> {
  return (_, given, project_id) => {
    const input = given as Members;
    const name = input['label'] ?? input['title'] ?? input['name'];
    const what = typeof name === 'string' ? `new ${kind} “${name}”` : `new ${kind}`;
    return {
      what,
      ...(notified && { notice: `Created: ${what}.` }),
      ways: (answer) => {
        const made = answer as { readonly id: string; readonly updated_at: string };
        return madeWays(kind, project_id, made.id, () => requireUntouched(kind, project_id, made));
      },
    };
  };
}

export const createEdge: UndoRule<'create_edge'> = (client, _, project_id) => ({
  what: 'new edge',
  notice: 'Linked.',
  ways: ({ id, created_at }) => {
    // An edge with these ends that existed before is not made twice, and is not deleted then.
    const known = findCached(client, id, 'list_edges', 'get_canvas');
    if (known !== undefined && known['created_at'] !== created_at) return undefined;
    return madeWays('edge', project_id, id);
  },
});

/** Undone from the trash, redone by deleting again. */
export function deletion<N extends `delete_${DeletedKind}`>(kind: DeletedKind): UndoRule<N> {
  return (client, given, project_id) => {
    const id = String((given as unknown as Members)[`${kind}_id`]);
    const label = nameOr(client, id, `the ${kind}`);
    return {
      what: `deletion of ${label}`,
      notice: label.startsWith('“') ? `${label} was deleted.` : `The ${kind} was deleted.`,
      ways: (_, trash) => {
        let entry = trash;
        if (entry === undefined) return undefined;
        return {
          undo: () => restored(project_id, entry!),
          redo: async () => {
            const again = await callWithTag(`delete_${kind}`, given);
            entry = again === 'unchanged' ? undefined : again.trash;
          },
        };
      },
    };
  };
}

/** Deletes the restored records again. */
export const restoreFromTrash: UndoRule<'restore_from_trash'> = (client, { trash_id }, project_id) => {
  const label = labelOf(client, trash_id);
  return {
    what: `return of ${label}`,
    notice: ({ label: text }) => (text === '' ? 'Restored.' : `Restored: “${text}”.`),
    ways: ({ target_type: kind, target_id: id }) => (kind === 'goal' ? undefined : madeWays(kind, project_id, id)),
  };
};

function labelOf(client: QueryClient, trashId: string): string {
  const label = findCached(client, trashId, 'list_trash')?.['label'];
  return typeof label === 'string' && label !== '' ? `“${label}”` : 'a deleted record';
}
