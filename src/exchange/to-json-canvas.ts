import { canvasEdges, canvasRecord, showNode, shownOnCanvas } from '../domain/content/canvas.ts';
import type { Fields } from '../domain/exchange/draft.ts';
import type { DocumentRecord, PlanReadTransaction, TaskRecord } from '../domain/records/collections.ts';
import { atOnce, type Chunks, valueOf } from '../base/slices.ts';
import { type Incoming, withTexts } from '../store/index.ts';
import { keptCanvas, urlOf } from './canvas-layout.ts';
import type { KeptCanvas, KeptItem, KeptNode } from './canvas-layout.ts';
import {
  arrowEnds,
  colourOf,
  documentOfNode,
  isStatusColour,
  newNodeText,
  readNodeText,
  statusOfNode,
  statusOfTask,
  textOfNode,
  tick,
} from './canvas-text.ts';
import { given } from './members.ts';

/** The size of a node without one: JSON Canvas requires a size. */
const widthDefault = 260;
const heightDefault = 120;

const nothingKept: KeptCanvas = { members: {}, nodes: {}, edges: {}, groups: [], lines: [] };

/**
 * A project's canvas as JSON Canvas 1.0, in chunks: tasks and placed documents as text nodes (the title as heading, the
 * text below it), the edges between them with their arrows. A task's status is its colour: yellow in progress, green
 * done, cyan scope. All other parts of an imported JSON Canvas are restored from the layout: an unchanged canvas equals
 * the imported one.
 */
export function canvasOf(view: PlanReadTransaction): Chunks {
  const kept = keptCanvas(canvasRecord(view)?.layout) ?? nothingKept;
  const records = [...shownOnCanvas(view)];
  const ids = idsOf(records, kept);
  const nodes = [
    ...groupsOf(kept).map(({ at, item }) => ({ at, show: () => item })),
    ...records.map((record) => {
      const entry = kept.nodes[urlOfRecord(record)];
      const show = (whole: TaskRecord | DocumentRecord): object => nodeOf(whole, ids.get(urlOfRecord(record))!, entry);
      return { at: entry?.at ?? Infinity, show: () => whenWhole(record, show) };
    }),
  ];
  const edges = [
    ...atOnce(canvasEdges(view)).map((edge) => {
      const { at = Infinity } = kept.edges[urlOf('edge', edge.link.id)] ?? {};
      return { at, show: () => edgeOf(edge, ids, kept) };
    }),
    ...kept.lines.flatMap(({ at, item }) => {
      const [fromNode, toNode] = [ids.get(String(item['fromNode'])), ids.get(String(item['toNode']))];
      // A line goes with the nodes and groups that it joined.
      return fromNode === undefined || toNode === undefined
        ? []
        : [{ at, show: () => ({ ...item, fromNode, toNode }) }];
    }),
  ];
  return texts(kept.members, nodes.sort(byPlace), edges.sort(byPlace));
}

interface Item {
  readonly at: number;
  readonly show: () => object | Promise<object>;
}

/** Items of an imported canvas keep their order: nodes are drawn over each other in it. */
function byPlace(a: Item, b: Item): number {
  return a.at === b.at ? 0 : a.at - b.at;
}

function whenWhole<R extends object>(record: R, show: (whole: R) => object): object | Promise<object> {
  const whole = withTexts(record);
  return whole instanceof Promise ? whole.then(show) : show(whole);
}

