import { eachInSteps, type Steps } from '../../base/slices.ts';
import type { Incoming } from '../../store/index.ts';
import type {
  CanvasNode,
  CanvasRecord,
  DocumentRecord,
  PlanReadTransaction,
  TaskRecord,
} from '../records/collections.ts';
import { edgesInOrder, edgesOf } from '../links/edges.ts';
import type { GuestMark } from '../records/guest-texts.ts';

/** The canvas record's id: a project has one. */
export const canvasId = 'canvas';

/** The project's canvas record; undefined until the first write. */
export function canvasRecord(view: PlanReadTransaction): CanvasRecord | undefined {
  return view.get('canvas', canvasId);
}

/** The nodes of the canvas by created_at, id: every task, and the documents that have a position. */
export function* shownOnCanvas(
  view: PlanReadTransaction,
  after?: { readonly created_at: string; readonly id: string },
): IterableIterator<TaskRecord | DocumentRecord> {
  const documents = view
    .by('document', 'placed', 'yes')
    .filter((document) => after === undefined || isBehind(document, after))
    .sort((a, b) => (isBehind(a, b) ? 1 : -1));
  let next = documents.shift();
  for (const task of view.list('task', after)) {
    for (; next !== undefined && isBehind(task, next); next = documents.shift()) yield next;
    yield task;
  }
  if (next !== undefined) yield* [next, ...documents];
}

interface Position {
  readonly created_at: string;
  readonly id: string;
}

function isBehind(a: Position, b: Position): boolean {
  return a.created_at === b.created_at ? a.id > b.id : a.created_at > b.created_at;
}

/** The number of nodes on the canvas. */
export function nodeCount(view: PlanReadTransaction): number {
  return view.count('task') + view.countBy('document', 'placed', 'yes');
}

/** The edges between shown nodes, by created_at, id, in steps: as of the call. */
export function canvasEdges(view: PlanReadTransaction): Steps<Incoming[]> {
  return between(edgesOf(view), view.snapshot());
}

function* between(edges: readonly Incoming[], records: Pick<PlanReadTransaction, 'get'>): Steps<Incoming[]> {
  const shown: Incoming[] = [];
  yield* eachInSteps(yield* edgesInOrder(edges, records), (edge) => {
    const { from, fromType, link } = edge;
    if (isPlaced(records, fromType, from) && isPlaced(records, link.type, link.to)) shown.push(edge);
  });
  return shown;
}

function isPlaced(view: Pick<PlanReadTransaction, 'get'>, type: string, id: string): boolean {
  return type === 'task' || (view.get('document', id)?.position ?? null) !== null;
}

/** A task or document as a node of the canvas. A task without a position is at the origin. `mark`: of a task with a guest's texts. */
export function showNode(record: TaskRecord | DocumentRecord, mark?: GuestMark): CanvasNode {
  const { id, status, position, size } = record;
  const document = 'title' in record;
  return {
    id,
    type: document ? 'document' : 'task',
    label: document ? record.title : record.label,
    ...(status === null ? undefined : { status }),
    x: position?.x ?? 0,
    y: position?.y ?? 0,
    ...measured('width', size?.width ?? null),
    ...measured('height', size?.height ?? null),
    ...mark,
  };
}

function measured(name: 'width' | 'height', value: number | null): { width?: number; height?: number } {
  return value === null ? {} : { [name]: value };
}
