import type { Point } from '../../../api/canvas.ts';
import type { Box } from './sizes.ts';
import { nodeSizes } from './sizes.ts';

const step = { x: nodeSizes.task.width + 56, y: nodeSizes.task.height + 22 } as const;
const margin = 80;
/** The position of the first one on an empty canvas. */
const start = 40;

/** A task without a position, and its depth. */
export interface Unplaced {
  readonly id: string;
  readonly depth: number;
}

/** Returns whether the service has no position of a node: a document is shown only with one. */
export function isUnplaced({ type, x, y }: Point & { readonly type: string }): boolean {
  return type === 'task' && x === 0 && y === 0;
}

/** The corner below everything that has a position. */
export function cornerBelow(taken: readonly Box[]): Point {
  if (taken.length === 0) return { x: start, y: start };
  return {
    x: taken.reduce((least, { x }) => Math.min(least, x), Infinity),
    y: taken.reduce((most, { y, height }) => Math.max(most, y + height), -Infinity) + margin,
  };
}

/** Temporary positions of tasks without one: below all placed nodes, from left to right in the order of work. */
export function spreadOut(tasks: readonly Unplaced[], taken: readonly Box[]): ReadonlyMap<string, Point> {
  const { x: left, y: top } = cornerBelow(taken);
  const columns = [...Map.groupBy(tasks, ({ depth }) => depth)].sort(([a], [b]) => a - b);
  // Many tasks without prerequisites would form one column of thousands.
  const rows = Math.max(8, Math.ceil(Math.sqrt(tasks.length * 1.5)));
  const places = new Map<string, Point>();
  let x = left;
  for (const [, column] of columns) {
    for (const [at, { id }] of column.entries())
      places.set(id, { x: x + Math.floor(at / rows) * step.x, y: top + (at % rows) * step.y });
    x += Math.ceil(column.length / rows) * step.x;
  }
  return places;
}
