import type {
  CreateEdgeInput,
  EdgeAnswer,
  EdgeDeletedAnswer,
  EdgeInput,
  EdgeListAnswer,
  ListEdgesInput,
  PlanReadTransaction,
} from '../domain/records/collections.ts';
import { createEdge } from '../domain/links/edge-sheets.ts';
import { deleteEdge, edgeRow, edgesInOrder, edgesOf, edgeTime, endTypes, showEdge } from '../domain/links/edges.ts';
import { limits } from '../base/limits.ts';
import { atOnce, type Steps } from '../base/slices.ts';
import type { Incoming } from '../store/index.ts';
import { groups } from './groups.ts';
import { deletion, trashHeader } from './trash-header.ts';
import { isCurrent, versionsTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import { nextCursor, pageOf, positionAfter } from './pipeline/page.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { Sliced } from './declaration/sliced.ts';

const create: Write<CreateEdgeInput, EdgeAnswer> = {
  name: 'create_edge',
  summary: 'Create a labeled edge between tasks, documents, artifacts or prototypes',
  group: groups.edges,
  input: 'CreateEdgeInput',
  output: 'EdgeAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'POST',
    path: '/projects/:project_id/edges',
    bare: 'edge',
    example: {
      from_type: 'task',
      from_id: 'tsk_4n0c2m8w1x7k9q3f',
      to_type: 'task',
      to_id: 'tsk_4n0c2m3p6r9s2e5b',
      label: 'depends_on',
    },
  },
  mcp: {
    title: 'Create edge',
    description:
      'Joins two tasks or documents. Between tasks it orders the work, unless the label only relates them. Returns {edge}, and warnings if it closes a cycle.',
    idempotent: true,
  },
  run: (tx, { project_id: _, ...ends }) => {
    const { edge, warnings } = createEdge(tx, ends);
    return { edge: showEdge(tx, edge), ...(warnings.length > 0 && { warnings }) };
  },
};

/** Edges are stored in the records at which they start. */
const edgesTag = (view: PlanReadTransaction): Tag => versionsTag(view, ...endTypes);

const list: Read<ListEdgesInput, EdgeListAnswer> = {
  name: 'list_edges',
  summary: 'Edges of a project',
  group: groups.edges,
  input: 'ListEdgesInput',
  output: 'EdgeListAnswer',
  scope: 'project',
  effect: 'read',
  followable: true,
  rest: { method: 'GET', path: '/projects/:project_id/edges' },
  mcp: {
    title: 'List edges',
    description: 'Edges with typed ends, by created_at. edge_id is for delete_edge.',
  },
  tag: edgesTag,
  run: listResponse,
};

/** As of the call: a long list is read in slices. */
function listResponse(
  view: PlanReadTransaction,
  input: ListEdgesInput,
  context: Context,
): EdgeListAnswer | Sliced<EdgeListAnswer> {
  if (isCurrent(input, edgesTag(view))) return { edges: [], removed: [] };
  const edges = edgesOf(view, input);
  const long = edges.length > limits.readAtOnceRecordsMax;
  const steps = pageOfEdges(edges, long ? view.snapshot() : view, input, context);
  return long ? new Sliced(steps) : atOnce(steps);
}

function* pageOfEdges(
  edges: readonly Incoming[],
  records: Pick<PlanReadTransaction, 'get' | 'project'>,
  input: ListEdgesInput,
  context: Context,
): Steps<EdgeListAnswer> {
  const after = positionAfter(input);
  const position = (edge: Incoming): readonly string[] => [edgeTime(records, edge), edge.link.id];
  const ordered = yield* edgesInOrder(edges, records);
  const behind = ordered.filter((edge) => {
    if (after === undefined) return true;
    const at = edgeTime(records, edge);
    return at > after.created_at || (at === after.created_at && edge.link.id > after.id);
  });
  const show = (edge: Incoming): EdgeListAnswer['edges'][number] =>
    context.transport === 'mcp' ? edgeRow(edge) : showEdge(records, edge);
  const page = pageOf(behind, input, context, { show, position, snapshots: true });
  return { edges: page.rows, ...nextCursor(page) };
}

const remove: Write<EdgeInput, EdgeDeletedAnswer> = {
  name: 'delete_edge',
  summary: 'Delete one edge',
  group: groups.edges,
  input: 'EdgeInput',
  output: 'EdgeDeletedAnswer',
  scope: 'project',
  // Agents may delete edges, which are structure only.
  effect: 'write',
  locate: { member: 'edge_id', resource: 'edge' },
  rest: { method: 'DELETE', path: '/projects/:project_id/edges/:edge_id', headers: trashHeader },
  mcp: {
    title: 'Delete edge',
    description: 'Removes one edge; its ends remain. edge_id comes from list_edges or the links of get_document.',
    destructive: true,
  },
  ...deletion(({ edge_id: id }) => id, deleteEdge),
};

export const edgeOperations: readonly PlannerOperation[] = [create, list, remove];
