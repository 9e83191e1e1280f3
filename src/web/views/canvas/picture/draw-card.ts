import { FileText, Lock, UserRound } from '../../../ui/icons.ts';
import { priorityLooks } from '../../../ui/priority-icon.tsx';
import { statusIcons } from '../../../ui/status-icon.tsx';
import type { FlowNode } from '../model/canvas-store.ts';
import type { Item } from '../model/model.ts';
import type { Pen, TextStyle } from './pen.ts';
import { element, escaped } from './svg.ts';

/** The appearance of the cards in a picture. */
export interface CardLook {
  readonly toneOf: (item: Item) => string;
  readonly showFrontier: boolean;
  readonly showCritical: boolean;
}

const band = 4;
/** The space within a card, as on the page. */
const pad = { left: 12, right: 11, top: 8, bottom: 7 } as const;
const label = { size: 13, weight: 500, step: 17, baseline: 12.5 } as const;
const foot = { size: 11, height: 15, baseline: 11 } as const;

/** A card as it is on the page at its own size. */
export function cardOf(pen: Pen, node: FlowNode, look: CardLook): string {
  const { item } = node.data;
  const { x, y } = node.position;
  const [width, height] = [node.width ?? item.width, node.height ?? item.height];
  const box = { x, y, width, height };
  const parts = item.type === 'task' ? taskOf(pen, item, box, look) : documentOf(pen, item, box);
  return element('g', { 'data-id': item.id }, element('title', {}, escaped(item.label)), ...parts);
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function taskOf(pen: Pen, item: Item, area: Area, look: CardLook): string[] {
  const { status = 'todo', frontier, critical } = item;
  const isDone = status === 'done';
  const isNext = look.showFrontier && frontier === 'next';
  const isScope = look.showFrontier && frontier === 'scope';
  const edge = look.showCritical && critical ? '--danger' : isNext ? '--accent' : '--line-strong';
  const ink = isDone ? 'var(--ink-2)' : 'var(--ink)';
  const { x, y, width, height } = area;
  const textX = x + pad.left + 23;
  const lines = Math.max(1, Math.min(2, Math.floor((height - pad.top - pad.bottom - foot.height) / label.step)));
  return [
    ...(isNext ? [haloOf(pen, area)] : []),
    shapeOf(pen, area, [8, 8, 8, 8], isDone ? 'var(--surface-2)' : 'var(--surface)', {
      ...pen.paints.stroke(`var(${edge})`),
      'stroke-dasharray': isScope ? '3 3' : undefined,
    }),
    bandOf(pen, area, 8, look.toneOf(item)),
    pen.icon(statusIcons[status], x + pad.left + 0.5, y + pad.top + 1.5, 15, `var(--status-${status})`),
    pen.lines(
      item.label,
      {
        x: textX,
        y: y + pad.top + label.baseline,
        width: x + width - pad.right - textX,
        most: lines,
        step: label.step,
      },
      { size: label.size, weight: label.weight, colour: ink },
    ),
    footOf(pen, item, area, look),
  ];
}

/** Priority, open prerequisites, readiness and assignee. */
function footOf(pen: Pen, item: Item, { x, y, width, height }: Area, look: CardLook): string {
  const { priority, waits, frontier, assignee } = item;
  const [top, end] = [y + height - pad.bottom - foot.height, x + width - pad.right];
  const drawn: string[] = [];
  let at = x + pad.left;
  const text = (words: string, colour: string, weight = 400): void => {
    if (at >= end - 12) return;
    const style: TextStyle = { size: foot.size, weight, colour };
    const line = pen.line(words, { x: at, y: top + foot.baseline, width: end - at }, style);
    drawn.push(line.drawn);
    at += line.width + 8;
  };
  if (priority !== null) {
    const { Icon, color } = priorityLooks[priority];
    drawn.push(pen.icon(Icon, at, top + 1, 13, color));
    at += 21;
  }
  if (waits > 0) {
    drawn.push(pen.icon(Lock, at, top + 2, 11, 'var(--warn)'));
    at += 14;
    text(String(waits), 'var(--warn)', 600);
  }
  if (look.showFrontier && frontier === 'next') text('Ready', 'var(--accent)', 600);
  if (look.showFrontier && frontier === 'scope') text('Ready when moved to To do', 'var(--ink-2)');
  if (assignee !== null && at < end - 40) {
    drawn.push(pen.icon(UserRound, at, top + 2, 11, 'var(--ink-2)'));
    at += 14;
    text(assignee, 'var(--ink-2)');
  }
  return drawn.join('');
}

function documentOf(pen: Pen, item: Item, area: Area): string[] {
  const { x, y, width, height } = area;
  const [textX, middle] = [x + pad.left + 21, y + height / 2];
  const style = { size: label.size, weight: label.weight, colour: 'var(--ink)' };
  return [
    shapeOf(pen, area, [4, 14, 4, 4], 'var(--surface)', pen.paints.stroke('var(--line-strong)')),
    bandOf(pen, area, 4, 'var(--info)'),
    pen.icon(FileText, x + pad.left, middle - 7.5, 15, 'var(--info)'),
    pen.line(item.label, { x: textX, y: middle + 4.5, width: x + width - pad.right - textX }, style).drawn,
  ];
}

const haloOf = (pen: Pen, { x, y, width, height }: Area): string =>
  element('rect', {
    ...{ x: x - 1, y: y - 1, width: width + 2, height: height + 2, rx: 9, fill: 'none', 'stroke-width': 2 },
    ...pen.paints.stroke('var(--accent-soft)'),
  });

type Radii = readonly [topLeft: number, topRight: number, bottomRight: number, bottomLeft: number];

function shapeOf(
  pen: Pen,
  { x, y, width, height }: Area,
  [tl, tr, br, bl]: Radii,
  fill: string,
  stroke: Readonly<Record<string, string | number | undefined>>,
): string {
  // The line is one unit wide and within the card.
  const [left, top, right, bottom] = [x + 0.5, y + 0.5, x + width - 0.5, y + height - 0.5];
  const d =
    `M${left + tl} ${top}H${right - tr}A${tr} ${tr} 0 0 1 ${right} ${top + tr}V${bottom - br}` +
    `A${br} ${br} 0 0 1 ${right - br} ${bottom}H${left + bl}A${bl} ${bl} 0 0 1 ${left} ${bottom - bl}` +
    `V${top + tl}A${tl} ${tl} 0 0 1 ${left + tl} ${top}z`;
  return element('path', { d, ...pen.paints.fill(fill), ...stroke });
}

/** The colour at the left of a card. */
function bandOf(pen: Pen, { x, y, height }: Area, radius: number, tone: string): string {
  const inner = Math.max(0, radius - band);
  const d =
    `M${x + radius} ${y}A${radius} ${radius} 0 0 0 ${x} ${y + radius}V${y + height - radius}` +
    `A${radius} ${radius} 0 0 0 ${x + radius} ${y + height}A${inner} ${radius} 0 0 1 ${x + band} ${y + height - radius}` +
    `V${y + radius}A${inner} ${radius} 0 0 1 ${x + radius} ${y}z`;
  return element('path', { d, ...pen.paints.fill(tone) });
}
