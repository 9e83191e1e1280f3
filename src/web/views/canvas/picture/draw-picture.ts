import { boxOf } from '../model/canvas-store.ts';
import type { FlowEdge, FlowNode } from '../model/canvas-store.ts';
import type { Frame } from '../model/goal-frames.ts';
import { lineMeanings } from '../model/line-meanings.ts';
import { Obstacles } from '../model/obstacles.ts';
import type { Box } from '../model/sizes.ts';
import type { Tones } from '../model/tones.ts';
import { boundsOf } from '../model/view-of.ts';
import { cardOf } from './draw-card.ts';
import type { CardLook } from './draw-card.ts';
import { arrowsOf, edgeOf, lineOf } from './draw-edge.ts';
import type { DrawnEdge, LineKind } from './draw-edge.ts';
import { Pen } from './pen.ts';
import { element, escaped } from './svg.ts';

/** The content of a picture: the cards that the filter shows, with their colours and marks. */
export interface PictureSource extends CardLook {
  readonly name: string;
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly frames: readonly Frame[];
  readonly tones: Tones['named'];
  /** An element of the page: colours are those within it. */
  readonly root: HTMLElement;
}

/** A picture as a file: SVG without references to anything else. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

const margin = 32;
const legend = { rowHeight: 20, width: 340, above: 24 } as const;
const legendText = { size: 12, weight: 400, colour: 'var(--ink-2)' } as const;
const frameText = { size: 14.3, weight: 600, colour: 'var(--ink-2)' } as const;

/** Draws the whole canvas, also the cards that the page does not render because they are out of the window. */
export function drawPicture(source: PictureSource): Picture {
  const pen = new Pen(source.root);
  try {
    return drawn(pen, source);
  } finally {
    pen.close();
  }
}

function drawn(pen: Pen, source: PictureSource): Picture {
  const nodes = source.nodes.filter(({ hidden }) => hidden !== true);
  const cards = nodes.map((node) => cardOf(pen, node, source));
  const edges = edgesOf(pen, nodes, source);
  const frames = source.frames.map((frame) => frameOf(pen, frame));
  const content = boundsOf([...nodes.map(boxOf), ...source.frames, ...edges.map(({ route }) => extentOf(route))]);
  const rows = legendOf(pen, source, { x: content.x, y: content.y + content.height + legend.above });
  const area = {
    x: Math.floor(content.x - margin),
    y: Math.floor(content.y - margin),
    width: Math.ceil(Math.max(content.width, legend.width) + 2 * margin),
    height: Math.ceil(content.height + legend.above + rows.length * legend.rowHeight + 2 * margin),
  };
  const svg = element(
    'svg',
    {
      ...{ xmlns: 'http://www.w3.org/2000/svg', width: area.width, height: area.height, role: 'img' },
      viewBox: `${area.x} ${area.y} ${area.width} ${area.height}`,
      'font-family': pen.fonts,
    },
    element('title', {}, escaped(source.name)),
    element('defs', {}, arrowsOf(pen), pen.definitions),
    element('rect', { ...area, ...pen.paints.fill('var(--ground)') }),
    ...frames,
    ...edges.map(({ line }) => line),
    ...edges.map(({ label }) => label),
    ...cards,
    ...rows,
  );
  return { svg: `<?xml version="1.0" encoding="UTF-8"?>\n${svg}\n`, width: area.width, height: area.height };
}

function edgesOf(pen: Pen, nodes: readonly FlowNode[], { edges, showCritical }: PictureSource): DrawnEdge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const obstacles = new Obstacles(() => nodes.map((node) => ({ id: node.id, ...boxOf(node) })));
  return edges.flatMap((edge) => {
    const [from, to] = [byId.get(edge.source), byId.get(edge.target)];
    return from === undefined || to === undefined ? [] : [edgeOf(pen, edge, [from, to], obstacles, showCritical)];
  });
}

/** The area of a line and its label. The points of a curve are within the hull of its control points. */
function extentOf({ path, labelX, labelY }: DrawnEdge['route']): Box {
  const points = [{ x: labelX, y: labelY, width: 0, height: 0 }];
  let [x, y] = [labelX, labelY];
  for (const [, command = '', numbers = ''] of path.matchAll(/([A-Z])([^A-Z]*)/g)) {
    const values = numbers.split(/[ ,]+/).filter(Boolean).map(Number);
    for (let at = 0; at < values.length; at += command === 'V' || command === 'H' ? 1 : 2) {
      if (command === 'V') y = values[at]!;
      else if (command === 'H') x = values[at]!;
      else [x, y] = [values[at]!, values[at + 1]!];
      points.push({ x, y, width: 0, height: 0 });
    }
  }
  return boundsOf(points);
}

function frameOf(pen: Pen, { id, name, x, y, width, height }: Frame): string {
  const box = { x, y, width, height, rx: 14, 'stroke-width': 1.5 };
  const fill = pen.paints.fill('color-mix(in srgb, var(--surface-3) 45%, transparent)');
  return element(
    'g',
    { 'data-goal': id },
    element('rect', { ...box, ...fill, ...pen.paints.stroke('var(--line-strong)') }),
    pen.line(name, { x: x + 16, y: y + 22, width: width - 32 }, frameText).drawn,
  );
}

/** The meanings of lines and colours, below the cards. */
function legendOf(pen: Pen, source: PictureSource, { x, y }: { x: number; y: number }): string[] {
  const { edges, showCritical, tones } = source;
  const has = (what: (edge: FlowEdge) => boolean): boolean => edges.some((edge) => edge.hidden !== true && what(edge));
  const kinds: LineKind[] = [
    ...(has(({ data }) => data!.link.orders) ? (['plain'] as const) : []),
    ...(showCritical && has(({ data }) => data!.link.critical) ? (['onPath'] as const) : []),
    ...(has(({ data }) => !data!.link.orders) ? (['unordered'] as const) : []),
  ];
  const middle = (row: number): number => y + (row + 0.5) * legend.rowHeight;
  const named = (name: string, row: number): string =>
    pen.line(name, { x: x + 40, y: middle(row) + 4, width: legend.width - 40 }, legendText).drawn;
  const lines = kinds.map(
    (kind, row) =>
      lineOf(pen, kind, `M${x} ${middle(row)}H${x + 30}`, { atStart: false, atEnd: true }) +
      named(lineMeanings[kind], row),
  );
  const swatches = tones.map(({ name, tone }, at) => {
    const row = at + kinds.length;
    const swatch = { x: x + 8, y: middle(row) - 5, width: 14, height: 10, rx: 3, ...pen.paints.fill(tone) };
    return element('rect', swatch) + named(name, row);
  });
  return [...lines, ...swatches].map((row) => element('g', {}, row));
}
