import { canvasEdges, canvasRecord, showNode, shownOnCanvas } from '../domain/content/canvas.ts';
import type {
  Canvas,
  CanvasAnswer,
  CanvasNode,
  DocumentRecord,
  PlannerCollections,
  PlanReadTransaction,
  ProjectInput,
  PutCanvasInput,
  TaskRecord,
} from '../domain/records/collections.ts';
import { showEdge } from '../domain/links/edges.ts';
import { guestMarks } from '../domain/records/guest-texts.ts';
import { putCanvas } from '../domain/content/put-canvas.ts';
import { atOnce, mapInSteps, type Steps } from '../base/slices.ts';
import type { Tx } from '../store/index.ts';
import { groups } from './groups.ts';
import { deferred } from './pipeline/deferred.ts';
import { isLarge } from './pipeline/large-input.ts';
import { versionsTag } from './pipeline/list-tag.ts';
import type { Context, Tag } from './declaration/operation.ts';
import type { PlannerOperation, Read, Write } from './declaration/planner-operation.ts';
import { Sliced } from './declaration/sliced.ts';

const canvasTag = (view: PlanReadTransaction): Tag => versionsTag(view, 'task', 'document', 'canvas');

/** The canvas as of the call. */
function showCanvas(view: PlanReadTransaction, { streams = false }: Pick<Context, 'streams'>): Steps<Canvas> {
  const edges = canvasEdges(view);
  const marks = guestMarks(view);
  const show = (record: TaskRecord | DocumentRecord): CanvasNode => showNode(record, marks(record.id));
  const placed = [...shownOnCanvas(view)];
  const layout = canvasRecord(view)?.layout ?? null;
  const records = view.snapshot();
  return (function* () {
    const shown = yield* mapInSteps(yield* edges, (edge) => showEdge(records, edge));
    return {
      // Deferred nodes are encoded while the response is sent, after the view has ended.
      nodes: streams ? deferred(placed, show) : yield* mapInSteps(placed, show),
      edges: streams ? deferred(shown, (edge) => edge) : shown,
      layout,
    };
  })();
}

const get: Read<ProjectInput, CanvasAnswer> = {
  name: 'get_canvas',
  summary: 'The canvas: nodes, edges and layout',
  group: groups.canvas,
  input: 'ProjectInput',
  output: 'CanvasAnswer',
  scope: 'project',
  effect: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/canvas', bare: 'canvas', hasLists: true },
  tag: canvasTag,
  run: (view, _, context) => Sliced.of(showCanvas(view, context), (canvas) => ({ canvas })),
};

function* runPut(tx: Tx<PlannerCollections>, input: PutCanvasInput, context: Context): Steps<CanvasAnswer> {
  yield* putCanvas(tx, input, context.caller);
  return { canvas: yield* showCanvas(tx, context) };
}

const put: Write<PutCanvasInput, CanvasAnswer> = {
  name: 'put_canvas',
  summary: 'Upsert nodes, edges and layout; anything not listed stays',
  group: groups.canvas,
  input: 'PutCanvasInput',
  output: 'CanvasAnswer',
  scope: 'project',
  effect: 'write',
  rest: {
    method: 'PUT',
    path: '/projects/:project_id/canvas',
    bare: 'canvas',
    hasLists: true,
    example: {
      nodes: [{ id: 'tsk_4n0c2m8w1x7k9q3f', x: 120, y: 80 }],
      edges: [],
      layout: { zoom: 1 },
    },
  },
  tag: canvasTag,
  run: (tx, input, context) => atOnce(runPut(tx, input, context)),
  sliced: { when: ({ nodes, edges }) => isLarge(nodes, edges), run: runPut },
};

export const canvasOperations: readonly PlannerOperation[] = [get, put];