function* texts(members: Fields, nodes: readonly Item[], edges: readonly Item[]): Chunks {
  yield '{\n"nodes":[';
  for (const [at, { show }] of nodes.entries())
    yield (at === 0 ? '\n' : ',\n') + JSON.stringify(yield* valueOf(show()));
  yield '\n],\n"edges":[';
  for (const [at, { show }] of edges.entries())
    yield (at === 0 ? '\n' : ',\n') + JSON.stringify(yield* valueOf(show()));
  yield '\n]';
  for (const [name, value] of Object.entries(members)) {
    if (name !== 'nodes' && name !== 'edges') yield `,\n${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  yield '}\n';
}

/** Clients may store any layout. */
function groupsOf({ groups }: KeptCanvas): readonly KeptItem[] {
  return groups.filter(({ item }) => item['type'] === 'group' && typeof item['id'] === 'string');
}

/** The ids of the nodes: groups by item, records by URL. A record has its imported id, else its own. */
function idsOf(records: readonly (TaskRecord | DocumentRecord)[], kept: KeptCanvas): ReadonlyMap<string, string> {
  const ids = new Map(groupsOf(kept).map(({ item }) => [String(item['id']), String(item['id'])]));
  const taken = new Set(ids.keys());
  for (const record of records) {
    const { id = record.id } = kept.nodes[urlOfRecord(record)] ?? {};
    const free = taken.has(id) ? record.id : id;
    taken.add(free);
    ids.set(urlOfRecord(record), free);
  }
  return ids;
}

function urlOfRecord(record: TaskRecord | DocumentRecord): string {
  return urlOf('title' in record ? 'document' : 'task', record.id);
}

function nodeOf(record: TaskRecord | DocumentRecord, id: string, kept: KeptNode | undefined): object {
  const { x, y, width = widthDefault, height = heightDefault } = showNode(record);
  // JSON Canvas counts in whole pixels.
  const place = { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
  const { color, ...content } = 'title' in record ? contentOfDocument(record, kept) : contentOfTask(record, kept);
  return { ...kept?.more, id, ...place, ...given({ color: color ?? undefined }), ...content };
}

/** The members of a node that depend on its type. */
interface Content extends Fields {
  readonly type: string;
  readonly color: string | null;
}

/** A document that is unchanged since its file or link was imported becomes that node again. */
function contentOfDocument({ title, body }: DocumentRecord, kept: KeptNode | undefined): Content {
  const color = kept?.color ?? null;
  const source = kept?.source;
  const former = source === undefined ? undefined : documentOfNode(source);
  if (former?.title === title && former.body === body) return { type: 'file', ...source, color };
  return { type: 'text', color, text: textOfNode(newNodeText(title, body)) };
}

/** A task has the colour and the tick box that it was imported with, unless they would mean another status. */
function contentOfTask(task: TaskRecord, kept: KeptNode | undefined): Content {
  const { status } = task;
  const derived = colourOf(status) ?? null;
  const { text, before } = formOfTask(task, kept);
  const color = kept?.color === undefined ? derived : kept.color;
  if (statusOfTask(statusOfNode(before, color)) === status) return { type: 'text', color, text };
  const ticked = tick(before, status === 'done') + text.slice(before.length);
  return { type: 'text', color: derived ?? (isStatusColour(color) ? null : color), text: ticked };
}

function formOfTask(
  { label, description }: TaskRecord,
  kept: KeptNode | undefined,
): { readonly text: string; readonly before: string } {
  const { text: source } = kept?.source ?? {};
  if (typeof source === 'string') {
    const read = readNodeText(source);
    if (read.label === label && read.description === description) return { text: source, before: read.before };
  }
  const plain = newNodeText(label, description);
  const { before = plain.before, between = plain.between } = kept ?? {};
  return { text: textOfNode({ before, label, between, description }), before };
}

function edgeOf({ from, fromType, link }: Incoming, ids: ReadonlyMap<string, string>, kept: KeptCanvas): object {
  const { id = link.id, more } = kept.edges[urlOf('edge', link.id)] ?? {};
  const ends = {
    fromNode: ids.get(`planner://${fromType}/${from}`),
    toNode: ids.get(`planner://${link.type}/${link.to}`),
  };
  const { label: former, ...sides } = more ?? {};
  const { label } = link;
  // A blank label counts as absent, and a long label was cut.
  const isSame = typeof former === 'string' && (label === undefined ? former.trim() === '' : former.startsWith(label));
  return { ...sides, id, ...ends, ...arrowEnds(link.arrow_direction), ...given({ label: isSame ? former : label }) };
}
