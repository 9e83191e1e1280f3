import { Position } from '@xyflow/react';
import type { NodeHandle } from '@xyflow/react';
import type { Point } from '../../../api/canvas.ts';
import type { Box } from './sizes.ts';

/** The sides of a node where edges begin and end, by the names of its handles. */
const sides = {
  l: { position: Position.Left, at: { x: 0, y: 0.5 }, out: { x: -1, y: 0 } },
  r: { position: Position.Right, at: { x: 1, y: 0.5 }, out: { x: 1, y: 0 } },
  t: { position: Position.Top, at: { x: 0.5, y: 0 }, out: { x: 0, y: -1 } },
  b: { position: Position.Bottom, at: { x: 0.5, y: 1 }, out: { x: 0, y: 1 } },
} as const;
export type Side = keyof typeof sides;
const sideNames = ['l', 'r', 't', 'b'] as const;

export const handleSides: readonly { readonly id: Side; readonly position: Position }[] = sideNames.map((id) => ({
  id,
  position: sides[id].position,
}));

/** The handle that is the border of a card, and while edges are drawn the whole card. */
export const gripHandle = 'grip';

/** Given in advance, so that a node need not be rendered to be measured: only visible nodes are rendered. */
export function handlesOf(width: number, height: number): NodeHandle[] {
  return [
    ...sideNames.map((id): NodeHandle => {
      const { position, at } = sides[id];
      return { id, position, type: 'source', x: at.x * width - 1, y: at.y * height - 1, width: 2, height: 2 };
    }),
    { id: gripHandle, position: Position.Top, type: 'source', x: 0, y: 0, width, height },
  ];
}

/** The sides with the shortest edge: left and right if there is space between the nodes, else top and bottom. */
export function sidesBetween(from: Box, to: Box): readonly [Side, Side] {
  if (to.x > from.x + from.width) return ['r', 'l'];
  if (from.x > to.x + to.width) return ['l', 'r'];
  return to.y >= from.y ? ['b', 't'] : ['t', 'b'];
}

/** An end of an edge at a side of a node: one unit outside, as the handles are. */
export function endAt({ x, y, width, height }: Box, side: Side): Point & { readonly position: Position } {
  const { position, at, out } = sides[side];
  return { position, x: x + at.x * width + out.x, y: y + at.y * height + out.y };
}

export function opposite(position: Position): Position {
  switch (position) {
    case Position.Left:
      return Position.Right;
    case Position.Right:
      return Position.Left;
    case Position.Top:
      return Position.Bottom;
    case Position.Bottom:
      return Position.Top;
  }
}
