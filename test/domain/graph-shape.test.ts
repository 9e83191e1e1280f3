import { expect } from 'chai';
import { shapeOf } from '../../src/domain/graph/graph-shape.ts';
import { rarely } from '../support/rarely.ts';

/** A graph from lines `node: predecessors`. */
function graph(lines: Readonly<Record<string, readonly string[]>>): Map<string, readonly string[]> {
  return new Map(Object.entries(lines));
}

describe('The shape of a graph', () => {
  it('has a depth for each node: the longest path from a node without prerequisites [D3.depth]', () => {
    const { depths, cycles } = shapeOf(graph({ a: [], b: ['a'], c: ['a', 'b'], d: ['c', 'a'], e: [] }));
    expect(Object.fromEntries(depths)).to.deep.equal({ a: 0, b: 1, c: 2, d: 3, e: 0 });
    expect(cycles).to.deep.equal([]);
  });

  it('gives depth 0 inside a cycle and continues after it [D3.depth]', () => {
    const { depths } = shapeOf(graph({ a: ['c'], b: ['a'], c: ['b'], d: ['c'], e: ['d'] }));
    expect(Object.fromEntries(depths)).to.deep.equal({ a: 0, b: 0, c: 0, d: 1, e: 2 });
  });

  it('names each cycle once, in the order of work from the smallest id [D3.cycles]', () => {
    // c comes before b, b before a, a before c.
    expect(shapeOf(graph({ b: ['c'], a: ['b'], c: ['a'] })).cycles).to.deep.equal([['a', 'c', 'b']]);
    expect(shapeOf(graph({ z: ['y'], y: ['z'], m: ['k'], k: ['m'] })).cycles).to.deep.equal([
      ['k', 'm'],
      ['y', 'z'],
    ]);
  });

  it('names a cycle through every node of a strongly connected component', () => {
    const { cycles } = shapeOf(graph({ a: ['b'], b: ['a', 'c'], c: ['b'] }));
    expect(cycles).to.deep.equal([
      ['a', 'b'],
      ['b', 'c'],
    ]);
  });

  it('does not depend on the order of nodes', () => {
    const one = shapeOf(graph({ a: ['c'], b: ['a'], c: ['b'], d: [] }));
    const other = shapeOf(graph({ d: [], c: ['b'], b: ['a'], a: ['c'] }));
    expect(other.cycles).to.deep.equal(one.cycles);
  });

  rarely('works for a chain and for a ring of 100,000', () => {
    const count = 100_000;
    const chain = new Map<string, string[]>();
    for (let i = count - 1; i >= 0; i--) chain.set(`t${i}`, i === 0 ? [] : [`t${i - 1}`]);
    expect(shapeOf(chain).depths.get(`t${count - 1}`)).to.equal(count - 1);
    chain.set('t0', [`t${count - 1}`]);
    const { cycles } = shapeOf(chain);
    expect(cycles).to.have.length(1);
    expect(cycles[0]).to.have.length(count);
    expect(cycles[0]?.slice(0, 3)).to.deep.equal(['t0', 't1', 't2']);
  });

  rarely('works for a node with 200,000 prerequisites', () => {
    const wide = new Map<string, string[]>([['end', []]]);
    for (let i = 0; i < 200_000; i++) {
      wide.set(`t${i}`, []);
      wide.get('end')?.push(`t${i}`);
    }
    expect(shapeOf(wide).depths.get('end')).to.equal(1);
  });
});
