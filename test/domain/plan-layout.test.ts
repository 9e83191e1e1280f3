import { expect } from 'chai';
import { layOut } from '../../src/domain/scaffold/plan-layout.ts';
import type { Point } from '../../src/domain/scaffold/plan-layout.ts';
import type { Graph } from '../../src/domain/graph/graph-shape.ts';

/** The size of a node on the canvas. */
const box = { width: 260, height: 120 };

/** A graph from its edges: `a b` means that a comes first. */
function graphOf(keys: readonly string[], edges: readonly string[] = []): Graph {
  const graph = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (const edge of edges) {
    const [first, then] = edge.split(' ');
    graph.get(then!)!.push(first!);
  }
  return graph;
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${name}${at}`);
}

function sizeOf(places: ReadonlyMap<string, Point>): { readonly width: number; readonly height: number } {
  const of = (axis: 'x' | 'y'): number => {
    const all = [...places.values()].map((place) => place[axis]);
    return all.reduce((a, b) => Math.max(a, b)) - all.reduce((a, b) => Math.min(a, b));
  };
  return { width: of('x') + box.width, height: of('y') + box.height };
}

/** Two nodes that overlap; undefined if no nodes do. */
function overlap(places: ReadonlyMap<string, Point>): readonly string[] | undefined {
  const cells = new Map<string, [string, Point][]>();
  for (const [key, place] of places) {
    const [column, row] = [Math.floor(place.x / box.width), Math.floor(place.y / box.height)];
    for (let x = column - 1; x <= column + 1; x++) {
      for (let y = row - 1; y <= row + 1; y++) {
        for (const [other, there] of cells.get(`${x} ${y}`) ?? []) {
          const apart = Math.abs(there.x - place.x) >= box.width || Math.abs(there.y - place.y) >= box.height;
          if (!apart) return [other, key];
        }
      }
    }
    const cell = cells.get(`${column} ${row}`) ?? [];
    cells.set(`${column} ${row}`, [...cell, [key, place]]);
  }
  return undefined;
}

function expectWindow(places: ReadonlyMap<string, Point>): void {
  const { width, height } = sizeOf(places);
  expect(width / height, `${width} × ${height}`).to.be.within(1.1, 2.3);
}

describe('The layout of a plan', () => {
  it('puts tasks without edges into a grid of the ratio of a window [D9.layout]', () => {
    const keys = numbered('t', 10_000);
    const places = layOut(graphOf(keys), 500);
    expect(places.size).to.equal(keys.length);
    expect(overlap(places)).to.equal(undefined);
    expectWindow(places);
    expect(Math.min(...[...places.values()].map(({ y }) => y))).to.equal(500);
  });

  it('puts blocks of them below each other [D9.layout]', () => {
    const [open, done] = [numbered('open', 30), numbered('done', 50)];
    const places = layOut(graphOf([...done, ...open]), 0, (keys) => {
      expect(keys).to.have.members([...open, ...done]);
      return [open, done];
    });
    const lowest = Math.max(...open.map((key) => places.get(key)!.y));
    for (const key of done) expect(places.get(key)!.y).to.be.greaterThan(lowest);
    expect(overlap(places)).to.equal(undefined);
  });

  it('puts the first tasks to the left, and connected parts next to each other [D9.layout]', () => {
    const parts = Array.from({ length: 400 }, (_, at) => ['a', 'b', 'c', 'd'].map((name) => `${name}${at}`));
    const edges = parts.flatMap(([a, b, c, d]) => [`${a} ${b}`, `${a} ${c}`, `${b} ${d}`, `${c} ${d}`]);
    const loose = numbered('loose', 3000);
    const places = layOut(graphOf([...parts.flat(), ...loose], edges), 0);
    expect(places.size).to.equal(4600);
    expect(overlap(places)).to.equal(undefined);
    expectWindow(places);
    for (const edge of edges) {
      const [first, then] = edge.split(' ').map((key) => places.get(key)!);
      expect(first!.x, edge).to.be.lessThan(then!.x);
    }
    const lowest = Math.max(...parts.flat().map((key) => places.get(key)!.y));
    for (const key of loose) expect(places.get(key)!.y).to.be.greaterThan(lowest);
  });

  it('gives a depth of many tasks several columns [D9.layout]', () => {
    const leaves = numbered('leaf', 5000);
    const places = layOut(
      graphOf(
        ['whole', ...leaves],
        leaves.map((leaf) => `${leaf} whole`),
      ),
      0,
    );
    expect(overlap(places)).to.equal(undefined);
    expectWindow(places);
    const right = places.get('whole')!.x;
    for (const leaf of leaves) expect(places.get(leaf)!.x).to.be.lessThan(right);
  });

  it('orders a depth as its prerequisites, so that edges do not cross [D9.layout]', () => {
    const keys = ['start', 'a', 'b', 'c', 'of c', 'of a', 'of b', 'end'];
    const graph = new Map<string, string[]>(keys.map((key) => [key, []]));
    for (const key of ['a', 'b', 'c']) {
      graph.get(key)!.push('start');
      graph.get(`of ${key}`)!.push(key);
      graph.get('end')!.push(`of ${key}`);
    }
    const places = layOut(graph, 0);
    for (const key of ['a', 'b', 'c']) expect(places.get(`of ${key}`)!.y).to.equal(places.get(key)!.y);
  });

  it('has positions for cycles, loops and long chains [D9.layout]', () => {
    const chain = numbered('c', 5000);
    const edges = chain.slice(1).map((key, at) => `${chain[at]} ${key}`);
    const places = layOut(graphOf(['x', 'y', 'self', ...chain], ['x y', 'y x', 'self self', ...edges]), 0);
    expect(places.size).to.equal(5003);
    expect(overlap(places)).to.equal(undefined);
    expect(layOut(graphOf([]), 0)).to.deep.equal(new Map());
  });
});
