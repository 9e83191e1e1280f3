import type { Link } from './model.ts';
import { getBezierPath, Position } from '@xyflow/react';
import type { Obstacles } from './obstacles.ts';
import type { Box } from './sizes.ts';

export interface RouteEnds {
  readonly source: string;
  readonly target: string;
  readonly sourceX: number;
  readonly sourceY: number;
  readonly sourcePosition: Position;
  readonly targetX: number;
  readonly targetY: number;
  readonly targetPosition: Position;
}

export interface Route {
  readonly path: string;
  /** The position of the label. */
  readonly labelX: number;
  readonly labelY: number;
}

/** The distance that a line keeps from a card. */
const clear = 7;
/** How far above and below its ends a line may run. */
const detour = 480;
const samples = 24;

/** Cards whose horizontal extents overlap: a line passes them at one height. */
interface Column {
  readonly left: number;
  readonly right: number;
  readonly boxes: readonly Box[];
}

/** The line of an edge: a curve, or if that ran under other cards, a line through the gaps between them. */
export function routeOf(ends: RouteEnds, obstacles: Obstacles): Route {
  const [path, labelX, labelY] = getBezierPath({ ...ends, curvature: 0.2 });
  const curve = { path, labelX, labelY };
  const { sourceX, sourceY, targetX, targetY, sourcePosition } = ends;
  const [x, y] = [Math.min(sourceX, targetX), Math.min(sourceY, targetY)];
  const [width, height] = [Math.abs(targetX - sourceX), Math.abs(targetY - sourceY)];
  const between = obstacles
    .within({ x, y: y - detour, width, height: height + 2 * detour })
    .filter(({ id }) => id !== ends.source && id !== ends.target);
  if (!between.some((box) => isUnder(ends, box))) return curve;
  const isAcross = sourcePosition === Position.Left || sourcePosition === Position.Right;
  return (isAcross ? across(ends, between) : beside(ends, between)) ?? curve;
}

/**
 * Returns whether the curve between two ends runs under a box. Its two inner control points are at half of the way, as
 * it is drawn.
 */
function isUnder({ sourceX, sourceY, targetX, targetY, sourcePosition }: RouteEnds, box: Box): boolean {
  const isAcross = sourcePosition === Position.Left || sourcePosition === Position.Right;
  for (let at = 1; at < samples; at++) {
    const t = at / samples;
    const straight = 1.5 * t * (1 - t) * (1 - t) + 1.5 * t * t * (1 - t) + t * t * t;
    const bent = 3 * t * t * (1 - t) + t * t * t;
    const x = sourceX + (targetX - sourceX) * (isAcross ? straight : bent);
    const y = sourceY + (targetY - sourceY) * (isAcross ? bent : straight);
    if (x > box.x - 2 && x < box.x + box.width + 2 && y > box.y - 2 && y < box.y + box.height + 2) return true;
  }
  return false;
}

/** Passes column after column, each at the free height nearest to the straight line. */
function across({ sourceX, sourceY, targetX, targetY }: RouteEnds, boxes: readonly Box[]): Route | undefined {
  const [low, high] = [Math.min(sourceX, targetX) + clear, Math.max(sourceX, targetX) - clear];
  const columns = columnsOf(boxes)
    .map(({ left, right, boxes: of }) => ({ left: Math.max(left, low), right: Math.min(right, high), boxes: of }))
    .filter(({ left, right }) => left < right);
  const goesLeft = targetX < sourceX;
  if (goesLeft) columns.reverse();
  let path = `M${sourceX},${sourceY}`;
  let [x, y] = [sourceX, sourceY];
  const curveTo = (nextX: number, nextY: number): void => {
    const middle = (x + nextX) / 2;
    path += ` C${middle},${y} ${middle},${nextY} ${nextX},${nextY}`;
    [x, y] = [nextX, nextY];
  };
  const stops: { readonly x: number; readonly y: number }[] = [];
  for (const { left, right, boxes: of } of columns) {
    const ideal = sourceY + ((targetY - sourceY) * ((left + right) / 2 - sourceX)) / (targetX - sourceX);
    const height = freeHeight(ideal, of);
    if (Math.abs(height - ideal) > detour) return undefined;
    curveTo(goesLeft ? right : left, height);
    x = goesLeft ? left : right;
    path += ` L${x},${y}`;
    stops.push({ x: (left + right) / 2, y });
  }
  curveTo(targetX, targetY);
  const middle = stops[Math.floor(stops.length / 2)];
  return middle && { path, labelX: middle.x, labelY: middle.y };
}

/** From card to card in one column: round the cards between them. */
function beside({ sourceX, sourceY, targetX, targetY }: RouteEnds, boxes: readonly Box[]): Route {
  const [top, bottom] = [Math.min(sourceY, targetY), Math.max(sourceY, targetY)];
  const passed = boxes.filter(({ y, height }) => y < bottom && y + height > top);
  const out = Math.max(sourceX, targetX, ...passed.map(({ x, width }) => x + width)) + 2 * clear;
  const down = targetY > sourceY ? 1.5 * clear : -1.5 * clear;
  const path = `M${sourceX},${sourceY} V${sourceY + down} H${out} V${targetY - down} H${targetX} V${targetY}`;
  return { path, labelX: out, labelY: (sourceY + targetY) / 2 };
}

function columnsOf(boxes: readonly Box[]): Column[] {
  const columns: { left: number; right: number; boxes: Box[] }[] = [];
  for (const box of boxes.toSorted((a, b) => a.x - b.x)) {
    const last = columns.at(-1);
    if (last !== undefined && box.x < last.right) {
      last.right = Math.max(last.right, box.x + box.width);
      last.boxes.push(box);
    } else columns.push({ left: box.x, right: box.x + box.width, boxes: [box] });
  }
  return columns;
}

/** Of two heights that are as near, to this many pixels, the upper one is taken: cards are measured to fractions of a pixel. */
const asNear = 1;

/** The height nearest to `ideal` at which no box is. */
function freeHeight(ideal: number, boxes: readonly Box[]): number {
  const taken: { top: number; bottom: number }[] = [];
  for (const { y, height } of boxes.toSorted((a, b) => a.y - b.y)) {
    const last = taken.at(-1);
    if (last !== undefined && y - clear < last.bottom) last.bottom = Math.max(last.bottom, y + height + clear);
    else taken.push({ top: y - clear, bottom: y + height + clear });
  }
  const blocking = taken.find(({ top, bottom }) => top < ideal && ideal < bottom);
  if (blocking === undefined) return ideal;
  return ideal - blocking.top < blocking.bottom - ideal + asNear ? blocking.top : blocking.bottom;
}

/** The ends with an arrow. An edge that orders has one sense: from the prerequisite to the task that waits for it. */
export function arrowEnds({ orders, reversed, edge }: Link): { readonly atStart: boolean; readonly atEnd: boolean } {
  const way = orders ? (reversed ? 'backward' : 'forward') : edge.arrow_direction;
  return { atStart: way === 'both' || way === 'backward', atEnd: way !== 'none' && way !== 'backward' };
}
