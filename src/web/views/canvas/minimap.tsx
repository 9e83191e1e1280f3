import { Panel, useReactFlow, useStore } from '@xyflow/react';
import type { ReactFlowState } from '@xyflow/react';
import { memo, useEffect, useMemo, useRef } from 'react';
import type { PointerEvent as Press, ReactElement } from 'react';
import { boxOf } from './model/canvas-store.ts';
import type { FlowNode } from './model/canvas-store.ts';
import styles from './canvas.module.css';
import type { Box } from './model/sizes.ts';
import type { Tones } from './model/tones.ts';
import { boundsOf } from './model/view-of.ts';

/** With more nodes than these the map is larger. */
const largeFrom = 400;
const margin = 8;
const zoomStep = 1.15;
/** The least size of a card on the map, in pixels: smaller ones would merge into one grey. */
const least = { width: 2, height: 1.5, marked: 3 } as const;

interface Scale {
  readonly width: number;
  readonly height: number;
  /** Pixels of the map for one unit of the canvas, and the position of the origin. */
  readonly factor: number;
  readonly x: number;
  readonly y: number;
}

export interface MinimapProps {
  readonly nodes: readonly FlowNode[];
  readonly toneOf: Tones['of'];
  readonly showFrontier: boolean;
  readonly showCritical: boolean;
}

/** A map of the whole canvas. Nodes that are selected, can begin or are on the longest chain are emphasised. */
export function Minimap(props: MinimapProps): ReactElement | null {
  const { nodes } = props;
  const shown = useMemo(() => nodes.filter(({ hidden }) => hidden !== true), [nodes]);
  const scale = useMemo(() => scaleOf(shown), [shown]);
  if (scale === undefined) return null;
  return (
    <Panel position="bottom-right" className={styles['map']}>
      <Map {...props} nodes={shown} scale={scale} />
    </Panel>
  );
}

function scaleOf(nodes: readonly FlowNode[]): Scale | undefined {
  if (nodes.length === 0) return undefined;
  const area = boundsOf(nodes.map(boxOf));
  const [width, height] = nodes.length > largeFrom ? [260, 180] : [200, 150];
  const factor = Math.min((width - 2 * margin) / area.width, (height - 2 * margin) / area.height, 0.12);
  return {
    ...{ width, height, factor },
    x: (width - area.width * factor) / 2 - area.x * factor,
    y: (height - area.height * factor) / 2 - area.y * factor,
  };
}

function Map({ scale, ...props }: MinimapProps & { readonly scale: Scale }): ReactElement {
  const flow = useReactFlow();
  const map = useRef<SVGSVGElement>(null);
  const centre = ({ clientX, clientY }: Press): void => {
    const { left, top } = map.current!.getBoundingClientRect();
    const { factor, x, y } = scale;
    void flow.setCenter((clientX - left - x) / factor, (clientY - top - y) / factor, { zoom: flow.getZoom() });
  };
  useEffect(() => {
    const element = map.current!;
    const zoom = (event: WheelEvent): void => {
      // The listener of React is passive: the page would be zoomed, too.
      event.preventDefault();
      void flow.zoomTo(flow.getZoom() * (event.deltaY < 0 ? zoomStep : 1 / zoomStep));
    };
    element.addEventListener('wheel', zoom, { passive: false });
    return () => element.removeEventListener('wheel', zoom);
  }, [flow]);
  return (
    <svg
      ref={map}
      width={scale.width}
      height={scale.height}
      role="img"
      aria-label="Map of the whole canvas"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        centre(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) centre(event);
      }}
    >
      <Cards {...props} scale={scale} />
      <Window scale={scale} />
    </svg>
  );
}

/** All cards of one colour are one path: thousands of elements would slow every movement. */
const Cards = memo(function Drawn(props: MinimapProps & { readonly scale: Scale }): ReactElement {
  const paths = pathsOf(props);
  return (
    <g shapeRendering="crispEdges">
      {paths.map(({ tone, isMarked, path }) => (
        <path key={`${isMarked} ${tone}`} d={path} style={{ fill: tone }} fillOpacity={isMarked ? 1 : 0.5} />
      ))}
    </g>
  );
});

interface Painted {
  readonly tone: string;
  readonly isMarked: boolean;
  readonly path: string;
}

function pathsOf({ nodes, toneOf, showFrontier, showCritical, scale }: MinimapProps & { scale: Scale }): Painted[] {
  const painted = nodes.map((node) => {
    const { item } = node.data;
    const mark =
      node.selected === true || (showFrontier && item.frontier === 'next')
        ? 'var(--accent)'
        : showCritical && item.critical
          ? 'var(--danger)'
          : undefined;
    return { tone: mark ?? toneOf(item), isMarked: mark !== undefined, box: onMap(node, scale, mark !== undefined) };
  });
  return [...globalThis.Map.groupBy(painted, ({ tone, isMarked }) => `${isMarked ? 1 : 0}${tone}`)]
    .map(([, of]) => ({
      tone: of[0]!.tone,
      isMarked: of[0]!.isMarked,
      path: of.map(({ box: { x, y, width, height } }) => `M${x} ${y}h${width}v${height}h${-width}z`).join(''),
    }))
    .sort((a, b) => Number(a.isMarked) - Number(b.isMarked));
}

function onMap({ position, width = 0, height = 0 }: FlowNode, { factor, x, y }: Scale, isMarked: boolean): Box {
  const [leastWidth, leastHeight] = isMarked ? [least.marked, least.marked] : [least.width, least.height];
  return {
    x: Math.round((position.x * factor + x) * 2) / 2,
    y: Math.round((position.y * factor + y) * 2) / 2,
    width: Math.max(leastWidth, Math.round(width * factor * 2) / 2),
    height: Math.max(leastHeight, Math.round(height * factor * 2) / 2),
  };
}

const windowOf = ({ transform: [x, y, zoom], width, height }: ReactFlowState): string =>
  `${-x / zoom} ${-y / zoom} ${width / zoom} ${height / zoom}`;

/** The part of the canvas that the window shows; the rest is dimmed. */
function Window({ scale: { width, height, factor, x, y } }: { readonly scale: Scale }): ReactElement {
  const [left, top, wide, high] = useStore(windowOf).split(' ').map(Number) as [number, number, number, number];
  const frame = `M${left * factor + x} ${top * factor + y}h${wide * factor}v${high * factor}h${-wide * factor}z`;
  return (
    <g className={styles['mapWindow']}>
      <path d={`M0 0H${width}V${height}H0z${frame}`} fillRule="evenodd" />
      <path d={frame} />
    </g>
  );
}
