import { call, ServiceError } from '../api/client.ts';
import type { Answer, OperationName } from '../api/client.ts';
import { createEdge, creation, deletion, restoreFromTrash } from './created.ts';
import { fieldRule, nameOr } from './field-rules.ts';
import { findCached } from './find-cached.ts';
import { completeGoal, completeRun, goalChange, restoreRevision } from './revised.ts';
import type { UndoRule } from './undo-rule.ts';
import { webhookTurn } from './webhooks.ts';

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
    ...{ id: 'view_id', name: 'view', notify: new Set(['config']) },
  }),
  update_tag: fieldRule({
    ...{ update: 'update_tag', read: 'get_tag', list: 'list_tags' },
    ...{ id: 'tag_id', name: 'tag', notify: new Set(['color']) },
  }),
  update_comment: fieldRule({
    ...{ update: 'update_comment', read: 'get_comment', list: 'list_comments' },
    ...{ id: 'comment_id', name: 'comment', notify: new Set(['resolved']) },
  }),
  update_project: fieldRule({
    ...{ update: 'update_project', read: 'get_project', list: 'list_projects' },
    ...{ id: 'project_id', name: 'project' },
  }),
  delete_task: deletion('task'),
  delete_document: deletion('document'),
  delete_note: deletion('note'),
  delete_artifact: deletion('artifact'),
  delete_prototype: deletion('prototype'),
  delete_comment: deletion('comment'),
  delete_edge: deletion('edge'),
  delete_folder: deletion('folder'),
  delete_tag: deletion('tag'),
  delete_view: deletion('view'),
  restore_from_trash: restoreFromTrash,
  restore_revision: restoreRevision,
  create_edge: createEdge,
  create_task: creation('task'),
  create_document: creation('document', true),
  create_note: creation('note', true),
  create_artifact: creation('artifact'),
  copy_screen: creation('artifact', true),
  create_prototype: creation('prototype'),
  create_folder: creation('folder'),
  create_tag: creation('tag'),
  create_view: creation('view'),
  add_document_comment: creation('comment'),
  add_task_comment: creation('comment'),
  add_note_comment: creation('comment'),
  add_submission_comment: creation('comment'),
  add_artifact_comment: creation('comment'),
  move_documents: moveDocuments,
  move_screen: moveScreen,
  triage_submission: triage,
  pause_goal: goalChange('pause', 'is paused'),
  resume_goal: goalChange('resumption', 'is resumed'),
  reopen_goal: goalChange('reopening', 'is reopened'),
  archive_goal: goalChange('archiving', 'is archived'),
  unarchive_goal: goalChange('return', 'is brought back'),
  complete_goal: completeGoal,
  complete_agent_run: completeRun,
  pause_webhook: webhookTurn('pause_webhook'),
  resume_webhook: webhookTurn('resume_webhook'),
};
