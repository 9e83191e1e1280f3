import { canvasEdges, showNode, shownOnCanvas } from '../domain/canvas.ts';
import type { DocumentRecord, PlannerCollections, TaskRecord } from '../domain/records/collections.ts';
import type { View } from '../store/index.ts';

type V = View<PlannerCollections>;

/** The size of a node without one: JSON Canvas requires a size. */
const widthDefault = 260;
const heightDefault = 120;

/** JSON Canvas has six preset colours. */
const colours: Readonly<Record<string, string>> = { in_progress: '3', done: '4', scope: '5' };

/**
 * A project's canvas as JSON Canvas 1.0, in chunks: tasks and placed documents as text nodes (the title as heading, the text below it), the
 * edges between them. A task's status is its colour: yellow in progress, green done, cyan scope.
 */
export function canvasOf(view: V): IterableIterator<string> {
  const nodes = [...shownOnCanvas(view)];
  const edges = canvasEdges(view).map(({ from, link }) => ({
    ...{ id: link.id, fromNode: from, toNode: link.to },
    ...(link.label === undefined ? undefined : { label: link.label }),
  }));
  return texts(nodes, edges);
}

function* texts(nodes: readonly (TaskRecord | DocumentRecord)[], edges: readonly object[]): IterableIterator<string> {
  yield '{\n"nodes":[';
  for (const [at, record] of nodes.entries()) yield (at === 0 ? '\n' : ',\n') + JSON.stringify(nodeOf(record));
  yield '\n],\n"edges":[';
  for (const [at, edge] of edges.entries()) yield (at === 0 ? '\n' : ',\n') + JSON.stringify(edge);
  yield '\n]}\n';
}

function nodeOf(record: TaskRecord | DocumentRecord): object {
  const { id, label, x, y, width = widthDefault, height = heightDefault, status } = showNode(record);
  const body = 'title' in record ? record.body : record.description;
  const colour = 'title' in record ? undefined : colours[status ?? ''];
  // JSON Canvas counts in whole pixels.
  const place = { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
  const text = body === '' ? `# ${label}` : `# ${label}\n\n${body}`;
  return { id, type: 'text', ...place, ...(colour === undefined ? undefined : { color: colour }), text };
}
