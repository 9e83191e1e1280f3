import { call, callWithTag, ServiceError } from '../api/client.ts';
import type { Answer, Input, OperationName } from '../api/client.ts';
import { fieldRule, nameOr } from './field-rules.ts';
import { findCached } from './find-cached.ts';
import type { Members } from './find-cached.ts';
import type { Ways } from './history.ts';
import { restored } from './restored.ts';
import type { UndoRule } from './undo-rule.ts';

type Deleting = Extract<OperationName, `delete_${string}`>;

/** Undone from the trash, redone by deleting again. */
function deletion<N extends Deleting>(name: N, member: string, kind: string): UndoRule<N> {
  return (client, input, project_id) => {
    const label = nameOr(client, String((input as unknown as Members)[member]), `the ${kind}`);
    return {
      what: `deletion of ${label}`,
      notice: label.startsWith('“') ? `${label} was deleted.` : `The ${kind} was deleted.`,
      ways: (_, trash) => {
        let entry = trash;
        if (entry === undefined) return undefined;
        return {
          undo: () => restored(project_id, entry!),
          redo: async () => {
            const again = await callWithTag(name, input);
            entry = again === 'unchanged' ? undefined : again.trash;
          },
        };
      },
    };
  };
}

const createEdge: UndoRule<'create_edge'> = (client, _, project_id) => ({
  what: 'new edge',
  ways: ({ id, created_at }) => {
    // An edge with these ends that existed before is not made twice, and is not deleted then.
    const known = findCached(client, id, 'list_edges', 'get_canvas');
    if (known !== undefined && known['created_at'] !== created_at) return undefined;
    return created(project_id, () => callWithTag('delete_edge', { project_id, edge_id: id }));
  },
});

const createTask: UndoRule<'create_task'> = (_, { label }, project_id) => ({
  what: `new task “${label}”`,
  ways: (task) =>
    created(project_id, async () => {
      await requireUntouched(task, project_id);
      return callWithTag('delete_task', { project_id, task_id: task.id });
    }),
});

type Deleted = Awaited<ReturnType<typeof callWithTag<'delete_task'>>>;

/** Undone by deleting, redone from the trash. */
function created(projectId: string, remove: () => Promise<Deleted>): Ways {
  let entry: string | undefined;
  return {
    undo: async () => {
      const deleted = await remove();
      entry = deleted === 'unchanged' ? undefined : deleted.trash;
    },
    redo: async () => entry !== undefined && restored(projectId, entry),
  };
}

/** Throws if a task was changed since. */
async function requireUntouched(
  { id, updated_at }: Pick<Answer<'create_task'>, 'id' | 'updated_at'>,
  project_id: string,
): Promise<void> {
  const now = await call('get_task', { project_id, task_id: id });
  if (now.updated_at !== updated_at) throw new ServiceError('precondition_failed', `“${now.label}” was changed since.`);
}

const moveDocuments: UndoRule<'move_documents'> = (client, { document_ids: ids, folder_id: target }, project_id) => {
  const former = new Map<string, string | null>();
  for (const id of ids) {
    const document = findCached(client, id, 'list_documents', 'get_document') as Answer<'get_document'> | undefined;
    if (document === undefined) return undefined;
    former.set(id, document.folder_id);
  }
  const what = ids.length === 1 ? nameOr(client, ids[0]!, 'the document') : `${ids.length} documents`;
  const isIn = async (id: string, folder: string | null): Promise<boolean> =>
    (await call('get_document', { project_id, document_id: id })).folder_id === folder;
  return {
    what: `move of ${what}`,
    notice: `${what} moved.`,
    ways: ({ moved }) => ({
      undo: async () => {
        for (const id of moved) {
          if (!(await isIn(id, target)))
            throw new ServiceError('precondition_failed', `${nameOr(client, id, 'It')} was moved since.`);
          await call('move_documents', { project_id, document_ids: [id], folder_id: former.get(id)! });
        }
      },
      redo: () => call('move_documents', { project_id, document_ids: moved, folder_id: target }),
    }),
  };
};

const moveScreen: UndoRule<'move_screen'> = (client, { artifact_id, prototype_id: target }, project_id) => {
  const former = findCached(client, artifact_id, 'list_artifacts', 'get_artifact')?.['prototype_id'];
  if (typeof former !== 'string') return undefined;
  const label = nameOr(client, artifact_id, 'the screen');
  const move = async (from: string, to: string): Promise<void> => {
    if ((await call('get_artifact', { project_id, artifact_id })).prototype_id !== from)
      throw new ServiceError('precondition_failed', `${label} was moved since.`);
    await call('move_screen', { project_id, artifact_id, prototype_id: to });
  };
  return {
    what: `move of ${label}`,
    notice: `${label} moved.`,
    ways: () => ({ undo: () => move(target, former), redo: () => move(former, target) }),
  };
};

