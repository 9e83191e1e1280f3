import type {
  ListRevisionsInput,
  PlannerCollections,
  RestoreRevisionInput,
  RestoredAnswer,
  RevisionDetailAnswer,
  RevisionDiffAnswer,
  RevisionInput,
  RevisionListAnswer,
} from '../domain/records/collections.ts';
import { begun } from '../domain/exchange/begun.ts';
import { showDocumentDetail } from '../domain/content/documents.ts';
import { showGoal } from '../domain/plan/goals.ts';
import { showNote } from '../domain/content/notes.ts';
import { restoreRevision } from '../domain/versions/restore.ts';
import { diffOf } from '../domain/versions/revision-diff.ts';
import {
  listRevisions,
  markOfRevision,
  revisionById,
  showRevision,
  showRevisionDetail,
} from '../domain/versions/revisions.ts';
import { showTask } from '../domain/plan/task-view.ts';
import type { ReadTransaction } from '../store/index.ts';
import { groups } from './groups.ts';
import { deferred } from './pipeline/deferred.ts';
import { hashOf } from './pipeline/entity-tag.ts';
import { isCurrent } from './pipeline/list-tag.ts';
import type { Tag } from './declaration/operation.ts';
import { decodeCursor, nextCursor, pageOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { alwaysSliced } from './declaration/sliced.ts';

const locate = { member: 'revision_id', resource: 'revision' } as const;

function revisionsTag(view: ReadTransaction<PlannerCollections>): Tag {
  return { own: view.historyVersion, rest: '0' };
}

const list: Read<ListRevisionsInput, RevisionListAnswer> = {
  name: 'list_revisions',
  summary: 'What changed, newest first',
  group: groups.revisions,
  input: 'ListRevisionsInput',
  output: 'RevisionListAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/revisions' },
  mcp: {
    title: 'List revisions',
    description:
      'History of a task, document, goal, note or artifact, or of the project, newest first: who changed which fields when. get_revision shows the state before.',
  },
  tag: revisionsTag,
  run: (view, input, context) => {
    if (isCurrent(input, revisionsTag(view))) return { revisions: [], removed: [] };
    const { limit, cursor, author } = input;
    if (context.streams === true && [limit, cursor, author].every((given) => given === undefined)) {
      // Revisions do not change, so each is read from its file when it is sent.
      const { project } = view;
      const whole = begun(listRevisions(view, input));
      return { revisions: deferred(whole, (revision) => showRevision({ project }, revision)) };
    }
    const page = pageOf(listRevisions(view, input, positionOf(input.cursor)), input, context, {
      show: (revision) => showRevision(view, revision),
      position: ({ at, id }) => [at, id],
    });
    return { revisions: page.rows, ...nextCursor(page) };
  },
};

function positionOf(cursor: string | undefined): { readonly at: string; readonly id: string } | undefined {
  if (cursor === undefined) return undefined;
  const [at = '', id = ''] = decodeCursor(cursor, 2);
  return { at, id };
}

const get: Read<RevisionInput, RevisionDetailAnswer, 'renderings'> = {
  name: 'get_revision',
  summary: 'One revision with the state before it',
  group: groups.revisions,
  input: 'RevisionInput',
  output: 'RevisionDetailAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/revisions/:revision_id', bare: 'revision' },
  mcp: {
    title: 'Get revision',
    texts: true,
    description:
      'One revision with a snapshot of every field as it was before the change. To undo the change, write the old values with the update tool of its kind.',
  },
  renders: true,
  tag: (view, { revision_id: id }, { renderings }) => ({
    own: hashOf(showRevisionDetail(view, revisionById(view, id), renderings)),
    rest: '0',
  }),
  run: (view, { revision_id: id }, { renderings }) => ({
    revision: showRevisionDetail(view, revisionById(view, id), renderings),
  }),
};

/** The state after a change depends on later revisions: the tag changes with the history. */
const diff: Read<RevisionInput, RevisionDiffAnswer, 'renderings'> = {
  name: 'diff_revision',
  summary: 'What a revision changed, field by field',
  group: groups.revisions,
  input: 'RevisionInput',
  output: 'RevisionDiffAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/revisions/:revision_id/diff', bare: 'diff' },
  tag: (view, { revision_id: id }) => {
    const revision = revisionById(view, id);
    const marked = markOfRevision(view, revision) === undefined ? '' : '-untrusted';
    return { own: `${revision.id}-${revisionsTag(view).own}`, rest: `${view.version('goal')}${marked}` };
  },
  renders: true,
  run: (view, { revision_id: id }, { renderings }) => ({ diff: diffOf(view, revisionById(view, id), renderings) }),
};

const restore: Write<RestoreRevisionInput, RestoredAnswer> = {
  name: 'restore_revision',
  summary: 'Restore a record to its state before a change or its deletion',
  group: groups.revisions,
  input: 'RestoreRevisionInput',
  output: 'RestoredAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'POST', path: '/revisions/:revision_id/restore', bare: 'restored', status: 200 },
  ...alwaysSliced(function* (tx, { revision_id: id, changed_fields_only: changedOnly = false }) {
    const { type, record } = yield* restoreRevision(tx, id, { changedOnly });
    if (type === 'task') return { restored: { ...showTask(tx, tx.get('task', record.id)!) } };
    if (type === 'document') return { restored: { ...showDocumentDetail(tx, tx.get('document', record.id)!) } };
    if (type === 'note') return { restored: { ...showNote(tx, record) } };
    if (type === 'artifact') {
      const { links: _, ...artifact } = record;
      return { restored: { ...artifact, project_id: tx.project } };
    }
    return { restored: { ...showGoal(tx, record) } };
  }),
};

export const revisionOperations: readonly PlannerOperation[] = [list, get, diff, restore];
