import type { Viewport } from '@xyflow/react';
import type { Box } from './sizes.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The distance of cards from the edges of the window, and from bars. */
const margin = 24;
const besideBar = 10;
const zoomMin = 0.04;

interface Insets {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/**
 * The view that shows all cards as large as possible, up to their own size, without covering one by a bar of the
 * window.
 */
export function viewOf(cards: readonly Box[], size: Size, bars: readonly Box[]): Viewport {
  const area = boundsOf(cards);
  const views = insetsFor(size, bars)
    .map((insets) => viewWithin(area, size, insets))
    .sort((a, b) => b.zoom - a.zoom);
  return views.find((view) => !isCovered(cards, view, bars)) ?? views.at(-1)!;
}

export function boundsOf(cards: readonly Box[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of cards) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** The ways to leave the bars free: below the bars at the top, and above or next to the others. */
function insetsFor({ width, height }: Size, bars: readonly Box[]): Insets[] {
  const top = Math.max(
    margin,
    ...bars.filter((bar) => isAtTop(bar, height)).map((bar) => bar.y + bar.height + besideBar),
  );
  const low = bars.filter((bar) => !isAtTop(bar, height));
  const sides = [
    low.filter((bar) => bar.x + bar.width / 2 < width / 2),
    low.filter((bar) => bar.x + bar.width / 2 >= width / 2),
  ] as const;
  const bottomOf = (of: readonly Box[]): number => Math.max(margin, ...of.map((bar) => height - bar.y + besideBar));
  const ways = [0, 1, 2] as const;
  return ways.flatMap((forLeft) =>
    ways.map((forRight) => ({
      top,
      left: forLeft === 1 ? Math.max(margin, ...sides[0].map((bar) => bar.x + bar.width + besideBar)) : margin,
      right: forRight === 1 ? Math.max(margin, ...sides[1].map((bar) => width - bar.x + besideBar)) : margin,
      bottom: Math.max(forLeft === 2 ? bottomOf(sides[0]) : margin, forRight === 2 ? bottomOf(sides[1]) : margin),
    })),
  );
}

const isAtTop = ({ y, height }: Box, windowHeight: number): boolean => y + height / 2 < windowHeight / 2;

function viewWithin(area: Box, { width, height }: Size, { top, right, bottom, left }: Insets): Viewport {
  const [inner, high] = [Math.max(1, width - left - right), Math.max(1, height - top - bottom)];
  const zoom = Math.max(zoomMin, Math.min(1, inner / area.width, high / area.height));
  return {
    x: left + (inner - area.width * zoom) / 2 - area.x * zoom,
    y: top + (high - area.height * zoom) / 2 - area.y * zoom,
    zoom,
  };
}

function isCovered(cards: readonly Box[], { x, y, zoom }: Viewport, bars: readonly Box[]): boolean {
  return cards.some((card) => {
    const [left, top] = [card.x * zoom + x, card.y * zoom + y];
    const [right, bottom] = [left + card.width * zoom, top + card.height * zoom];
    return bars.some((bar) => left < bar.x + bar.width && bar.x < right && top < bar.y + bar.height && bar.y < bottom);
  });
}
