import { canvasEdges, canvasRecord, showNode, shownOnCanvas } from '../domain/canvas.ts';
import type { Canvas, CanvasAnswer, PlannerCollections, ProjectInput, PutCanvasInput } from '../domain/collections.ts';
import { showEdge } from '../domain/edges.ts';
import { putCanvas } from '../domain/put-canvas.ts';
import type { View } from '../store/view.ts';
import { versionsTag } from './list-tag.ts';
import type { Tag } from './operation.ts';
import type { PlannerOperation, Read, Write } from './planner-operation.ts';

type V = View<PlannerCollections>;

const canvasTag = (view: V): Tag => versionsTag(view, 'task', 'document', 'canvas');

function showCanvas(view: V): Canvas {
  return {
    nodes: [...shownOnCanvas(view)].map(showNode),
    edges: canvasEdges(view).map((edge) => showEdge(view, edge)),
    layout: canvasRecord(view)?.layout ?? null,
  };
}

const get: Read<ProjectInput, CanvasAnswer> = {
  name: 'get_canvas',
  summary: 'The canvas: nodes, edges and layout',
  input: 'ProjectInput',
  output: 'CanvasAnswer',
  target: 'project',
  access: 'read',
  rest: { method: 'GET', path: '/projects/:project_id/canvas', bare: 'canvas' },
  tag: canvasTag,
  run: (view) => ({ canvas: showCanvas(view) }),
};

const put: Write<PutCanvasInput, CanvasAnswer> = {
  name: 'put_canvas',
  summary: 'Upsert nodes, edges and layout; what is not listed stays',
  input: 'PutCanvasInput',
  output: 'CanvasAnswer',
  target: 'project',
  access: 'write',
  rest: { method: 'PUT', path: '/projects/:project_id/canvas', bare: 'canvas' },
  tag: canvasTag,
  run: (tx, input) => {
    putCanvas(tx, input);
    return { canvas: showCanvas(tx) };
  },
};

export const canvasOperations: readonly PlannerOperation[] = [get, put];
