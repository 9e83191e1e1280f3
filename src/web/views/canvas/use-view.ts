import { useReactFlow } from '@xyflow/react';
import type { Viewport } from '@xyflow/react';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { boxOf } from './model/canvas-store.ts';
import type { Drawn, FlowEdge, FlowNode } from './model/canvas-store.ts';
import type { Box } from './model/sizes.ts';
import { viewOf } from './model/view-of.ts';

/** With more nodes than these the canvas opens at the tasks that can begin, not at the whole. */
const fitNodesMax = 400;
/** The position of the first such task in the window, in pixels. */
const startAt = { x: 60, y: 160, zoom: 0.7 } as const;

const moveMs = 150;

export interface CanvasView {
  /** Shows an area, or everything, in the space that the bars leave free. */
  readonly fit: (area?: Box) => void;
  /** Shows the beginning, unless the address names a view. */
  readonly begin: () => void;
}

/** The initial view of the canvas. It follows a layout that replaces the positions, until a user moves the view. */
export function useView(frame: RefObject<HTMLElement | null>, drawn: Drawn, given: Viewport | undefined): CanvasView {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const [hasGiven] = useState(given !== undefined);
  const initial = useRef<Viewport | undefined>(undefined);
  const show = useCallback((view: Viewport, duration = 0) => void flow.setViewport(view, { duration }), [flow]);
  const fitted = useCallback(
    (area?: Box): Viewport | undefined => {
      const shown = area === undefined ? drawn.nodes.filter(({ hidden }) => hidden !== true).map(boxOf) : [area];
      if (shown.length === 0 || frame.current === null) return undefined;
      const { width, height } = frame.current.getBoundingClientRect();
      return viewOf(shown, { width, height }, barsOf(frame.current));
    },
    [drawn.nodes, frame],
  );
  const begin = useCallback((): void => {
    if (hasGiven) return;
    initial.current = drawn.nodes.length > fitNodesMax ? startOf(drawn.nodes) : fitted();
    if (initial.current !== undefined) show(initial.current);
  }, [drawn.nodes, fitted, hasGiven, show]);
  const latestBegin = useRef(begin);
  useEffect(() => {
    latestBegin.current = begin;
  }, [begin]);
  useEffect(() => {
    // The legend has more lines once the order of work is there, and bars wrap in a narrower window.
    const observer = new ResizeObserver(() => {
      if (isNear(flow.getViewport(), initial.current)) latestBegin.current();
    });
    for (const bar of frame.current?.querySelectorAll('.react-flow__panel > *') ?? []) observer.observe(bar);
    return () => observer.disconnect();
  }, [flow, frame]);
  const former = useRef(drawn);
  useLayoutEffect(() => {
    const before = former.current;
    former.current = drawn;
    if (before.layouts === drawn.layouts || before.nodes.length === 0 || hasGiven) return;
    const now = flow.getViewport();
    if (isNear(now, initial.current)) return begin();
    const shift = shiftOfMiddle(before.nodes, drawn.nodes, now, frame.current!);
    show({ x: now.x - shift.x * now.zoom, y: now.y - shift.y * now.zoom, zoom: now.zoom });
  }, [begin, drawn, flow, frame, hasGiven, show]);
  const fit = useCallback(
    (area?: Box) => {
      const view = fitted(area);
      if (view !== undefined) show(view, moveMs);
    },
    [fitted, show],
  );
  return { fit, begin };
}

/** The bars over the canvas, relative to it. */
function barsOf(frame: HTMLElement): Box[] {
  const { left, top } = frame.getBoundingClientRect();
  return [...frame.querySelectorAll('.react-flow__panel > *')]
    .map((bar) => bar.getBoundingClientRect())
    .filter(({ width, height }) => width > 0 && height > 0)
    .map(({ x, y, width, height }) => ({ x: x - left, y: y - top, width, height }));
}

/** The first task that can begin, at the left of the window. */
function startOf(nodes: readonly FlowNode[]): Viewport | undefined {
  const start = nodes.find(({ data }) => data.item.frontier === 'next') ?? nodes[0];
  if (start === undefined) return undefined;
  const { x, y } = start.position;
  return { x: startAt.x - x * startAt.zoom, y: startAt.y - y * startAt.zoom, zoom: startAt.zoom };
}

const isNear = (a: Viewport, b: Viewport | undefined): boolean =>
  b !== undefined && Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1 && Math.abs(a.zoom - b.zoom) < 0.001;

/** The distance by which a layout moved the node in the middle of the window. */
function shiftOfMiddle(
  before: readonly FlowNode[],
  after: readonly FlowNode[],
  { x, y, zoom }: Viewport,
  frame: HTMLElement,
): { readonly x: number; readonly y: number } {
  const middle = { x: (frame.clientWidth / 2 - x) / zoom, y: (frame.clientHeight / 2 - y) / zoom };
  let [nearest, least] = [before[0]!, Infinity];
  for (const node of before) {
    const { x: left, y: top, width, height } = boxOf(node);
    const distance = Math.hypot(left + width / 2 - middle.x, top + height / 2 - middle.y);
    if (distance < least) [nearest, least] = [node, distance];
  }
  const moved = after.find(({ id }) => id === nearest.id) ?? nearest;
  return { x: moved.position.x - nearest.position.x, y: moved.position.y - nearest.position.y };
}
