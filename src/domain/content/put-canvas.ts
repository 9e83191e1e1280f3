import { controlCharacterIn } from '../../base/printable.ts';
import { invalid } from '../../base/errors.ts';
import { idPattern, projectCodeOf } from '../../base/ids.ts';
import type { Incoming, Link } from '../../store/index.ts';
import { eachInSteps, type Steps } from '../../base/slices.ts';
import { canvasId, canvasRecord } from './canvas.ts';
import type {
  CanvasEdgeInput,
  CanvasNodeInput,
  DocumentRecord,
  PlanTransaction,
  PutCanvasInput,
  Size,
  TaskRecord,
} from '../records/collections.ts';
import { EdgeSheets } from '../links/edge-sheets.ts';
import { type EndType, isVisible } from '../links/edges.ts';
import { putNewTask } from '../plan/tasks.ts';

/** The caller: the only project that an agent key may see. */
interface CanvasCaller {
  readonly boundTo?: string;
}

/**
 * Stores a client's canvas, in slices: positions and sizes of known nodes, unknown nodes as new tasks under the client's ids, edges by id
 * or by ends and label, and the layout. Nodes and edges that are not listed stay. All or nothing, because it runs in a transaction.
 */
export function* putCanvas(
  tx: PlanTransaction,
  { nodes = [], edges = [], layout }: PutCanvasInput,
  by: CanvasCaller,
): Steps<void> {
  if (by.boundTo !== undefined) requireOwnIds(tx, nodes, edges);
  yield* eachInSteps(nodes.entries(), ([at, node]) => putNode(tx, node, `nodes[${at}]`));
  const sheets = new EdgeSheets(tx);
  yield* eachInSteps(edges.entries(), ([at, edge]) => putEdge(tx, sheets, edge, `edges[${at}]`));
  yield* sheets.writeSliced();
  if (layout === undefined) return;
  const { created_at } = canvasRecord(tx) ?? { created_at: tx.now };
  tx.put('canvas', { id: canvasId, created_at, layout });
}

/**
 * Throws for an id in Planner's own form that names another project: an agent could make an id of a project that it may
 * not see ambiguous for its owner. Only the form is checked, so that the error does not reveal which records exist.
 */
function requireOwnIds(
  tx: PlanTransaction,
  nodes: readonly CanvasNodeInput[],
  edges: readonly CanvasEdgeInput[],
): void {
  const check = (id: string, field: string): void => {
    const code = projectCodeOf(id);
    if (code === undefined || code === tx.code) return;
    throw invalid(
      field,
      `${field} is ${id}: ${JSON.stringify(code)} in it is the code of another project (this one has ${JSON.stringify(tx.code)}). Choose another id.`,
    );
  };
  for (const [at, { id }] of nodes.entries()) if (tx.find(id) === undefined) check(id, `nodes[${at}].id`);
  for (const [at, { id, edge_id: alias }] of edges.entries()) {
    const chosen = id ?? alias;
    if (chosen !== undefined && tx.edge(chosen) === undefined) check(chosen, `edges[${at}].id`);
  }
}

function putNode(tx: PlanTransaction, node: CanvasNodeInput, path: string): void {
  const { id, x, y } = node;
  if ((x === undefined) !== (y === undefined))
    throw invalid(path, `${path} has only one of x and y: give both or neither.`);
  const place = x === undefined || y === undefined ? undefined : { x, y };
  const known = tx.find(id);
  if (known === undefined) return putNewNode(tx, node, place, path);
  const { collection, record } = known;
  if (collection !== 'task' && collection !== 'document') {
    throw invalid(
      `${path}.id`,
      `${path}.id is the id of a ${collection}, which cannot be on the canvas. Choose another id.`,
    );
  }
  if (node.type !== undefined && node.type !== collection) {
    throw invalid(`${path}.type`, `${path} is a ${collection}, not a ${node.type}.`);
  }
  const { position, size } = record as TaskRecord | DocumentRecord;
  const placed = { position: place ?? position, size: sizeAfter(node, size) };
  if (collection === 'task') tx.put('task', { ...(record as TaskRecord), ...placed });
  else tx.put('document', { ...(record as DocumentRecord), ...placed });
}

function putNewNode(
  tx: PlanTransaction,
  node: CanvasNodeInput,
  place: { x: number; y: number } | undefined,
  path: string,
): void {
  const { id, type, label } = node;
  // A known node may have the id of another tool, from its file.
  if (!idPattern.test(id)) throw invalid(`${path}.id`, `${path}.id must be 1 to 64 letters, digits, _ or -.`);
  if (type === 'document') {
    throw invalid(
      `${path}.id`,
      `${path}.id must be the id of a document of this project. Create documents with create_document.`,
    );
  }
  if (label === undefined) {
    throw invalid(`${path}.label`, `${path}.label is required: a new node becomes a task.`);
  }
  requireOneLine(label, `${path}.label`);
  const task = putNewTask(tx, id, { label, ...(place === undefined ? undefined : { position: place }) });
  const size = sizeAfter(node, null);
  if (size !== null) tx.put('task', { ...task, size });
}

