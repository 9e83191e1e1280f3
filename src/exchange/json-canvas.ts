import { foldLabel } from '../domain/graph/edge-label.ts';
import { limits } from '../base/limits.ts';
import { keptName, urlOf } from './canvas-layout.ts';
import type { KeptCanvas, KeptEdge, KeptItem, KeptNode } from './canvas-layout.ts';
import {
  arrowEnds,
  colourOf,
  documentOfNode,
  readNodeText,
  statusOfNode,
  statusOfTask,
  textOfNode,
  untitled,
} from './canvas-text.ts';
import { Members, type ImportedPlan } from './imported-plan.ts';
import { given, objectsIn } from './members.ts';
import { PlanBuilder } from './plan-builder.ts';
import { requireObject } from './plan-format.ts';
import type { FileFormat } from './plan-format.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A node that became a record. */
interface Made {
  readonly type: 'task' | 'document';
  readonly record: string;
}

export const jsonCanvas: FileFormat = {
  kind: 'file',
  name: 'json-canvas',
  places: [],
  detects: ({ path, object }) =>
    object !== undefined &&
    (path.endsWith('.canvas') || (Array.isArray(object['nodes']) && Array.isArray(object['edges']))),
  read: (file, { name }) => readJsonCanvas(requireObject(file), name),
};

/**
 * Reads a JSON Canvas 1.0 (`.canvas`). Text nodes become tasks: the first line is the label, the rest the description.
 * File and link nodes become documents, groups become tags of the tasks inside them, edges become edges. Properties
 * without a field (frames, sides, colours, parallel edges) is in the layout of the canvas, from which an export
 * restores it.
 */
export function readJsonCanvas(document: Fields, name: string): ImportedPlan {
  return new CanvasReader(document, name).read();
}

class CanvasReader {
  readonly #plan: PlanBuilder;
  readonly #document: Fields;
  readonly #groups: readonly Fields[];
  /** The targets of the ids of nodes: a record, or a group. */
  readonly #ids = new Map<string, Made | 'group'>();
  readonly #nodes: Record<string, KeptNode> = {};
  readonly #edges: Record<string, KeptEdge> = {};
  readonly #frames: KeptItem[] = [];
  readonly #lines: KeptItem[] = [];
  /** Ends and label of the edges so far: Planner has one edge of each. */
  readonly #joined = new Set<string>();

  constructor(document: Fields, name: string) {
    this.#plan = new PlanBuilder('JSON Canvas', name);
    this.#document = document;
    this.#groups = objectsIn(document['nodes']).filter(({ type }) => type === 'group');
  }

  read(): ImportedPlan {
    const { nodes, edges, ...members } = this.#document;
    for (const [at, node] of objectsIn(nodes).entries()) this.#addNode(node, at);
    for (const [at, edge] of objectsIn(edges).entries()) this.#addEdge(edge, at);
    for (const [name, value] of Object.entries({ nodes, edges }))
      if (value !== undefined && objectsIn(value).length !== (value as { readonly length?: number }).length)
        this.#plan.remarks.add('An entry that is not an object: it was left out.', name);
    const kept: KeptCanvas = {
      ...{ members, nodes: this.#nodes, edges: this.#edges },
      ...{ groups: this.#frames, lines: this.#lines },
    };
    const isLong = JSON.stringify(kept).length > limits.canvasKeptCharactersMax;
    if (isLong)
      this.#plan.remarks.add(
        'Ids, colours, groups and further edges of a large canvas: they were left out.',
        'the canvas',
      );
    const { draft, report } = this.#plan.finish();
    return { draft: { ...draft, canvas: isLong ? null : { layout: { [keptName]: kept } } }, report };
  }

  #addNode(node: Fields, at: number): void {
    const members = new Members(node);
    const id = members.text('id') ?? '';
    const isFirst = !this.#ids.has(id);
    if (!isFirst) this.#plan.remarks.add('An id of several nodes: edges use the first one.', id);
    if (node['type'] === 'group') {
      this.#frames.push({ at, item: node });
      if (isFirst) this.#ids.set(id, 'group');
      return;
    }
    const made = this.#addRecord(members, { at, ...(isFirst && { id }) });
    if (isFirst) this.#ids.set(id, made);
  }

