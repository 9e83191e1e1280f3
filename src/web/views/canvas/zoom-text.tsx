import { useStore, ViewportPortal } from '@xyflow/react';
import { useEffect, useMemo } from 'react';
import type { ReactElement, RefObject } from 'react';
import type { FlowNode } from './model/canvas-store.ts';
import styles from './canvas.module.css';

/** Below this zoom a card shows its label alone, larger. */
export const farZoom = 0.65;
/** Below this zoom a card is smaller than a word: labels are drawn over cards, as many as fit. */
const tinyZoom = 0.22;
/** The size of text in the window, in pixels. */
const legible = 11;
const lineHeight = 1.15;
const cardText = { size: 13, height: 56 } as const;
/** The space of a label over cards in the window, in pixels. */
const space = { width: 116, height: 16 } as const;
const labelsMax = 400;

/** Steps of the zoom at which sizes change: at each intermediate zoom all text would be rendered again. */
const stepped = (zoom: number): number => 1.1 ** Math.floor(Math.log(zoom) / Math.log(1.1));

export interface ZoomTextProps {
  readonly frame: RefObject<HTMLElement | null>;
  readonly nodes: readonly FlowNode[];
}

/** Keeps text legible at every zoom: labels have a constant size in the window. */
export function ZoomText({ frame, nodes }: ZoomTextProps): ReactElement | null {
  const zoom = useStore(({ transform }) => stepped(transform[2]));
  const isTiny = zoom < tinyZoom;
  useEffect(() => {
    const size = Math.max(cardText.size, legible / zoom);
    const lines = Math.max(1, Math.floor(cardText.height / (size * lineHeight)));
    const { style, dataset } = frame.current!;
    style.setProperty('--label-size', `${size}px`);
    style.setProperty('--label-lines', String(lines));
    if (isTiny) dataset['tiny'] = '';
    else delete dataset['tiny'];
  }, [frame, zoom, isTiny]);
  const named = useMemo(() => (isTiny ? fitting(nodes, zoom) : []), [isTiny, nodes, zoom]);
  if (named.length === 0) return null;
  return (
    <ViewportPortal>
      {named.map(({ id, position, width = 0, height = 0, data }) => (
        <span
          key={id}
          aria-hidden
          className={styles['farName']}
          dir="auto"
          style={{
            transform: `translate(${position.x + width / 2}px, ${position.y + height / 2}px) translate(-50%, -50%)`,
            fontSize: legible / zoom,
            maxWidth: space.width / zoom,
          }}
        >
          {data.item.label}
        </span>
      ))}
    </ViewportPortal>
  );
}

/** The nodes whose labels do not cover each other; selected and currently important nodes come first. */
function fitting(nodes: readonly FlowNode[], zoom: number): FlowNode[] {
  const [width, height] = [space.width / zoom, space.height / zoom];
  const rank = ({ selected = false, data: { item } }: FlowNode): number =>
    selected ? 0 : item.frontier === 'next' ? 1 : item.critical ? 2 : 3;
  const taken = new Map<string, FlowNode[]>();
  const found: FlowNode[] = [];
  for (const node of nodes.toSorted((a, b) => rank(a) - rank(b))) {
    if (node.hidden === true) continue;
    if (found.length === labelsMax) break;
    const [column, row] = [Math.floor(node.position.x / width), Math.floor(node.position.y / height)];
    const isFree = [-1, 0, 1].every((dx) =>
      [-1, 0, 1].every((dy) =>
        (taken.get(`${column + dx} ${row + dy}`) ?? []).every(
          ({ position: { x, y } }) => Math.abs(x - node.position.x) >= width || Math.abs(y - node.position.y) >= height,
        ),
      ),
    );
    if (!isFree) continue;
    const key = `${column} ${row}`;
    taken.set(key, [...(taken.get(key) ?? []), node]);
    found.push(node);
  }
  return found;
}
