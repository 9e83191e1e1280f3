import type { Box } from './sizes.ts';

const cell = 512;

export interface Obstacle extends Box {
  readonly id: string;
}

/** The cards of the canvas, found by their place. The index is made when it is first used. */
export class Obstacles {
  readonly #all: () => Iterable<Obstacle>;
  #cells: Map<string, Obstacle[]> | undefined;

  constructor(all: () => Iterable<Obstacle>) {
    this.#all = all;
  }

  /** The cards that overlap an area. */
  within(area: Box): Obstacle[] {
    this.#cells ??= this.#index();
    const found = new Set<Obstacle>();
    for (const key of keysOf(area))
      for (const one of this.#cells.get(key) ?? []) if (overlaps(one, area)) found.add(one);
    return [...found];
  }

  #index(): Map<string, Obstacle[]> {
    const cells = new Map<string, Obstacle[]>();
    for (const one of this.#all())
      for (const key of keysOf(one)) {
        const there = cells.get(key);
        if (there === undefined) cells.set(key, [one]);
        else there.push(one);
      }
    return cells;
  }
}

function* keysOf({ x, y, width, height }: Box): Iterable<string> {
  for (let column = Math.floor(x / cell); column <= Math.floor((x + width) / cell); column++)
    for (let row = Math.floor(y / cell); row <= Math.floor((y + height) / cell); row++) yield `${column} ${row}`;
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
