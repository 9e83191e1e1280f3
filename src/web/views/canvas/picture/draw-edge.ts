import { boxOf } from '../model/canvas-store.ts';
import type { FlowEdge, FlowNode } from '../model/canvas-store.ts';
import type { Obstacles } from '../model/obstacles.ts';
import { arrowEnds, routeOf } from '../model/route.ts';
import type { Route, RouteEnds } from '../model/route.ts';
import { endAt, sidesBetween } from '../model/sides.ts';
import type { Pen } from './pen.ts';
import { element, rounded } from './svg.ts';

/** How a line is drawn, as on the page. */
export type LineKind = 'plain' | 'onPath' | 'unordered';
const lines = {
  plain: { 'stroke-width': 1.4, 'stroke-dasharray': undefined },
  onPath: { 'stroke-width': 2.2, 'stroke-dasharray': undefined },
  unordered: { 'stroke-width': 1.4, 'stroke-dasharray': '5 4' },
} as const;
const colourOf = (kind: LineKind): string => (kind === 'onPath' ? 'var(--danger)' : 'var(--ink-3)');

const labelStyle = { size: 11, weight: 400, colour: 'var(--ink-2)' } as const;
const orderingStyle = { ...labelStyle, weight: 600 } as const;
const labelWidthMax = 168;

/** A line with its arrows, and its label, which is drawn above all lines. */
export interface DrawnEdge {
  readonly line: string;
  readonly label: string;
  readonly route: Route;
}

export function edgeOf(
  pen: Pen,
  { id, data, ariaLabel }: FlowEdge,
  [from, to]: readonly [FlowNode, FlowNode],
  obstacles: Obstacles,
  showCritical: boolean,
): DrawnEdge {
  const { link } = data!;
  const kind = showCritical && link.critical ? 'onPath' : link.orders ? 'plain' : 'unordered';
  const route = routeOf(endsOf(from, to), obstacles);
  const { atStart, atEnd } = arrowEnds(link);
  const line = lineOf(pen, kind, shortPath(route.path), { atStart, atEnd, id, name: ariaLabel });
  return { line, route, label: link.label === undefined ? '' : labelOf(pen, link.label, link.orders, route) };
}

export interface LineOptions {
  readonly atStart: boolean;
  readonly atEnd: boolean;
  readonly id?: string | undefined;
  /** The meaning of the line, in words. */
  readonly name?: string | undefined;
}

export function lineOf(pen: Pen, kind: LineKind, d: string, { atStart, atEnd, id, name }: LineOptions): string {
  const arrow = `url(#arrow-${kind === 'onPath' ? 'critical' : 'plain'})`;
  return element('path', {
    ...{ d, fill: 'none', 'data-id': id, 'aria-label': name, ...lines[kind], ...pen.paints.stroke(colourOf(kind)) },
    'marker-start': atStart ? arrow : undefined,
    'marker-end': atEnd ? arrow : undefined,
  });
}

export function arrowsOf(pen: Pen): string {
  return (['plain', 'critical'] as const)
    .map((kind) =>
      element(
        'marker',
        {
          ...{ id: `arrow-${kind}`, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 9, markerHeight: 9 },
          ...{ markerUnits: 'userSpaceOnUse', orient: 'auto-start-reverse' },
        },
        element('path', {
          d: 'M0.5 1L9.5 5L0.5 9z',
          ...pen.paints.fill(colourOf(kind === 'critical' ? 'onPath' : 'plain')),
        }),
      ),
    )
    .join('');
}

/** The ends of a line at the sides of its cards, where the canvas draws them. */
function endsOf(from: FlowNode, to: FlowNode): RouteEnds {
  const [first, second] = [boxOf(from), boxOf(to)];
  const [source, target] = sidesBetween(first, second);
  const [start, end] = [endAt(first, source), endAt(second, target)];
  return {
    ...{ source: from.id, target: to.id },
    ...{ sourceX: start.x, sourceY: start.y, sourcePosition: start.position },
    ...{ targetX: end.x, targetY: end.y, targetPosition: end.position },
  };
}

const shortPath = (path: string): string => path.replace(/-?\d+\.\d+/g, (number) => rounded(Number(number)));

function labelOf(pen: Pen, text: string, orders: boolean, { labelX, labelY }: Route): string {
  const style = orders ? orderingStyle : labelStyle;
  const words = orders ? `→ ${text}` : text;
  const { width } = pen.line(words, { x: 0, y: 0, width: labelWidthMax }, style);
  const [left, top] = [labelX - width / 2, labelY - 9.5];
  return (
    element('rect', {
      ...{ x: left - 7, y: top, width: width + 14, height: 19, rx: 9.5 },
      ...pen.paints.fill('var(--surface)'),
      ...pen.paints.stroke(orders ? 'var(--ink-3)' : 'var(--line)'),
    }) + pen.line(words, { x: left, y: top + 13.5, width: labelWidthMax }, style).drawn
  );
}
