import type {
  CreateViewInput,
  DeletedAnswer,
  ListViewsInput,
  PlanReadTransaction,
  UpdateViewInput,
  ViewAnswer,
  ViewInput,
  ViewListAnswer,
  ViewRecord,
  ViewRow,
} from '../domain/records/collections.ts';
import {
  createView,
  deleteView,
  type Placed,
  shortViewRow,
  showView,
  updateView,
  viewById,
  viewOrder,
  viewRow,
} from '../domain/content/views.ts';
import { invalid } from '../base/errors.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { resourceTag } from './pipeline/entity-tag.ts';
import { changedSince, listTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { decodeCursor, nextCursor, pageOf } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';

const locate = { member: 'view_id', resource: 'view' } as const;

const viewTag = (view: PlanReadTransaction, { view_id: id }: { readonly view_id: string }): Tag =>
  resourceTag(viewById(view, id), []);

const viewsTag = (view: PlanReadTransaction): Tag => listTag(view, 'view');

const list: Read<ListViewsInput, ViewListAnswer> = {
  name: 'list_views',
  summary: 'Saved views of a project',
  group: groups.views,
  input: 'ListViewsInput',
  output: 'ViewListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/views' },
  mcp: {
    title: 'List views',
    description: 'The saved views of the project, with their filters and columns.',
  },
  tag: viewsTag,
  run: listResponse,
};

function listResponse(view: PlanReadTransaction, input: ListViewsInput, context: Context): ViewListAnswer {
  const show = context.transport === 'mcp' ? viewRow : (one: ViewRecord): ViewRow => showView(view, one);
  const changed = changedSince(view, 'view', input, viewsTag(view));
  if (changed !== undefined) {
    const present = [...changed].map((id) => view.get('view', id)).filter((one) => one !== undefined);
    const removed = [...changed].filter((id) => view.get('view', id) === undefined).sort();
    return { views: present.sort(viewOrder).map(show), removed };
  }
  const after = input.cursor === undefined ? undefined : placeOf(input.cursor);
  const behind = [...view.list('view')]
    .sort(viewOrder)
    .filter((one) => after === undefined || viewOrder(one, after) > 0);
  const page = pageOf(behind, input, context, {
    show,
    lighter: shortViewRow,
    position: ({ position, created_at, id }) => [String(position), created_at, id],
  });
  return { views: page.rows, ...nextCursor(page) };
}

/** The position in a list of views. */
function placeOf(cursor: string): Placed {
  const [text = '', created_at = '', id = ''] = decodeCursor(cursor, 3);
  const position = Number(text);
  if (Number.isNaN(position))
    throw invalid('cursor', 'cursor is not valid for this list: pass next_cursor of the previous response unchanged.');
  return { position, created_at, id };
}

const get: Read<ViewInput, ViewAnswer> = {
  name: 'get_view',
  summary: 'One view',
  group: groups.views,
  input: 'ViewInput',
  output: 'ViewAnswer',
  scope: 'project',
  effect: 'read',
  locate,
  rest: { method: 'GET', path: '/views/:view_id', bare: 'view' },
  tag: viewTag,
  run: (view, { view_id: id }) => ({ view: showView(view, viewById(view, id)) }),
};

const create: Write<CreateViewInput, ViewAnswer> = {
  name: 'create_view',
  summary: 'Save a view',
  group: groups.views,
  input: 'CreateViewInput',
  output: 'ViewAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/views',
    bare: 'view',
    example: { name: 'My work', config: { filter: { status: ['todo', 'in_progress'] } } },
  },
  run: (tx, input) => ({ view: showView(tx, createView(tx, input)) }),
};

const update: Write<UpdateViewInput, ViewAnswer> = {
  name: 'update_view',
  summary: 'Change a view',
  group: groups.views,
  input: 'UpdateViewInput',
  output: 'ViewAnswer',
  scope: 'project',
  effect: 'write',
  locate,
  rest: { method: 'PATCH', path: '/views/:view_id', bare: 'view' },
  tag: viewTag,
  run: (tx, input) => ({ view: showView(tx, updateView(tx, input)) }),
};

const remove: Write<ViewInput, DeletedAnswer> = {
  name: 'delete_view',
  summary: 'Delete a view',
  group: groups.views,
  input: 'ViewInput',
  output: 'DeletedAnswer',
  scope: 'project',
  effect: 'write',
  peopleOnly: true,
  locate,
  rest: { method: 'DELETE', path: '/views/:view_id', headers: trashHeader },
  ...deletion(({ view_id: id }) => id, deleteView),
};

export const viewOperations: readonly PlannerOperation[] = [list, get, create, update, remove];