  #addRecord(members: Members, kept: Pick<KeptNode, 'at' | 'id'>): Made {
    const type = members.text('type') ?? 'text';
    const box = boxOf(members);
    const placed = { position: { x: box.x, y: box.y }, size: { width: box.width, height: box.height } };
    const color = members.text('color') ?? null;
    const identity = { kept: {}, ...given({ foreignId: kept.id }) };
    let made: Made;
    let more: Pick<KeptNode, 'before' | 'between' | 'source' | 'color'>;
    if (type === 'text') {
      const text = members.text('text') ?? '';
      const { before, label, description } = readNodeText(text);
      const status = statusOfNode(before, color);
      const [tags, task] = [this.#tagsAt(box), { label: label === untitled ? '' : label, description, status }];
      made = { type: 'task', record: this.#plan.task({ ...task, ...placed, tags, ...identity }) };
      more = {
        ...formOf(text),
        ...(color !== (colourOf(statusOfTask(status)) ?? null) && { color }),
      };
    } else {
      if (type !== 'file' && type !== 'link')
        this.#plan.remarks.add('A node of an unknown type: it became a document.', type);
      const source = {
        type,
        ...given({ file: members.text('file'), url: members.text('url'), subpath: members.text('subpath') }),
      };
      made = { type: 'document', record: this.#plan.document({ ...documentOfNode(source), ...placed, ...identity }) };
      more = { source, ...(color !== null && { color }) };
    }
    const rest = members.rest();
    const entry = { ...kept, ...more, ...(Object.keys(rest).length > 0 && { more: rest }) };
    this.#nodes[urlOf(made.type, made.record)] = entry;
    return made;
  }

  /** The labels of the groups around a box. */
  #tagsAt(box: Box): string[] {
    const labels = this.#groups.filter((group) => isIn(box, boxOf(new Members(group)))).map(({ label }) => label);
    const tags = labels.filter((label) => typeof label === 'string' && label.trim() !== '') as string[];
    return tags.slice(0, limits.tagsPerTaskMax);
  }

  #addEdge(edge: Fields, at: number): void {
    const members = new Members(edge);
    const [from, to] = [members.text('fromNode') ?? '', members.text('toNode') ?? ''];
    const [near, far] = [this.#ids.get(from), this.#ids.get(to)];
    const where = `${from} → ${to}`;
    if (near === undefined || far === undefined)
      return this.#plan.remarks.add('An edge of a missing node: it was left out.', where);
    const keepLine = (what: string): void => {
      this.#plan.remarks.add(`${what}: it is in the layout of the canvas.`, where);
      const ends = { fromNode: near === 'group' ? from : urlOf(near.type, near.record) };
      this.#lines.push({ at, item: { ...edge, ...ends, toNode: far === 'group' ? to : urlOf(far.type, far.record) } });
    };
    if (near === 'group' || far === 'group') return keepLine('An edge of a group');
    if (from === to) return keepLine('An edge from a node to itself');
    const text = members.text('label') ?? '';
    const label = text.trim() === '' ? '' : text.slice(0, limits.nameCharactersMax).toWellFormed();
    const key = `${near.record}\0${far.record}\0${foldLabel(label)}`;
    if (this.#joined.has(key)) return keepLine('A further edge between the same nodes with the same label');
    this.#joined.add(key);
    const record = `edges-${this.#joined.size}`;
    const arrow = arrowOf(edge);
    this.#plan.relate(near.record, far.record, label, where, { id: record, ...given({ arrow_direction: arrow }) });
    const id = members.text('id');
    const more = { ...withoutEnds(members.rest(), arrow), ...(text !== label && { label: text }) };
    this.#edges[urlOf('edge', record)] = { at, ...given({ id }), ...(Object.keys(more).length > 0 && { more }) };
  }
}

/** The text around a label, unless an export would write it; the whole text, if the label is not a part of it. */
function formOf(text: string): Pick<KeptNode, 'before' | 'between' | 'source'> {
  const read = readNodeText(text);
  if (textOfNode(read) !== text) return { source: { type: 'text', text } };
  const { before, between, description } = read;
  return {
    ...(before !== '# ' && { before }),
    ...(between !== (description === '' ? '' : '\n\n') && { between }),
  };
}

/** JSON Canvas draws an arrow at the target, unless the edge specifies otherwise. */
function arrowOf({ fromEnd = 'none', toEnd = 'arrow' }: Fields): string | undefined {
  if (fromEnd === 'arrow') return toEnd === 'none' ? 'backward' : 'both';
  return toEnd === 'none' ? 'none' : undefined;
}

/** The members of an edge without the ends that follow from its arrows. */
function withoutEnds(members: Fields, arrow: string | undefined): Fields {
  const ends = arrowEnds(arrow);
  return Object.fromEntries(
    Object.entries(members).filter(([name, value]) => ends[name as keyof typeof ends] !== value),
  );
}

function boxOf(members: Members): Box {
  const number = (name: string): number => {
    const value = members.take(name);
    return typeof value === 'number' ? value : 0;
  };
  return { x: number('x'), y: number('y'), width: Math.max(0, number('width')), height: Math.max(0, number('height')) };
}

/** Returns whether the centre of a box is inside another box. */
function isIn(box: Box, around: Box): boolean {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x >= around.x && x <= around.x + around.width && y >= around.y && y <= around.y + around.height;
}
