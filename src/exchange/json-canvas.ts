import { Members, type ImportedPlan } from './imported-plan.ts';
import { PlanBuilder } from './plan-builder.ts';
import { requireObject } from './plan-format.ts';
import type { FileFormat } from './plan-format.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The status that our own export shows as a colour. */
const statuses: Readonly<Record<string, string>> = { '3': 'in_progress', '4': 'done', '5': 'scope' };

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const jsonCanvas: FileFormat = {
  kind: 'file',
  name: 'json-canvas',
  offered: 'a JSON Canvas .canvas',
  places: [],
  detects: ({ path, object }) =>
    object !== undefined &&
    (path.endsWith('.canvas') || (Array.isArray(object['nodes']) && Array.isArray(object['edges']))),
  read: (file, { name }) => readJsonCanvas(requireObject(file), name),
};

/**
 * Reads a JSON Canvas 1.0 (`.canvas`). Text nodes become tasks: the first line is the label, the rest the description. File and link nodes
 * become documents, groups become tags of the nodes inside them, edges become edges.
 */
export function readJsonCanvas(document: Fields, name: string): ImportedPlan {
  const plan = new PlanBuilder('JSON Canvas', name);
  const whole = new Members(document);
  const nodes = whole.objects('nodes');
  const edges = whole.objects('edges');
  for (const member of Object.keys(whole.rest()))
    plan.remarks.add('A member that JSON Canvas does not have: it was left out.', member);
  const groups = nodes.filter(({ type }) => type === 'group');
  const ids = new Map<string, string>();
  for (const node of nodes) {
    const said = new Members(node);
    const id = said.text('id') ?? '';
    const made = addNode(plan, said, node, groups);
    if (made === undefined) continue;
    if (ids.has(id)) plan.remarks.add('An id of several nodes: edges use the first one.', id);
    else ids.set(id, made);
  }
  for (const group of groups)
    if (!nodes.some((node) => node !== group && node['type'] !== 'group' && isIn(boxOf(node), boxOf(group)))) {
      plan.remarks.add(
        'A group with nothing in it: it was left out.',
        typeof group['label'] === 'string' ? group['label'] : String(group['id']),
      );
    }
  for (const edge of edges) join(plan, ids, new Members(edge));
  return plan.finish();
}

function addNode(plan: PlanBuilder, said: Members, node: Fields, groups: readonly Fields[]): string | undefined {
  const type = said.text('type') ?? 'text';
  if (type === 'group') return undefined;
  const box = boxOf(node);
  for (const member of ['x', 'y', 'width', 'height']) said.take(member);
  const around = groups.filter((group) => isIn(box, boxOf(group))).map(({ label }) => label);
  const tags = around.filter((label) => typeof label === 'string' && label.trim() !== '') as string[];
  const color = said.text('color');
  const position = { x: box.x, y: box.y };
  if (type === 'text') {
    const { label, description, done } = taskOf(said.text('text') ?? '');
    const status = done ? 'done' : (statuses[color ?? ''] ?? 'todo');
    return plan.task({
      ...{ label, description, status, tags, position, size: { width: box.width, height: box.height } },
      kept: { ...(color !== undefined && statuses[color] === undefined && { color }), ...said.rest() },
    });
  }
  if (type !== 'file' && type !== 'link') {
    plan.remarks.add('A node of an unknown type: it became a document.', type);
  }
  const [file, url, subpath = ''] = [said.text('file'), said.text('url'), said.text('subpath')];
  const shown = url === undefined ? '' : `<${url}>`;
  return plan.document({
    ...{ title: file ?? url ?? type, position },
    body: file === undefined ? shown : `[${file}](${encodeURI(file)}${subpath})`,
    kept: { ...(color !== undefined && { color }), ...(tags.length > 0 && { groups: tags }), ...said.rest() },
  });
}

/** A text node as a task: a heading mark or a tick box before its first line is not part of the label. */
function taskOf(text: string): { readonly label: string; readonly description: string; readonly done: boolean } {
  const [, first = '', rest = ''] = /^\s*([^\n]*)\n*([\s\S]*)$/.exec(text) ?? [];
  const box = /^[-*] \[([ xX])\] (.*)$/.exec(first);
  // A line after the heading may have its own tick box: only one before the first line is the task's.
  const label = (box?.[2] ?? first).replace(/^#{1,6} +/, '').trim();
  return { label, description: rest, done: box !== null && box[1] !== ' ' };
}

function boxOf(node: Fields): Box {
  const number = (name: string): number => (typeof node[name] === 'number' ? node[name] : 0);
  return { x: number('x'), y: number('y'), width: Math.max(0, number('width')), height: Math.max(0, number('height')) };
}

/** Whether the centre of a box is inside another one. */
function isIn(box: Box, around: Box): boolean {
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  return x >= around.x && x <= around.x + around.width && y >= around.y && y <= around.y + around.height;
}

/** JSON Canvas draws an arrow at the target, unless the edge specifies otherwise. */
function join(plan: PlanBuilder, ids: ReadonlyMap<string, string>, said: Members): void {
  const [from, to] = [said.text('fromNode') ?? '', said.text('toNode') ?? ''];
  const [near, far] = [ids.get(from), ids.get(to)];
  const where = `${from} → ${to}`;
  if (near === undefined || far === undefined)
    return plan.remarks.add('An edge of a group or of a missing node: it was left out.', where);
  const [start, end] = [said.text('fromEnd') ?? 'none', said.text('toEnd') ?? 'arrow'];
  const both = start === 'arrow' && end === 'arrow';
  const arrow = both ? 'both' : start === 'arrow' ? 'backward' : end === 'none' ? 'none' : undefined;
  for (const member of ['id', 'fromSide', 'toSide']) said.take(member);
  const label = said.text('label') ?? '';
  plan.relate(near, far, label, where, { ...(arrow !== undefined && { arrow_direction: arrow }) });
  for (const member of Object.keys(said.rest()))
    plan.remarks.add(`The ${member} of an edge has no field: it was left out.`, where);
}