/** The decision is taken back; a task that it filed is deleted, unless it was changed since. */
const triage: UndoRule<'triage_submission'> = (client, input, project_id) => {
  const { submission_id, action, link_task_id: linked } = input;
  const label = nameOr(client, submission_id, 'the submission');
  const words = { accept: 'Accepted', reject: 'Rejected' } as const;
  return {
    what: `${action === 'accept' ? 'acceptance' : 'rejection'} of ${label}`,
    notice: linked === undefined ? `${words[action]}: ${label}.` : `Accepted and linked: ${label}.`,
    ways: ({ linked_task_id: task }) => {
      let filed = linked === undefined ? task : null;
      return {
        undo: async () => {
          if (filed !== null) {
            const { created_at, updated_at } = await call('get_task', { project_id, task_id: filed });
            if (created_at !== updated_at)
              throw new ServiceError('precondition_failed', 'The task that it filed was changed since.');
          }
          await call('reopen_submission', { project_id, submission_id });
          if (filed !== null) await call('delete_task', { project_id, task_id: filed });
        },
        redo: async () => {
          const again = await call('triage_submission', input);
          filed = linked === undefined ? again.linked_task_id : null;
        },
      };
    },
  };
};

interface Opposite {
  readonly other: OperationName;
  readonly what: string;
  readonly done: string;
  /** The status before; from another one the change has no opposite. */
  readonly from?: string;
}

/** Undone by the opposite operation. */
function opposite<N extends 'pause_goal' | 'resume_goal' | 'archive_goal' | 'unarchive_goal'>(
  name: N,
  { other, what, done, from }: Opposite,
): UndoRule<N> {
  return (client, input) => {
    const former = findCached(client, input.goal_id, 'list_goals', 'get_goal');
    if (from !== undefined && former?.['status'] !== from) return undefined;
    const label = nameOr(client, input.goal_id, 'the goal');
    return {
      what: `${what} of ${label}`,
      notice: `${label} ${done}.`,
      ways: () => ({ undo: () => call(other, input as Input<OperationName>), redo: () => call(name, input) }),
    };
  };
}

/** The fields of a task that are chosen rather than typed. */
const chosen = new Set([
  ...['status', 'priority', 'assignee', 'goal_id', 'kind', 'lane', 'severity', 'due_date', 'tags'],
  ...['verified_at', 'verified_ref', 'commit_refs'],
]);

/** How each operation is undone; others cannot be. */
export const undoRules: { readonly [N in OperationName]?: UndoRule<N> } = {
  update_task: fieldRule({
    ...{ update: 'update_task', read: 'get_task', list: 'list_tasks' },
    ...{ id: 'task_id', name: 'task', notify: chosen },
  }),
  update_document: fieldRule({
    ...{ update: 'update_document', read: 'get_document', list: 'list_documents' },
    ...{ id: 'document_id', name: 'document', notify: new Set(['folder_id']) },
  }),
  update_goal: fieldRule({
    ...{ update: 'update_goal', read: 'get_goal', list: 'list_goals' },
    ...{ id: 'goal_id', name: 'goal' },
  }),
  update_folder: fieldRule({
    ...{ update: 'update_folder', read: 'get_folder', list: 'list_documents' },
    ...{ id: 'folder_id', name: 'folder', notify: new Set(['parent_folder_id']) },
  }),
  update_prototype: fieldRule({
    ...{ update: 'update_prototype', read: 'get_prototype', list: 'list_prototypes' },
    ...{ id: 'prototype_id', name: 'prototype' },
  }),
  update_view: fieldRule({
    ...{ update: 'update_view', read: 'get_view', list: 'list_views' },
    ...{ id: 'view_id', name: 'view' },
  }),
  update_tag: fieldRule({
    ...{ update: 'update_tag', read: 'get_tag', list: 'list_tags' },
    ...{ id: 'tag_id', name: 'tag' },
  }),
  update_comment: fieldRule({
    ...{ update: 'update_comment', read: 'get_comment', list: 'list_comments' },
    ...{ id: 'comment_id', name: 'comment', notify: new Set(['resolved']) },
  }),
  update_project: fieldRule({
    ...{ update: 'update_project', read: 'get_project', list: 'list_projects' },
    ...{ id: 'project_id', name: 'project' },
  }),
  delete_task: deletion('delete_task', 'task_id', 'task'),
  delete_document: deletion('delete_document', 'document_id', 'document'),
  delete_note: deletion('delete_note', 'note_id', 'note'),
  delete_artifact: deletion('delete_artifact', 'artifact_id', 'artifact'),
  delete_prototype: deletion('delete_prototype', 'prototype_id', 'prototype'),
  delete_comment: deletion('delete_comment', 'comment_id', 'comment'),
  delete_edge: deletion('delete_edge', 'edge_id', 'edge'),
  delete_folder: deletion('delete_folder', 'folder_id', 'folder'),
  delete_tag: deletion('delete_tag', 'tag_id', 'tag'),
  delete_view: deletion('delete_view', 'view_id', 'view'),
  create_edge: createEdge,
  create_task: createTask,
  move_documents: moveDocuments,
  move_screen: moveScreen,
  triage_submission: triage,
  pause_goal: opposite('pause_goal', { other: 'resume_goal', what: 'pause', done: 'paused' }),
  resume_goal: opposite('resume_goal', { other: 'pause_goal', what: 'resumption', done: 'resumed', from: 'paused' }),
  archive_goal: opposite('archive_goal', { other: 'unarchive_goal', what: 'archiving', done: 'archived' }),
  unarchive_goal: opposite('unarchive_goal', { other: 'archive_goal', what: 'return', done: 'brought back' }),
};