/** Only new labels are checked: a client may send back a canvas with labels from files. */
function requireOneLine(text: string, field: string): void {
  const found = controlCharacterIn(text);
  if (found === undefined) return;
  throw invalid(field, `${field} must be one line of text without control characters; it contains ${found}.`);
}

/** An absent member is unchanged, null removes it. */
function sizeAfter({ width, height }: CanvasNodeInput, former: Size | null): Size | null {
  const size = {
    width: width === undefined ? (former?.width ?? null) : width,
    height: height === undefined ? (former?.height ?? null) : height,
  };
  return size.width === null && size.height === null ? null : size;
}

function putEdge(tx: PlanTransaction, sheets: EdgeSheets, edge: CanvasEdgeInput, path: string): void {
  if (edge.id !== undefined && edge.edge_id !== undefined && edge.id !== edge.edge_id) {
    throw invalid(
      `${path}.edge_id`,
      `${path}.edge_id and ${path}.id are the same field: give one of them, or equal values.`,
    );
  }
  if (edge.project_id !== undefined && edge.project_id !== tx.project) {
    throw invalid(`${path}.project_id`, `${path}.project_id must be this project, or be omitted.`);
  }
  const id = edge.id ?? edge.edge_id;
  const known = id === undefined ? undefined : sheets.edge(id);
  const seen = known !== undefined && isVisible(tx, known);
  for (const member of ['label', 'style', 'arrow_direction'] as const)
    if (!seen || known.link[member] !== edge[member]) requireOneLine(edge[member] ?? '', `${path}.${member}`);
  if (seen) return changeEdge(tx, sheets, known, edge, path);
  const { from_id: from, to_id: to } = edge;
  if (from === undefined || to === undefined) {
    const missing = from === undefined ? 'from_id' : 'to_id';
    throw invalid(`${path}.${missing}`, `${path}.${missing} is required: a new edge needs both ends.`);
  }
  // An edge that is hidden because an end is missing keeps its id.
  const chosen = id === undefined || known !== undefined ? undefined : { id };
  const made = sheets.create(
    { ...ends(tx, edge, from, to, path), label: edge.label, ...chosen, ...stamped(edge) },
    path,
  );
  // An edge that was found by its ends gets the given style.
  changeEdge(tx, sheets, made, { style: edge.style, arrow_direction: edge.arrow_direction }, path);
}

function stamped({ created_at }: CanvasEdgeInput): { created_at?: string } {
  return created_at === undefined ? {} : { created_at };
}

/** The types of the ends, looked up by their ids if the input omits them. */
function ends(
  tx: PlanTransaction,
  { from_type: fromType, to_type: toType }: CanvasEdgeInput,
  from: string,
  to: string,
  path: string,
): { from_type: EndType; from_id: string; to_type: EndType; to_id: string } {
  return {
    from_type: fromType ?? typeOf(tx, from, `${path}.from_id`),
    from_id: from,
    to_type: toType ?? typeOf(tx, to, `${path}.to_id`),
    to_id: to,
  };
}

function typeOf(tx: PlanTransaction, id: string, member: string): EndType {
  const collection = tx.find(id)?.collection;
  if (collection === 'task' || collection === 'document') return collection;
  throw invalid(member, `${member} must be the id of a task or document of this project: ${JSON.stringify(id)}.`);
}

/** Updates the given members of an edge; with other ends it moves and keeps its id. */
function changeEdge(
  tx: PlanTransaction,
  sheets: EdgeSheets,
  known: Incoming,
  edge: Omit<CanvasEdgeInput, 'id'>,
  path: string,
): void {
  const { from, link } = known;
  const to = edge.to_id ?? link.to;
  const source = edge.from_id ?? from;
  const changed = changedLink(link, edge);
  if (source === from && to === link.to) return replaceLink(sheets, known, changed, path);
  const moved = ends(tx, edge, source, to, path);
  sheets.remove(known);
  const { label = null, style = null, arrow_direction = null } = changed;
  const created_at = link.created_at ?? tx.now;
  sheets.create({ ...moved, label, style, arrow_direction, id: link.id, created_at }, path);
}

function changedLink(link: Link, { label, style, arrow_direction }: CanvasEdgeInput): Link {
  const given = Object.entries({ label, style, arrow_direction }).filter(([, value]) => value !== undefined);
  const merged = { ...link, ...Object.fromEntries(given) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null)) as unknown as Link;
}

function replaceLink(sheets: EdgeSheets, known: Incoming, changed: Link, path: string): void {
  const same = sheets.replace(known, changed);
  if (same !== undefined) {
    throw invalid(
      `${path}.label`,
      `${path} would be the same edge as ${same.id}: same ends, same label. Delete one of them.`,
    );
  }
}
